/* options.c - the table of the command line's own options, and what it does with their values beside storing them. */
#include <scree/local.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"
#include "base/option_value.h"
#include "base/real.h"

/* ---- texts of the kind FORM ---- */

/* The number `max` or less that all of the text is. */
static bool is_whole(const char *text, uint64_t max, uint64_t *value) {
  uint64_t n;
  if (!scree__digits(&text, max, &n) || *text) return false;
  return *value = n, true;
}

static bool read_source(void *fields, const char *text) {
  cli_args *args = fields;
  args->source.random = strncmp(text, "random:", 7) == 0;
  return args->source.random ? is_whole(text + 7, UINT64_MAX - (1 << 20), &args->source.seed)
                             : is_whole(text, UINT64_MAX - 1, &args->source.label);
}

static bool read_ranks(void *fields, const char *text) {
  uint64_t *ranks = &((cli_args *)fields)->ranks;
  if (strcmp(text, "auto") == 0) return *ranks = 0, true;
  return is_whole(text, SCREE_LOCAL_RANKS_MAX, ranks) && *ranks > 0;
}

static bool read_trace(void *fields, const char *text) {
  ((cli_args *)fields)->trace = text;
  return *text && strcmp(text, "-") != 0;
}

static bool read_budget(void *fields, const char *text) {
  double seconds;
  if (!scree__seconds_parse(text, &seconds) || !(seconds >= 1 && seconds <= 86400)) return false;
  return ((cli_args *)fields)->study.budget = seconds, true;
}

/* A variant of bfs, of sssp, or of both. */
static bool read_graph500_algorithm(void *fields, const char *text) {
  static const char *const kernels[] = {"bfs", "sssp"};
  ((cli_args *)fields)->graph500.algorithm = text;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find(kernels[k]), i); i++)
      if (strcmp(scree_kernel_variant_at(scree_kernel_find(kernels[k]), i)->name, text) == 0) return true;
  return false;
}

/* ---- what follows from a value ---- */

static bool note_distribution(cli_args *args, const char *text) {
  (void)text;
  return args->numbering.distribution_given = true;
}

static bool note_relabel(cli_args *args, const char *text) {
  (void)text;
  args->graph_options.relabel =
      args->numbering.relabel == CLI_RELABEL_DEGREE ? SCREE_RELABEL_DEGREE : SCREE_RELABEL_NONE;
  return true;
}

/* ---- of sweep, report and tune ---- */

/* A word for the Python package: --NAME=TEXT, or --NAME of a flag. */
static bool pass_on(cli_args *args, const char *name, const char *text) {
  study_request *r = &args->study;
  if (r->word_count == STUDY_WORDS)
    return cli_fail(args, "more than %d options and axes; a sweep file holds more", STUDY_WORDS);
  if (asprintf(&r->words[r->word_count], "--%s%s%s", name, text ? "=" : "", text ? text : "") < 0)
    return cli_fail(args, "no memory for an option; free memory on this host");
  return r->word_count++, true;
}

static bool pass(cli_args *args, const char *text) {
  return pass_on(args, args->at.row->name, text);
}

bool cli_add_axis(cli_args *args, const char *axis) {
  if (!strchr(axis, '=') || axis[0] == '=')
    return cli_fail(args,
                    "option 'axis': '%s' is not legal; legal: NAME=V1,V2,..., as in coalesce-bytes=1K,4K; name it, "
                    "and give its values",
                    axis);
  return pass_on(args, "axis", axis);
}

/* An axis, or a statement of the plan such as repeat. */
static bool pass_statement(cli_args *args, const char *values) {
  char name[32];
  snprintf(name, sizeof name, "axis=%s", args->at.row->name);
  return pass_on(args, name, values);
}

static bool pass_budget(cli_args *args, const char *text) {
  char seconds[32];
  scree__real_print_shortest(seconds, sizeof seconds, args->study.budget);
  return (void)text, pass_on(args, "budget", seconds);
}

/* ---- the table ---- */

