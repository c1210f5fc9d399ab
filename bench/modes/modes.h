/* modes.h - the modes of the programs besides their first one, each in a file of its own: see bench_mode. */
#ifndef BENCH_MODES_H
#define BENCH_MODES_H
#include "common.h"

bool bench_urgent(bench *b);                                          /* of latency */
bool bench_indexgather(bench *b), bench_prefetch(bench *b);           /* of histogram */
bool bench_global_direct(bench *b), bench_global_transfers(bench *b); /* of global */
bool bench_tree(bench *b);                                            /* of loops */
bool bench_lock(bench *b);                                            /* of mpi_threads */
bool bench_route(bench *b), bench_workers(bench *b);                  /* of message_rate */
/* histogram --zipf: counts 2^b->scale words of each rank, 2^22 by default, of 2^20 that there are, drawn with exponent
 * s; the option combine is auto, on and off; over MPI and, if all ranks are on one node, by shared memory. */
bool bench_zipf(bench *b, double s);
extern const bench_own_option bench_route_options[];
/* Of irregular. */
const struct scree_kernel *bench_irregular(const char *name); /* a kernel without a graph */
bool bench_intsort(bench *b), bench_uts(bench *b);
bool bench_walk(bench *b), bench_hashmap(bench *b), bench_stencil(bench *b);
extern const bench_own_option bench_intsort_options[], bench_uts_options[];
#endif
