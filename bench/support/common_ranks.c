/* common_ranks.c - runs a job on some of the ranks while the others sleep, and waits without occupying a core. */
#include <sched.h>
#include <time.h>

#include "common.h"

MPI_Comm bench_comm = MPI_COMM_WORLD;

void bench_wait(MPI_Request *request) {
  for (int done = 0; !done;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
}

static void sleep_until_done(MPI_Request *request) {
  static const struct timespec pause = {0, 2000000};
  for (int done = 0; !done;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&pause, NULL);
  }
}

bool bench_on_ranks(bench *b, int n, bool (*run)(bench *b, void *arg), void *arg) {
  int all = b->ranks, good = true, verdict = false;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, b->rank < n ? 0 : MPI_UNDEFINED, b->rank, &bench_comm);
  if (b->rank < n) {
    b->ranks = n;
    good = run(b, arg);
    b->ranks = all;
    MPI_Comm_free(&bench_comm);
  }
  bench_comm = MPI_COMM_WORLD;
  MPI_Iallreduce(&good, &verdict, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  sleep_until_done(&request);
  return verdict;
}

bool bench_one_node(void) {
  MPI_Comm node;
  int ranks, all;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_free(&node);
  return bench_all(ranks == all);
}
