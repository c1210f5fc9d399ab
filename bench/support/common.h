/* common.h - what the benchmarks share: options, rounds, medians, worlds, items of any size, the record.
 *
 * Room: no job here. A benchmark runs under mpirun; rank 0 prints. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H
#include <cjson/cJSON.h>
#include <mpi.h>
#include <scree/memory.h>
#include <scree/scree.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  const char *name;
  int rank, ranks; /* ranks: those that take part */
  bool full;
  int rounds, scale;
  const char *json; /* file, "-", or NULL */
  cJSON *results;   /* array of flat records; rank 0 */
} bench;

/* Initialises MPI, reads --json FILE|-, --full, --rounds N, --scale N; prints help and ends on --help. False: bad
 * usage, said on rank 0. */
bool bench_start(bench *b, int argc, char **argv, const char *name, const char *what);
/* Writes the record, finalises MPI. Returns the exit code. */
int bench_finish(bench *b, int code);

/* The ranks that take part: all of them, but inside bench_on_ranks. */
extern MPI_Comm bench_comm;

/* Calls `run` on the first n ranks, with bench_comm and b->ranks theirs; the others sleep. Collective over all ranks.
 * True on all if it returned true on those. */
bool bench_on_ranks(bench *b, int n, bool (*run)(bench *b, void *arg), void *arg);

/* Waits for a request of MPI without holding the core: an MPI may spin in its own waits. */
void bench_wait(MPI_Request *request);

/* Adds a record; NULL on other ranks than 0. */
cJSON *bench_record(bench *b);

double bench_now(void); /* seconds */
/* The median of n values, which it sorts. */
double bench_median(double *values, int n);
/* The slowest rank's value, on all ranks. */
double bench_slowest(double mine);

/* One of several variants to do a job, to be timed against the others. */
typedef struct {
  const char *name;
  void (*run)(void *arg, uint64_t n);   /* does the job n times */
  bool (*check)(void *arg, uint64_t n); /* not timed: was all of it done? It also makes ready for the next go */
  void *arg;
  uint64_t n;             /* jobs a round; 0: what takes about 20 ms, found while warming up */
  double seconds, spread; /* out: of one job on the slowest rank, median of the rounds; (most - least) / median */
} bench_variant;

/* Times all variants in turns, so that drift hits them alike; the first round warms up. Every rank times itself from a
 * common barrier on: with more ranks than cores, a loop without messages is timed as if its rank were alone.
 * Collective. False on all ranks: a check failed on some rank, said on rank 0. */
bool bench_rounds(const bench *b, bench_variant *variants, int count);

/* True if `mine` is true on all ranks. Collective. */
bool bench_all(bool mine);

/* A world on one transport (SCREE_TRANSPORT_SHM or _mpi) and its name. NULL: none; the reason is on standard error. */
scree_world *bench_world(uint64_t transport);
const char *bench_transport(uint64_t transport);

/* Fixed-size items of many sizes, each with a send of its own as the library generates it. */
typedef struct {
  size_t bytes;
  void (*send)(scree_worker *w, uint32_t type, uint32_t dest, const void *item);
} bench_item;
extern const bench_item bench_items[];
extern const size_t bench_item_count;
/* NULL: no item of that size. */
const bench_item *bench_item_of(size_t bytes);

/* Numbers an item of 8 bytes or more at both ends; true from the second if both ends are still the same item's. */
void bench_stamp(void *item, size_t bytes, uint64_t number);
bool bench_stamped(const void *item, size_t bytes, uint64_t *number);

/* Zeroed memory that has been touched, on huge pages if asked for and to be had, else on none; freed by
 * scree_huge_free. */
void *bench_alloc(size_t bytes, bool huge);

/* The next word of a linear congruential generator (Knuth's MMIX constants); its upper bits are the random ones. */
static inline uint64_t bench_draw(uint64_t *x) {
  *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *x;
}
#endif
