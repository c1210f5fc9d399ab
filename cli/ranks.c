/* ranks.c - how many ranks a command has: those of a launcher, as many as were requested, or as many as save time. */
#include "ranks.h"

#include <scree/generate.h>
#include <scree/graph/files.h>
#include <scree/local.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args/benchmarks.h"
#include "base/launched.h"
#include "package/package.h"

/* Below these a second rank saves no time (docs/decisions/0013-ranks-of-a-node.md). */
enum { SMALL_FILE = 1 << 20, SMALL_EDGES = 1 << 16 };

static bool is_small(const cli_args *args) {
  char why[8];
  struct stat is;
  scree_generated *generated;
  if (args->command->bit == CLI_GRAPH500) return args->graph500.edge_factor << args->graph500.scale < SMALL_EDGES;
  if (!args->graph || strcmp(args->graph, "-") == 0) return false;
  if (!scree_generator_is_named(args->graph))
    return stat(args->graph, &is) == 0 && S_ISREG(is.st_mode) && is.st_size < SMALL_FILE;
  if (scree_generated_parse(args->graph, why, sizeof why, &generated)) return true;
  const bool small = scree_generated_edges(generated) < SMALL_EDGES;
  scree_generated_free(generated);
  return small;
}

static uint32_t as_many_as_pay(const cli_args *args) {
  const uint32_t max = scree_local_ranks(&args->options);
  if (args->command->bit == CLI_BENCH && max < 2) return 2; /* which take turns */
  if (args->command->bit == CLI_BENCH && cli_benchmark_named(args->study.operands[0])->mode->ranks) return 2;
  if (is_small(args)) return 1;
  const uint32_t parts = args->graph ? scree_image_ranks(args->graph) : 0;
  return parts && parts < max ? parts : max;
}

/* Reads the environment, if no option sets the number. */
static bool read_variable(cli_args *args) {
  const char *text = getenv("SCREE_RANKS");
  if (args->ranks != SCREE_UNSET) return true;
  return cli_set_ranks(args, text && *text ? text : "auto", " (from SCREE_RANKS)");
}

static void warn_of_place(uint32_t ranks, uint32_t room) {
  const package_allocation here = package_allocation_find();
  if (ranks > room)
    fprintf(stderr, "scree: warning: %u ranks on a machine with cores for %u: they take turns; use --ranks %u\n", ranks,
            room, room);
  if (ranks > 1 && here.nodes > 1)
    fprintf(stderr,
            "scree: warning: %u ranks on this host, one of the %llu nodes that the batch system has allocated (%s): to "
            "use all, "
            "start the command by srun or mpirun\n",
            ranks, (unsigned long long)here.nodes, here.from);
}

bool cli_choose_ranks(cli_args *args, uint32_t *ranks) {
  *ranks = 0;
  args->launcher = scree__launched();
  if (args->launcher || args->command->bit == CLI_LIMITS) return true;
  if (!read_variable(args)) return false;
  *ranks = args->ranks ? (uint32_t)args->ranks : as_many_as_pay(args);
  if (args->command->bit == CLI_BENCH && !cli_check_bench_ranks(args, *ranks)) return false;
  const bool mpi = args->options.transport == SCREE_TRANSPORT_MPI, comm = args->options.progress == SCREE_PROGRESS_COMM;
  if (args->command->bit == CLI_BENCH && (mpi || comm))
    return cli_fail(args, "%s needs MPI, and these ranks have none: start them by mpirun, or leave it out",
                    mpi ? "transport=mpi" : "progress=comm");
  if (!args->study.quiet) warn_of_place(*ranks, scree_local_ranks(&args->options));
  return true;
}

bool cli_check_launched(cli_args *args, uint32_t ranks) {
  if (!args->ranks || args->ranks == SCREE_UNSET || args->ranks == ranks) return true;
  return cli_fail(args, "option '--ranks': %llu, but a launcher has started %u (%s); give that number, or leave it out",
                  (unsigned long long)args->ranks, ranks, args->launcher ? args->launcher : "MPI");
}
