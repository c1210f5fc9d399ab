/* to_workers.h - messages of routed types to workers, by lanes for each worker and for each rank (the option aggregate): rate and
 * latency. */
#ifndef BENCH_TO_WORKERS_H
#define BENCH_TO_WORKERS_H
#include "common.h"

enum { BENCH_TO_WORKERS = 2, BENCH_PINGS = 100 }; /* values of aggregate; round trips in a round */

/* What one value of the option gave. */
typedef struct {
  const char *aggregate;
  bench_variant rate; /* seconds of an item of a rank */
  double blocks;      /* of a rank in a run */
  double latency;     /* seconds of a round trip between workers of two ranks: the median; 0 with one rank */
  double spread;      /* of the medians of the rounds */
} bench_to_workers;

/* Worlds on that transport, with as many workers in each rank; 2^scale items of 8 bytes from each rank in a round. Collective
 * over bench_comm; false after a failure, which is reported. */
bool bench_measure_to_workers(bench *b, uint64_t transport, uint32_t threads, int scale, bench_to_workers *out);
#endif
