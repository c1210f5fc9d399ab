/* subcommands.c - the subcommands: one for each kernel of the registry, and the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "irregular/irregular.h"

#define GRAPH_IS_READ "the graph is read"

static const cli_subcommand others[] = {
    {.bit = CLI_GENERATE,
     .name = "generate",
     .help = "generate a graph and write it to a file",
     .operands = 2,
     .reads = GRAPH_IS_READ},
    {.bit = CLI_CONVERT,
     .name = "convert",
     .help = "read a graph and write it in another format",
     .operands = 2,
     .reads = GRAPH_IS_READ},
    {.bit = CLI_INFO,
     .name = "info",
     .help = "print size, degrees, weights and memory of a graph; with --plan, estimate them without loading it",
     .operands = 1,
     .reads = GRAPH_IS_READ},
    {.bit = CLI_PATH,
     .name = "path",
     .help = "print a shortest path between two vertices",
     .about = "Prints one line per vertex of the path from --source to --target: its id and its\n"
              "distance from the source. Without weights it counts arcs. Exit code 1: no path.",
     .operands = 1,
     .reads = GRAPH_IS_READ},
    {.bit = CLI_GRAPH500,
     .name = "graph500",
     .help = "run the Graph500 benchmark: generate, construct, search, validate",
     .about = "Generates a Kronecker graph, runs breadth-first search and shortest paths from\n"
              "random sources, validates every result, and prints all in the output format of\n"
              "the Graph500 specification."},
    {.bit = CLI_BENCH,
     .name = "bench",
     .help = "measure latency, bandwidth, message rate or epochs; against plain MPI",
     .about = "Measures the library against MPI and the machine. latency and bandwidth need\n"
              "two ranks. With --format osu the rows of one transport are printed in the\n"
              "columns of OSU's micro-benchmarks (osu_latency, osu_bw, osu_mbw_mr,\n"
              "osu_barrier). Each is a kernel of sweeps:\n"
              "    scree sweep --kernel latency --bytes 8,64,1K --ranks 2",
     .words = " latency|bandwidth|rate|epoch"},
    {.bit = CLI_LIMITS,
     .name = "limits",
     .help = "measure the eager limit of MPI; the largest message sent without waiting for its receive",
     .about = "Needs two ranks: mpirun -n 2 scree limits"},
    {.bit = CLI_SWEEP,
     .name = "sweep",
     .help = "run many configurations repeatedly and record every run",
     .about = "A sweep runs every combination of the values of its axes, given as options:\n"
              "    scree sweep --kernel sssp --scale 16 --ranks 1,2 --algorithm dc,delta\n"
              "in a FILE with one statement NAME = VALUES per line, or by a PRESET, of which\n"
              "options replace lines. mpirun or mpiexec starts the ranks; scree report analyses\n"
              "the results file.",
     .words = " [FILE|PRESET]",
     .reads = "the plan is read"},
    {.bit = CLI_REPORT,
     .name = "report",
     .help = "analyse results of sweeps; tables, conclusions in words, CSV, plots, an HTML page",
     .about = "RESULTS are files that scree sweep wrote. One file: a table and what it shows.\n"
              "Several: how each differs from the first, and which changes exceed the noise.",
     .words = " RESULTS...",
     .reads = "results are read"},
    {.bit = CLI_TUNE,
     .name = "tune",
     .help = "find good options for one job within a time budget",
     .about = "Tries many combinations of options with short jobs and continues with the best\n"
              "third (successive halving). The best one is written to an options file if it is\n"
              "faster than the defaults beyond the noise:\n"
              "    scree tune --kernel sssp --graph roads.gr --ranks 4 --budget 5m\n"
              "Without axes of several values, tune tries the important options of the kernel.",
     .words = ""},
    {.bit = CLI_CHECK,
     .name = "check",
     .help = "check configurations of a study; what sweep and tune run before any job",
     .about = "Reads JSON Lines from standard input and answers each by a line:\n"
              "    {\"axes\": {\"scale\": \"8\", \"algorithm\": \"dc\"}}\n"
              "by the words of the job's command line, or by why it is not legal.",
     .words = " -"},
    {.bit = CLI_COMPLETION,
     .name = "completion",
     .help = "print the script that completes words in bash or zsh",
     .about = "    bash: source <(scree completion bash)\n    zsh:  source <(scree completion zsh)",
     .words = " bash|zsh"},
    {.bit = CLI_MAN,
     .name = "man",
     .help = "print the manual page of a subcommand, the options or the counters",
     .about = "    scree man sssp | man -l -\n    scree man options | man -l -\n    scree man counters | man -l -",
     .words = " SUBCOMMAND|options|counters"},
};

const scree_kernel *cli_kernel_at(size_t i) {
  size_t count = 0;
  for (const scree_kernel *k; (k = scree_kernel_at(count)); count++)
    if (count == i) return k;
  return scree__irregular_at(i - count);
}

static int bit_of(const scree_kernel *k) {
  if (k->graphless) return CLI_GRAPHLESS;
  if (k->source) return CLI_FROM_SOURCE;
  return strcmp(k->options_name, "scree_bc_options") == 0 ? CLI_WHOLE_GRAPH | CLI_SOURCE_SET : CLI_WHOLE_GRAPH;
}

/* Returns the subcommands of all kernels, made by the first call and kept. Ends the program if there is no memory. */
static const cli_subcommand *of_kernels(size_t *count) {
  static cli_subcommand *made;
  static size_t kernels;
  *count = kernels;
  if (made) return made;
  while (cli_kernel_at(kernels)) kernels++;
  made = calloc(kernels + 1, sizeof *made);
  if (!made) {
    fprintf(stderr, "scree: no memory for a list of %zu subcommands; free memory on this host\n", kernels);
    exit(2);
  }
  for (size_t i = 0; i < kernels; i++) {
    const scree_kernel *k = cli_kernel_at(i);
    made[i] = (cli_subcommand){.bit = bit_of(k),
                               .name = k->name,
                               .help = k->help,
                               .operands = !k->graphless,
                               .reads = k->graphless ? NULL : GRAPH_IS_READ,
                               .kernel = k};
  }
  *count = kernels;
  return made;
}

const cli_subcommand *cli_subcommand_at(size_t i) {
  size_t count;
  const cli_subcommand *kernels = of_kernels(&count);
  if (i < count) return &kernels[i];
  return i - count < sizeof others / sizeof others[0] ? &others[i - count] : NULL;
}

size_t cli_option_names(const cli_subcommand *command, const char **names) {
  size_t count = 0;
  for (size_t i = 0; cli_option_at(i); i++)
    if (cli_option_at(i)->of & command->bit) names[count++] = cli_option_at(i)->row.name;
  for (size_t i = 0; cli_kernel_option_at(command->kernel, i) && i < CLI_KERNEL; i++)
    names[count++] = cli_kernel_option_at(command->kernel, i)->row.name;
  return count;
}
