/* common.h - what the benchmarks share: options, rounds, medians, the table and the record.
 *
 * Room: no measuring here. A benchmark runs under mpirun; rank 0 prints. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H
#include <cjson/cJSON.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  const char *name;
  int rank, ranks;
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

/* Adds a record; NULL on other ranks than 0. */
cJSON *bench_record(bench *b);

double bench_now(void); /* seconds */
/* The median of n values, which it sorts. */
double bench_median(double *values, int n);
/* The slowest rank's value, on all ranks. */
double bench_slowest(double mine);

/* Zeroed memory, on huge pages if asked for and to be had. */
void *bench_table(size_t bytes, bool huge);

/* The next word of a linear congruential generator (Knuth's MMIX constants); its upper bits are the random ones. */
static inline uint64_t bench_draw(uint64_t *x) {
  *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *x;
}
#endif
