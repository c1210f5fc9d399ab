/* common_requests.h - bale's index lists: random locations in a table distributed over all ranks.
 *
 * Shared by the histograms and indexgather: drawing, the hash that checks the results, the plain histogram, the rows. */
#ifndef COMMON_REQUESTS_H
#define COMMON_REQUESTS_H
#include "common.h"

/* A location: the owner and the index there. */
typedef struct {
  uint32_t rank, index;
} bench_location;

/* `count` locations drawn uniformly from ranks x words; NULL: no memory. Freed by the caller. */
bench_location *bench_locations(uint64_t count, uint32_t ranks, uint32_t words, uint64_t seed);

/* Distinguishes locations; sums of it distinguish multisets of locations. */
static inline uint64_t bench_hash(uint32_t rank, uint32_t index) {
  uint64_t x = ((uint64_t)rank << 32 | index) + UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* A list of locations to count, and this rank's part of the table. */
typedef struct {
  uint32_t rank, words; /* words: of the part */
  uint64_t count;       /* locations in the list */
  bench_location *locations;
  uint64_t *table;
} bench_histogram;

/* The baseline of histograms, a variant's `run` and `check` with a bench_histogram: it counts in its own part what the list
 * has for any rank. */
void bench_histogram_plain(void *histogram, uint64_t n);
bool bench_histogram_check_plain(void *histogram, uint64_t n);
/* True if all parts together hold exactly all lists. Clears the table. Collective. */
bool bench_histogram_check(bench_histogram *h);

/* One row of such a kernel. */
typedef struct {
  uint32_t words; /* of the table, on each rank */
  bool huge;      /* pages */
  bool usual;     /* without --full too */
} bench_kernel_row;

/* Calls `run_row` on the default rows, with --full on all, until one fails. True if none did. */
bool bench_kernel_rows(bench *b, const bench_kernel_row *rows, size_t count,
                       bool (*run_row)(bench *b, const bench_kernel_row *row, void *arg), void *arg);
/* One such kernel in a world. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  void *job; /* of the current row */
} bench_kernel_context;

/* Each makes or runs a part of a kernel; `c` is of the caller's type, which begins with bench_kernel_context. */
typedef struct {
  const char *items, *floor; /* what the rate counts; the baseline's name */
  int scale;                 /* log2 of the items of each rank, without --scale */
  size_t context_bytes;
  bool (*open)(void *c);
  bool (*open_job)(bench *b, const bench_kernel_row *row, uint64_t count, void **job); /* collective */
  void (*close_job)(void *job);
  void (*run)(void *c, uint64_t n), (*run_floor)(void *job, uint64_t n);
  bool (*check)(void *c, uint64_t n), (*check_floor)(void *job, uint64_t n);
} bench_kernel;

/* The rows, each with the baseline and the kernel by shared memory and by MPI, interleaved. */
bool bench_kernel_run(bench *b, const bench_kernel *k, const bench_kernel_row *rows, size_t count);
#endif