enum { MANY = 100000 }; /* runs */
#define READS     .access = CLI_READS
#define WRITES    .access = CLI_WRITES
#define AT(field) .offset = offsetof(cli_args, field), .bytes = sizeof(((cli_args *)0)->field)
/* Kinds of rows, each with what follows the name: */
#define FLAG(name, field, help)            .row = {SCREE__ROW(name, FLAG, "", help), AT(field)}
#define TEXT(name, value, field, help)     .row = {SCREE__ROW(name, NAME, value, help), AT(field)}
#define WHOLE(name, field, from, to, help) .row = {SCREE__ROW(name, COUNT, "", help), .min = from, .max = to, AT(field)}
#define FORM(name, value, does, help)      .row = {SCREE__ROW(name, FORM, value, help), .read = does}
#define CALL(name, value, does, help)      .row = {SCREE__ROW(name, NAME, value, help)}, .set = does
#define PASS(name, value, help)            CALL(name, value, pass, help)
#define PASS_FLAG(name, help)              .row = {SCREE__ROW(name, FLAG, "", help)}, .set = pass
#define GRAPH(graph_)                      .graph = graph_
#define GRAPH_AS(own, graph_, text)        .row = {.name = own, .help = text}, .graph = graph_

static cli_option table[] = {
    {CALL("options", "FILE", cli_read_options_file,
          "read options from a file, one NAME = VALUE per line; later options override them"),
     .of = CLI_JOBS, READS},
    {FORM("ranks", "N|auto", read_ranks,
          "processes that the command starts, 1 to 1024; auto: one for each core and thread of a rank, one alone for a "
          "graph of less than 1 MiB or 2^16 edges, as many as an image has parts (default: "
          "SCREE_RANKS, or auto)"),
     .of = CLI_JOBS},
    {CALL("axis", "NAME=VALUES", cli_add_axis,
          "an axis, V1,V2,... or a range such as 64..64K*4; NAME is kernel, graph or scale, ranks, nodes, "
          "ranks-per-node, mpi, bind, program, env.VARIABLE, or an option of the kernel, which 'scree KERNEL --help "
          "all' lists; every option not listed here is an axis too: --NAME VALUES"),
     .of = CLI_LAUNCHERS},
    {CALL("repeat", "N", pass_statement, "runs of each configuration (default 5)"), .of = CLI_SWEEP},
    {CALL("timeout", "TIME", pass_statement, "time limit of a run (default 300s)"), .of = CLI_LAUNCHERS},
    {CALL("launcher", "VALUES", pass_statement,
          "an axis: local, the job starts its ranks itself; mpirun, or mpiexec, of the MPI; a command that starts "
          "them, as \"srun -n {ranks}\" or \"srun -N {nodes} --ntasks-per-node {ppn}\" (default: local, or mpirun if "
          "the plan requires MPI)"),
     .of = CLI_LAUNCHERS},
    {PASS("results", "FILE",
          "file for the records, one line of JSON per run; default for sweep: name of FILE or PRESET, or sweep, with "
          "suffix .jsonl; for tune: none"),
     .of = CLI_LAUNCHERS, WRITES},
    {PASS_FLAG("resume", "continue an interrupted sweep in its results file, or add more repetitions, values or axes "
                         "to a finished one"),
     .of = CLI_SWEEP},
    {PASS_FLAG("mix", "as --resume, but runs of another build, MPI, machine or environment are added and kept apart by "
                      "an axis, identity"),
     .of = CLI_SWEEP},
    {PASS_FLAG("retry-failed", "as --resume, but runs without a result are run again, and their records replaced"),
     .of = CLI_SWEEP},
    {PASS("from-record", "FILE", "repeat the plan of a results file, in a file of its own"), .of = CLI_SWEEP, READS},
    {PASS("precision", "SHARE",
          "end after the round from which the interval of every configuration is within this share of its median, as "
          "5%; never more than --repeat runs"),
     .of = CLI_SWEEP},
    {PASS_FLAG("dry-run", "print the plan and its estimated time, and run no job"), .of = CLI_SWEEP},
    {PASS("html", "FILE", "write a self-contained page with figures and tables; - is standard output"),
     .of = CLI_REPORT, WRITES},
    {PASS("plots", "DIR", "write figures into a directory, as SVG, PNG and PDF"), .of = CLI_REPORT, WRITES},
    {PASS("csv", "FILE", "write one line per run; - is standard output"), .of = CLI_REPORT, WRITES},
    {PASS("latex", "FILE", "write the table for LaTeX (with booktabs); - is standard output"), .of = CLI_REPORT,
     WRITES},
    {PASS("markdown", "FILE", "write the table for Markdown; - is standard output"), .of = CLI_REPORT, WRITES},
    {PASS("json", "FILE", "write the conclusions and the verdict on the machine as JSON; - is standard output"),
     .of = CLI_REPORT, WRITES},
    {PASS_FLAG("force", "print the conclusions of an unusable machine too"), .of = CLI_REPORT},
    {PASS_FLAG("all-runs", "with --csv: also warm-ups and control runs; the column role says which is which"),
     .of = CLI_REPORT},
    {PASS("where", "AXIS=VALUES", "only the runs with one of the values V1,V2,... of an axis; may be repeated"),
     .of = CLI_REPORT},
    {PASS("metric", "FIELD",
          "also a number of the records: of work, a path such as peak_memory_bytes.max, or a quotient such as "
          "bytes/messages; may be repeated"),
     .of = CLI_REPORT},
    {PASS("x", "AXIS", "the axis along which figures are drawn (default: one figure for each)"), .of = CLI_REPORT},
    {PASS("colour", "AXIS", "the axis that gives the colours of figures"), .of = CLI_REPORT},
    {PASS("panel", "AXES", "the axes that give the panels of figures"), .of = CLI_REPORT},
    {PASS("size", "WxH", "width and height of figures in inches"), .of = CLI_REPORT},
    {PASS("reference", "FILE",
          "print what is slower than in these results by more than the tolerance; then the code is 1"),
     .of = CLI_REPORT, READS},
    {PASS("tolerance", "SHARE", "of --reference, as 5% or 0.05 (default 5%)"), .of = CLI_REPORT},
    {FORM("budget", "TIME", read_budget, "total time from 1s to 24h, such as 90s or 1.5m (default 2m)"),
     .set = pass_budget, .of = CLI_TUNE},
    {PASS("write", "FILE", "file for the settings that were found; --options FILE reads it (default tuned.options)"),
     .of = CLI_TUNE, WRITES},
    {CALL("algorithm", "NAME", cli_set_algorithm, "one of the algorithms above (default: the first)"), .of = CLI_RUNS},
    {FORM("source", "V", read_source,
          "id of the source, or random:SEED (default random:1); a random source has an arc"),
     .of = CLI_FROM_SOURCE},
    {WHOLE("sources", source.count, 1, MANY,
           "solve N sources (default 1); different ones, drawn with SEED, SEED + 1, ..."),
     .of = CLI_FROM_SOURCE},
    {CALL("sources-file", "FILE", cli_read_sources,
          "solve for each source of a file, which has ids separated by blanks or lines"),
     .of = CLI_FROM_SOURCE | CLI_RARE, READS},
    {CALL("sources-file", "FILE", cli_read_source_set,
          "start from the vertices of a file, which has ids separated by blanks or lines"),
     .of = CLI_SOURCE_SET | CLI_RARE, READS},
    {WHOLE("source", source.label, 0, UINT64_MAX - 1, "where the path begins: an id of the file"), .of = CLI_PATH},
    {WHOLE("target", source.target, 0, UINT64_MAX - 1, "where the path ends: an id of the file"), .of = CLI_PATH},
    {FLAG("validate", runs.validate, "validate each result; the rules are those of the Graph500 specification"),
     .of = CLI_FROM_SOURCE},
    {FLAG("validate", runs.validate, "validate the result; docs/algorithms.md has the rules"), .of = CLI_REPEATED},
    {WHOLE("repeat", runs.repeat, 1, MANY, "run each source N times (default 1)"), .of = CLI_FROM_SOURCE},
    {WHOLE("repeat", runs.repeat, 1, MANY, "run N times (default 1)"), .of = CLI_REPEATED},
    {WHOLE("warmup", runs.warmup, 0, MANY, "run the first source N times, untimed, before the timed runs (default 0)"),
     .of = CLI_FROM_SOURCE | CLI_RARE},
    {WHOLE("warmup", runs.warmup, 0, MANY, "run N times, untimed, before the timed runs (default 0)"),
     .of = CLI_REPEATED | CLI_RARE},
    {TEXT("output", "FILE", answer.file,
          "write the result; one line per vertex in ascending order of ids, columns separated by tabs, in .csv by "
          "commas; packed if the name ends in .gz or .zst"),
     .of = CLI_SOLVERS, WRITES},
    {FLAG("output-header", answer.header, "the first line of --output has the names of the columns"),
     .of = CLI_SOLVERS | CLI_RARE},
    {TEXT("output-columns", "NAMES", answer.columns,
          "columns of --output after the id: of sssp distance, parent (default distance); of bfs level, parent "
          "(default both); of cc component; of pagerank rank; of bc betweenness; of kcore coreness; of mis member; of "
          "colour colour; of tc triangles, clustering (default both)"),
     .of = CLI_SOLVERS | CLI_RARE},
    {TEXT("output", "FILE", answer.file, "write the path to a file (default: standard output)"), .of = CLI_PATH,
     WRITES},
    {TEXT("json", "FILE", json,
          "write times, rates and counters as JSON; with configuration and graph; - is standard output"),
     .of = CLI_RUNS, WRITES},
    {TEXT("json", "FILE", json, "write the values as JSON; - is standard output"),
     .of = CLI_INFO | CLI_LIMITS | CLI_GRAPH500 | CLI_BENCH, WRITES},
    {FORM("trace", "FILE", read_trace,
          "write a timeline for ui.perfetto.dev, but not to -; of epochs, handler calls and waits"),
     .of = CLI_JOBS & ~CLI_BENCH, WRITES},
    {FLAG("quiet", study.quiet, "print neither tables nor progress; errors, and what - names, are still printed"),
     .of = CLI_RUNS | CLI_WRITERS | CLI_SWEEP | CLI_REPORT | CLI_TUNE | CLI_BENCH},
    {WHOLE("scale", graph500.scale, 1, 40, "2^N vertices (default 16)"), .of = CLI_GRAPH500},
    {WHOLE("edgefactor", graph500.edge_factor, 1, 1 << 20, "edges per vertex (default 16)"), .of = CLI_GRAPH500},
    {WHOLE("sources", source.count, 1, MANY, "number of searches per kernel, each from its own source (default 64)"),
     .of = CLI_GRAPH500},
    {FORM("algorithm", "NAME", read_graph500_algorithm,
          "algorithm of the kernels that have it, bfs or sssp or both (default: their default)"),
     .of = CLI_GRAPH500},
    {FLAG("skip-validation", graph500.skip_validation,
          "do not validate the results; the output is marked as not official"),
     .of = CLI_GRAPH500},
    {WHOLE("seed", source.seed, 0, UINT64_MAX - 1, "seed of edges, weights and sources (default 1)"),
     .of = CLI_GRAPH500},
    {.row = {SCREE__ROW("bytes", SIZE, "",
                        "items of this size alone; of latency 8, 64, 256, 1K ... 32K; of bandwidth 1K ... 1M; of rate "
                        "8 to 64, 256"),
             .min = 1, .max = 1 << 20, AT(bench.bytes)},
     .of = CLI_BENCH},
    {.row = {SCREE__ROW("format", CHOICE, "table|osu",
                        "print a table, or rows as OSU's micro-benchmarks do (default table)"),
             .max = 1, AT(bench.osu)},
     .of = CLI_BENCH},
    {WHOLE("rounds", bench.rounds, 1, 999, "rounds of each measurement, whose median counts (default 7)"),
     .of = CLI_BENCH},
    {FLAG("full", bench.full, "all rows; not only the usual ones"), .of = CLI_BENCH},
    {FLAG("structure", info.structure, "print degeneracy and triangles too, of an undirected graph"), .of = CLI_INFO},
    {FLAG("plan", info.plan, "estimate the memory without loading the graph"), .of = CLI_INFO},
    {GRAPH("format"), .of = CLI_READERS},
    {.row = {.help = "format of FILE (default: by suffix)", AT(write_options.format)},
     .graph = "format",
     .of = CLI_WRITERS},
    {GRAPH("weights-file"), .of = CLI_READERS | CLI_RARE, READS},
    {TEXT("weights-file", "FILE", write_options.weights_file, "weights file to write if FILE holds binary edge tuples"),
     .of = CLI_WRITERS | CLI_RARE, WRITES},
    {GRAPH_AS("from", "format", "format of GRAPH, if name and content do not determine it"), .of = CLI_CONVERT},
    {GRAPH_AS("from-weights", "weights-file", "weights file of GRAPH, if it holds binary edge tuples"),
     .of = CLI_CONVERT | CLI_RARE, READS},
    {GRAPH("scale"), .of = CLI_READERS | CLI_CONVERT | CLI_RARE},
    {GRAPH("directed"), .of = CLI_LISTS},
    {GRAPH("undirected"), .of = CLI_LISTS},
    {GRAPH("columns"), .of = CLI_LISTS | CLI_RARE},
    {TEXT("map", "FILE", map, "write a line for each vertex: its id in GRAPH, a tab, its id in FILE"),
     .of = CLI_CONVERT, WRITES},
    {GRAPH("map"), .of = CLI_READERS | CLI_RARE, READS},
    {GRAPH("base"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("vertices"), .of = CLI_LISTS | CLI_RARE, READS},
    {GRAPH("skip-lines"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("header"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("first-line"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("separator"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("comment"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("dedup"), .of = CLI_GRAPHS | CLI_RARE},
    {GRAPH("drop-self-loops"), .of = CLI_GRAPHS | CLI_RARE},
    {GRAPH("trust"), .of = CLI_LISTS | CLI_RARE},
    {GRAPH("random-weights"), .of = CLI_GRAPHS},
    {GRAPH("unit-weights"), .of = CLI_GRAPHS | CLI_RARE},
    {GRAPH("no-weights"), .of = CLI_GRAPHS | CLI_RARE},
    {GRAPH("distribution"), .set = note_distribution, .of = CLI_GRAPHS | CLI_GRAPH500 | CLI_RARE},
    {.row = {SCREE__ROW("relabel", CHOICE, "auto|none|degree",
                        "numbering of vertices: none: by ascending ids; auto: by degree, and cyclic, for runs that "
                        "gain from it (default auto)"),
             .max = CLI_RELABEL_DEGREE, AT(numbering.relabel)},
     .set = note_relabel,
     .of = CLI_GRAPHS | CLI_RARE},
};

_Static_assert(sizeof table / sizeof table[0] <= CLI_OWN, "an origin for each option");

static const scree_option *graph_option(const char *name) {
  size_t i = 0;
  while (!scree__option_is(scree_graph_option_at(i), name, strlen(name))) i++;
  return scree_graph_option_at(i);
}

/* Fills the rows of options of graphs from the table of these. */
static void take_graph_options(void) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (!table[i].graph) continue;
    const scree_option own = table[i].row;
    scree_option *row = &table[i].row;
    *row = *graph_option(table[i].graph);
    if (own.name) row->name = own.name;
    if (own.help) row->help = own.help;
    if (own.offset) row->offset = own.offset;
    if (!own.offset) table[i].fields = offsetof(cli_args, graph_options);
  }
}

const cli_option *cli_option_at(size_t i) {
  static bool taken;
  if (!taken) take_graph_options();
  taken = true;
  return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}

const char *cli_placeholder(const cli_option *option) {
  return option->row.kind == SCREE_KIND_CHOICE ? option->row.choices : scree__option_placeholder(&option->row);
}

bool cli_set_ranks(cli_args *args, const char *text, const char *origin) {
  size_t i = 0;
  while (!scree__option_is(&cli_option_at(i)->row, "ranks", strlen("ranks"))) i++;
  return scree__option_parse(&table[i].row, args, text, origin, args->why, sizeof args->why) == 0;
}
