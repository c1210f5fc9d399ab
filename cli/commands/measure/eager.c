/* eager.c - measures the eager limit: the largest message that completes before its receive is posted.
 *
 * Rank 0 sends a probe, then a series of small messages that rank 1 answers. A probe that has not completed after the
 * series is not eager: the series gave it enough time even on a busy machine. Only then does rank 0 make rank 1 receive
 * the probe, so that no message remains and no rank waits for a message that is never sent. */
#include "commands/measure/eager.h"

#include <mpi.h>
#include <sched.h>

enum { PROBE = 1, CONTROL, REPLY, TRIES = 3, ROUNDS = 32 }; /* tags; searches; messages per probe */
enum { END = -2, PING = -1 }; /* control messages; any other value is the size of the probe to receive */

/* Yields the core, which the other rank may need: MPI_Wait of some MPIs does not. */
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

/* True if a message of that size completes before its receive is posted. */
static int is_eager(char *buffer, int bytes) {
  MPI_Request request;
  int done = 0, ping = PING;
  MPI_Isend(buffer, bytes, MPI_BYTE, 1, PROBE, MPI_COMM_WORLD, &request);
  for (int i = 0; i < ROUNDS && !done; i++) {
    send(&ping, sizeof ping, 1, CONTROL);
    receive(&ping, sizeof ping, 1, REPLY);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  send(&bytes, sizeof bytes, 1, CONTROL);
  if (!done) wait_for(&request);
  return done;
}

/* The largest eager size, by bisection. -1: not even 0 bytes. */
static int search(char *buffer) {
  int low = -1, high = CLI_EAGER_MAX + 1; /* low is eager, high is not */
  while (high - low > 1) {
    int middle = low < 0 ? 0 : high > CLI_EAGER_MAX && low < CLI_EAGER_MAX / 2 ? 2 * low + 1 : low + (high - low) / 2;
    if (is_eager(buffer, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void reply(char *buffer) {
  int message;
  do {
    receive(&message, sizeof message, 0, CONTROL);
    if (message == PING) send(&message, sizeof message, 0, REPLY);
    if (message >= 0) receive(buffer, message, 0, PROBE);
  } while (message != END);
}

int64_t cli_find_eager(int rank, char *buffer) {
  int min = CLI_EAGER_MAX, end = END;
  if (rank == 1) {
    receive(buffer, CLI_EAGER_MAX, 0, PROBE); /* establishes the connection */
    send(buffer, CLI_EAGER_MAX, 0, PROBE);
    reply(buffer);
    return 0;
  }
  send(buffer, CLI_EAGER_MAX, 1, PROBE);
  receive(buffer, CLI_EAGER_MAX, 1, PROBE);
  for (int i = 0; i < TRIES; i++) {
    int found = search(buffer);
    if (found < min) min = found;
  }
  send(&end, sizeof end, 1, CONTROL);
  return min < 0 ? 0 : min;
}
