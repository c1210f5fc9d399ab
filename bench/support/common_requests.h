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

/* Prints the heading of the rows; `items` names what the rate counts. */
void bench_kernel_head(const bench *b, const char *items);
/* Calls `run_row` on the default rows, with --full on all, until one fails. True if none did. */
bool bench_kernel_rows(bench *b, const bench_kernel_row *rows, size_t count,
                       bool (*run_row)(bench *b, const bench_kernel_row *row, void *arg), void *arg);
/* Prints the row of one variant and adds its record; `floor`: seconds of the baseline. */
void bench_kernel_report(bench *b, const bench_kernel_row *row, const bench_variant *variant, double floor);
#endif
