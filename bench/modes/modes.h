/* modes.h - what the programs do besides their first mode, each in a file of its own: see bench_mode. */
#ifndef BENCH_MODES_H
#define BENCH_MODES_H
#include "common.h"

bool bench_detector(bench *b), bench_trace(bench *b);       /* of epoch */
bool bench_urgent(bench *b);                                /* of latency */
bool bench_indexgather(bench *b), bench_prefetch(bench *b); /* of histogram */
bool bench_lock(bench *b);                                  /* of mpi_threads */
bool bench_route(bench *b), bench_workers(bench *b);        /* of message_rate */
bool bench_graph_files(bench *b), bench_graph_more(bench *b), bench_graph_variants(bench *b),
    bench_graph_regret(bench *b);
extern const bench_own_option bench_route_options[];
#endif
