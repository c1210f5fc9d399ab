/* eager.c - measures the eager limit: the largest message that completes before its receive is posted.
 *
 * Rank 0 sends a probe, then a series of small messages that rank 1 answers. A probe that has not completed after the
 * series is not eager: the series gave it enough time even on a busy machine. Only then does rank 0 ask rank 1 to
 * receive the probe, so that no message is left over and no rank waits for a message that is never sent. */
#include "commands/eager.h"

#include <mpi.h>
#include <sched.h>

enum { PROBE = 1, WORD, ANSWER, TRIES = 3, ROUNDS = 32 };
enum { END = -2, ASK = -1 }; /* a word; else the bytes of the probe to receive */

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
  int done = 0, ask = ASK;
  MPI_Isend(buffer, bytes, MPI_BYTE, 1, PROBE, MPI_COMM_WORLD, &request);
  for (int i = 0; i < ROUNDS && !done; i++) {
    send(&ask, sizeof ask, 1, WORD);
    receive(&ask, sizeof ask, 1, ANSWER);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
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
  int word;
  do {
    receive(&word, sizeof word, 0, WORD);
    if (word == ASK) send(&word, sizeof word, 0, ANSWER);
    if (word >= 0) receive(buffer, word, 0, PROBE);
  } while (word != END);
}

int64_t cli_find_eager(int rank, char *buffer) {
  int min = CLI_EAGER_MOST, end = END;
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
    if (found < min) min = found;
  }
  send(&end, sizeof end, 1, WORD);
  return min < 0 ? 0 : min;
}
