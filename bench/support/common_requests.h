/* common_requests.h - bale's kernels: lists of locations in a table that is distributed over all ranks, by the library
 * and by a plain loop.
 *
 * Shared by the histograms, indexgather and prefetch: the lists, the hash that checks results, the rows. */
#ifndef COMMON_REQUESTS_H
#define COMMON_REQUESTS_H
#include "common.h"

/* A location: the owner and the index there. */
typedef struct {
  uint32_t rank, index;
} bench_location;

/* Distinguishes locations; sums of it distinguish multisets of locations. */
static inline uint64_t bench_hash(uint32_t rank, uint32_t index) {
  uint64_t x = ((uint64_t)rank << 32 | index) + UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* This rank's list and its part of the table. */
typedef struct {
  uint32_t rank, ranks, words; /* words: of the part */
  uint64_t count;              /* locations in the list */
  bench_location *locations;
  uint64_t *table, *received; /* received: by position in the list, where words are fetched */
} bench_requests;

/* One row. */
typedef struct {
  uint32_t words; /* of the table, on each rank */
  bool huge;      /* pages */
  bool usual;     /* without --full too */
} bench_kernel_row;

/* One variant, in a world with one transport. The caller's structure begins with it. */
typedef struct {
  scree_world *world;
  scree_worker *w;
  uint32_t way;
  bench_requests *job; /* of the current row */
} bench_kernel_context;

enum { BENCH_WAYS_MAX = 8 };

typedef struct {
  const char *items, *floor;        /* what the rate counts; the baseline's name, NULL: none */
  const char *ways[BENCH_WAYS_MAX]; /* names, up to NULL */
  int reference[BENCH_WAYS_MAX];    /* of each variant, the one that its ratio is relative to */
  const char *const *transports;    /* up to NULL; "shm" only where all ranks share memory */
  int scale;                        /* log2 of the items of each rank, without --scale */
  bool fetches;                     /* a job needs `received` */
  double zipf;                      /* for the record; 0 too: what is not skewed has none below 0 */
  size_t context_bytes;
  bool (*open)(void *c);                           /* registers the types of the way */
  bool (*draw)(const bench *b, bench_requests *j); /* the list; false: no memory */
  void (*run)(void *c, uint64_t n), (*run_floor)(void *job, uint64_t n);
  bool (*check)(void *c, uint64_t n), (*check_floor)(void *job, uint64_t n);
  void (*fill)(bench_requests *j); /* the table, before the first run; NULL: zeros */
} bench_kernel;

/* The default rows, with --full all: each with the baseline and all ways by all transports, interleaved. */
bool bench_kernel_run(bench *b, const bench_kernel *k, const bench_kernel_row *rows, size_t count);

/* Draws a list uniformly. */
bool bench_draw_uniform(const bench *b, bench_requests *j);
/* The baseline of histograms: it counts in its own part what the list has for any rank. */
void bench_histogram_plain(void *job, uint64_t n);
bool bench_histogram_check_plain(void *job, uint64_t n);
/* A way's `check`: all parts together hold exactly all lists. Clears the table. */
bool bench_histogram_check(void *context, uint64_t n);
#endif
