/* eager.c - the largest message that is sent at once.
 *
 * Room: see eager.h. Rank 0 sends a probe and looks for a while whether it completes; only then rank 1, which waits for
 * that word, receives it. So no probe is left behind, and nobody waits for what does not come. */
#include "eager.h"

#include <mpi.h>
#include <sched.h>

enum { PROBE = 1, WORD, TRIES = 3, LEAST_TESTS = 1000 };
static const double patience = 0.01; /* seconds in which a message that goes at once has gone */

/* MPI_Wait of some MPIs keeps the core that the other rank may need. */
static void wait_for(MPI_Request *request) {
  int done = 0;
  while (!done) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
}

static void send(void *data, int bytes, int to, int tag) {
  MPI_Request request;
  MPI_Isend(data, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  wait_for(&request);
}

static void receive(void *data, int bytes, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(data, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  wait_for(&request);
}

/* Does a message of that size leave at once? */
static int leaves(char *buffer, int bytes) {
  MPI_Request request;
  int done = 0;
  double start = MPI_Wtime();
  MPI_Isend(buffer, bytes, MPI_BYTE, 1, PROBE, MPI_COMM_WORLD, &request);
  for (int tests = 0; !done && (tests < LEAST_TESTS || MPI_Wtime() < start + patience); tests++) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
  send(&bytes, sizeof bytes, 1, WORD);
  if (!done) wait_for(&request);
  return done;
}

/* The largest size that leaves at once, if all smaller ones do. */
static int search(char *buffer) {
  int low = -1, high = CLI_EAGER_MOST + 1; /* low leaves at once, high does not */
  while (high - low > 1) {
    int middle = low < 0 ? 0 : high > CLI_EAGER_MOST && low < CLI_EAGER_MOST / 2 ? 2 * low + 1 : low + (high - low) / 2;
    if (leaves(buffer, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void answer(char *buffer) {
  for (int bytes = 0; bytes >= 0;) {
    receive(&bytes, sizeof bytes, 0, WORD);
    if (bytes >= 0) receive(buffer, bytes, 0, PROBE);
  }
}

int64_t cli_find_eager(int rank, char *buffer) {
  int least = CLI_EAGER_MOST, end = -1;
  if (rank == 1) {
    receive(buffer, CLI_EAGER_MOST, 0, PROBE); /* the connection is made */
    send(buffer, CLI_EAGER_MOST, 0, PROBE);
    answer(buffer);
    return 0;
  }
  send(buffer, CLI_EAGER_MOST, 1, PROBE);
  receive(buffer, CLI_EAGER_MOST, 1, PROBE);
  for (int i = 0; i < TRIES; i++) {
    int found = search(buffer);
    if (found < least) least = found;
  }
  send(&end, sizeof end, 1, WORD);
  return least < 0 ? 0 : least;
}
