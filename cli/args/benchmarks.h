/* benchmarks.h - what scree bench runs: programs of bench/, and the rows of each that count. */
#ifndef CLI_BENCHMARKS_H
#define CLI_BENCHMARKS_H
#include "args/args.h"
#include "common.h"

typedef enum { CLI_OSU_LATENCY, CLI_OSU_BW, CLI_OSU_MBW_MR, CLI_OSU_BARRIER } cli_osu;

typedef struct {
  const char *name;
  const bench_mode *mode;
  cli_osu osu; /* whose columns --format osu has */
  /* The rows that count, one for each size: of several the first. A field of theirs and its value; "%" in it is the
   * transport. */
  const char *where[3][2];
} cli_benchmark;

/* The i-th; NULL past the last. */
const cli_benchmark *cli_benchmark_at(size_t i);
/* NULL: none has that name. */
const cli_benchmark *cli_benchmark_named(const char *name);
/* Returns the benchmark that the command line names; NULL if it names none, with the reason in args->why. */
const cli_benchmark *cli_benchmark_of(cli_args *args);
/* Returns whether it can have that many ranks; if not, args->why has the reason. */
bool cli_check_bench_ranks(cli_args *args, uint64_t ranks);

#endif
