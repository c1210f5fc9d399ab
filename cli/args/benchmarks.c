/* benchmarks.c - the table of what scree bench runs, and checks of its command line. */
#include "args/benchmarks.h"

#include <stdio.h>
#include <string.h>

static const cli_benchmark table[] = {
    {"latency", bench_latency, CLI_OSU_LATENCY, {{"way", "scree %"}}},
    {"bandwidth", bench_bandwidth, CLI_OSU_BW, {{"way", "scree %"}}},
    {"rate",
     bench_message_rate,
     CLI_OSU_MBW_MR,
     {{"transport", "%"}, {"pattern", "random"}, {"table_words", "1048576"}}},
    {"epoch", bench_epoch, CLI_OSU_BARRIER, {{"transport", "%"}, {"world", ""}, {"operation", "empty epoch"}}},
};

const cli_benchmark *cli_benchmark_at(size_t i) {
  return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const cli_benchmark *cli_benchmark_named(const char *name) {
  for (size_t i = 0; name && cli_benchmark_at(i); i++)
    if (strcmp(cli_benchmark_at(i)->name, name) == 0) return cli_benchmark_at(i);
  return NULL;
}

static bool check_bytes(cli_args *args, const cli_benchmark *b) {
  char legal[128] = "";
  for (const size_t *size = b->mode->sizes; size && *size; size++) {
    if (*size == args->bench.bytes) return true;
    snprintf(legal + strlen(legal), sizeof legal - strlen(legal), "%s%zu", *legal ? ", " : "", *size);
  }
  if (!args->bench.bytes) return true;
  return *legal ? cli_fail(args, "option '--bytes': '%llu' is not legal; legal for %s: %s",
                           (unsigned long long)args->bench.bytes, b->name, legal)
                : cli_fail(args, "option '--bytes': %s sends no items; leave it out", b->name);
}

const cli_benchmark *cli_benchmark_of(cli_args *args) {
  const char *name = args->study.operand_count == 1 ? args->study.operands[0] : "";
  const cli_benchmark *b = cli_benchmark_named(name);
  if (!b)
    return cli_fail(args, "bench: '%s' is not a benchmark; name one: scree bench latency, bandwidth, rate or epoch",
                    name),
           NULL;
  if (args->options.threads > 1)
    return cli_fail(args, "option '--threads': the ranks of scree bench have one worker each; leave it out"), NULL;
  return check_bytes(args, b) ? b : NULL;
}

bool cli_check_bench_ranks(cli_args *args, uint64_t ranks) {
  const cli_benchmark *b = cli_benchmark_of(args);
  if (b && (!b->mode->ranks || ranks == (uint64_t)b->mode->ranks)) return true;
  return b && cli_fail(args, "bench %s needs %d ranks, not %llu: use --ranks %d, or start it by mpirun -n %d", b->name,
                       b->mode->ranks, (unsigned long long)ranks, b->mode->ranks, b->mode->ranks);
}
