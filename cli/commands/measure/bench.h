/* bench.h - scree bench. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H
#include "args/args.h"

/* Runs it on `ranks` ranks that it starts; 0: on those of a launcher. Returns the exit code. */
int cli_bench(const cli_args *args, uint32_t ranks);

#endif
