/* common_ranks.c - runs a job on some of the ranks while the others sleep, and waits without occupying a core. */
#include <string.h>
#include <time.h>

#include "common.h"

MPI_Comm bench_comm = MPI_COMM_WORLD;
static bool alone; /* one of several ranks without MPI runs */

static void reduce(const uint64_t *mine, uint64_t *all, size_t words, ranks_op op) {
  if (alone)
    memcpy(all, mine, words * sizeof *all);
  else
    ranks_reduce(bench_comm, mine, all, words, op);
}

static void sleep_until_done(MPI_Request *request) {
  static const struct timespec pause = {0, 2000000};
  for (int done = 0; !done;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&pause, NULL);
  }
}

/* Those that sleep wait for the sum, which may spin. */
static bool on_local_ranks(bench *b, int n, bool (*run)(bench *b, void *arg), void *arg) {
  int all = b->ranks, good = true;
  if (n > 1 && n < all) bench_head(b, "%d of %d ranks: left out: without MPI a world has all ranks\n", n, all);
  if (n == all || (n == 1 && b->rank == 0)) {
    b->ranks = n;
    alone = n < all;
    good = run(b, arg);
    alone = false;
    b->ranks = all;
  }
  return bench_all(good);
}

bool bench_on_ranks(bench *b, int n, bool (*run)(bench *b, void *arg), void *arg) {
  if (ranks_are_local) return on_local_ranks(b, n, run, arg);
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

void bench_sum(const uint64_t *mine, uint64_t *all, size_t words) {
  reduce(mine, all, words, RANKS_SUM);
}

bool bench_all(bool mine) {
  uint64_t bad = !mine, all;
  reduce(&bad, &all, 1, RANKS_MAX);
  return all == 0;
}

double bench_slowest(double mine) {
  return alone ? mine : ranks_greatest(bench_comm, mine);
}

bool bench_one_node(void) {
  if (ranks_are_local) return true;
  MPI_Comm node;
  int ranks, all;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_free(&node);
  return bench_all(ranks == all);
}
