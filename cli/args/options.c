/* options.c - the table of the command line's own options: one row for each, and the functions that read their
 * values. */
#include <scree/local.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"

static bool bad(cli_args *args, const char *name, const char *text, const char *legal) {
  snprintf(args->why, sizeof args->why, "option '--%s': '%s' is not legal; legal: %s", name, text, legal);
  return false;
}

static bool whole(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  uint64_t n = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9' || n > (max - (uint64_t)(*text - '0')) / 10) return false;
    n = 10 * n + (uint64_t)(*text - '0');
  }
  return n >= min && n <= max ? *value = n, true : false;
}

/* ---- rows whose value is stored in a field of cli_args ---- */

static void *place(cli_args *args) {
  return (char *)args + args->row->at;
}

static bool set_flag(cli_args *args, const char *text) {
  (void)text;
  return *(bool *)place(args) = true;
}

static bool set_text(cli_args *args, const char *text) {
  *(const char **)place(args) = text;
  return *text ? true : bad(args, args->row->name, text, "a name");
}

static bool set_whole(cli_args *args, const char *text) {
  const cli_option *row = args->row;
  char legal[80];
  snprintf(legal, sizeof legal, "a whole number from %llu to %llu", (unsigned long long)row->min,
           (unsigned long long)row->max);
  return whole(text, row->min, row->max, place(args)) || bad(args, row->name, text, legal);
}

/* ---- the others ---- */

static bool set_source(cli_args *args, const char *text) {
  args->random = strncmp(text, "random:", 7) == 0;
  if (args->random ? whole(text + 7, 0, UINT64_MAX - (1 << 20), &args->seed)
                   : whole(text, 0, UINT64_MAX - 1, &args->label))
    return true;
  return bad(args, "source", text, "the id of a vertex in the file, or random:SEED with a whole number");
}

static bool set_path_source(cli_args *args, const char *text) {
  args->from_source = whole(text, 0, UINT64_MAX - 1, &args->label);
  return args->from_source || bad(args, "source", text, "the id of a vertex in the file");
}

static bool set_path_target(cli_args *args, const char *text) {
  args->to_target = whole(text, 0, UINT64_MAX - 1, &args->target_label);
  return args->to_target || bad(args, "target", text, "the id of a vertex in the file");
}

bool cli_set_ranks(cli_args *args, const char *text) {
  args->ranks_given = true;
  if (strcmp(text, "auto") == 0) return args->ranks = 0, true;
  return whole(text, 1, SCREE_LOCAL_RANKS_MAX, &args->ranks) ||
         bad(args, "ranks", text, "a whole number from 1 to 1024, or auto");
}

static bool set_trace(cli_args *args, const char *text) {
  args->trace = text;
  return *text && strcmp(text, "-") != 0 ? true : bad(args, "trace", text, "the name of a file");
}

/* A variant of bfs, of sssp, or of both. */
static bool set_graph500_algorithm(cli_args *args, const char *text) {
  static const char *const kernels[] = {"bfs", "sssp"};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find(kernels[k]), i); i++)
      if (strcmp(scree_kernel_variant_at(scree_kernel_find(kernels[k]), i)->name, text) == 0)
        return args->variant_name = text, true;
  return bad(args, "algorithm", text,
             "an algorithm of bfs or sssp; 'scree bfs --help' and 'scree sssp --help' list them");
}

/* An option of the graph layer by another name. */
static bool set_graph(cli_args *args, scree_graph_options *options, const char *name, const char *own,
                      const char *text) {
  char why[sizeof args->why - 32];
  if (scree_graph_options_set(options, name, text, why, sizeof why) == 0) return true;
  snprintf(args->why, sizeof args->why, "option '--%s': %s", own, why);
  return false;
}

static bool set_from(cli_args *args, const char *text) {
  return set_graph(args, &args->graph_options, "format", "from", text);
}

static bool set_from_weights(cli_args *args, const char *text) {
  return set_graph(args, &args->graph_options, "weights-file", "from-weights", text);
}

static bool set_distribution(cli_args *args, const char *text) {
  args->distribution_given = true;
  return scree_graph_options_set(&args->graph_options, "distribution", text, args->why, sizeof args->why) == 0;
}

static bool set_relabel(cli_args *args, const char *text) {
  char why[sizeof args->why];
  args->relabel_auto = strcmp(text, "auto") == 0;
  if (scree_graph_options_set(&args->graph_options, "relabel", args->relabel_auto ? "none" : text, why, sizeof why) ==
      0)
    return true;
  return bad(args, "relabel", text, "auto, none, degree");
}

static bool set_target_format(cli_args *args, const char *text) {
  scree_graph_options target = {0};
  bool good = set_graph(args, &target, "format", "format", text);
  args->write_options.format = target.format;
  return good;
}

/* ---- of bench ---- */

static bool set_bytes(cli_args *args, const char *text) {
  char digits[16];
  const size_t n = strcspn(text, "KM");
  snprintf(digits, sizeof digits, "%.*s", (int)n, text);
  const int shift = text[n] == 'K' ? 10 : text[n] == 'M' ? 20 : 0;
  if ((!text[n] || !text[n + 1]) && whole(digits, 1, (UINT64_C(1) << 20) >> shift, &args->bytes))
    return args->bytes <<= shift, true;
  return bad(args, "bytes", text, "a size from 1 to 1M");
}

static bool set_bench_format(cli_args *args, const char *text) {
  args->osu = strcmp(text, "osu") == 0;
  return args->osu || strcmp(text, "table") == 0 || bad(args, "format", text, "table, osu");
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
  return text && !*text ? bad(args, args->row->name, text, "a name") : pass_on(args, args->row->name, text);
}

bool cli_add_axis(cli_args *args, const char *axis) {
  if (!strchr(axis, '=') || axis[0] == '=')
    return bad(args, "axis", axis, "NAME=V1,V2,..., as in coalesce-bytes=1K,4K");
  return pass_on(args, "axis", axis);
}

/* An axis, or a statement of the plan such as repeat. */
static bool pass_statement(cli_args *args, const char *values) {
  char name[32];
  snprintf(name, sizeof name, "axis=%s", args->row->name);
  return pass_on(args, name, values);
}

static bool set_budget(cli_args *args, const char *text) {
  static const char legal[] = "a time from 1s to 24h, as 90s or 5m";
  char *unit;
  double t = strtod(text, &unit);
  if (text[0] < '0' || text[0] > '9') return bad(args, "budget", text, legal);
  t *= strcmp(unit, "m") == 0 ? 60 : strcmp(unit, "h") == 0 ? 3600 : strcmp(unit, "s") == 0 || !*unit ? 1 : -1;
  if (!(t >= 1 && t <= 86400)) return bad(args, "budget", text, legal);
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.17g", t);
  return pass_on(args, "budget", seconds);
}

#define FORMATS "dimacs|edges|matrix-market|tuples|image|sg|wsg|metis"

enum { MANY = 100000 }; /* runs */
#define READS                  .access = CLI_READS
#define WRITES                 .access = CLI_WRITES
#define FLAG(field)            .set = set_flag, .at = offsetof(cli_args, field)
#define TEXT(field)            .set = set_text, .at = offsetof(cli_args, field)
#define WHOLE(field, from, to) .set = set_whole, .at = offsetof(cli_args, field), .min = from, .max = to

static const cli_option table[] = {
    {"options", "FILE", "read options from a file, one NAME = VALUE per line; later options override them", CLI_JOBS,
     .set = cli_read_options_file, READS},
    {"ranks", "N|auto",
     "processes that the command starts on this machine; auto: one for each core and thread of a rank, one alone for a "
     "graph of less than 1 MiB or 2^16 edges, as many as an image has parts (default: SCREE_RANKS, or auto)",
     CLI_JOBS, .set = cli_set_ranks},
    {"axis", "NAME=VALUES",
     "an axis, V1,V2,... or a range such as 64..64K*4; NAME is kernel, graph or scale, ranks, nodes, ranks-per-node, "
     "mpi, bind, program, env.VARIABLE, or an option of the kernel, which 'scree KERNEL --help all' lists; every "
     "option "
     "not listed here is an axis too: --NAME VALUES",
     CLI_LAUNCHERS, .set = cli_add_axis},
    {"repeat", "N", "runs of each configuration (default 5)", CLI_SWEEP, .set = pass_statement},
    {"timeout", "TIME", "time limit of a run (default 300s)", CLI_LAUNCHERS, .set = pass_statement},
    {"launcher", "VALUES",
     "an axis: local, the job starts its ranks itself; mpirun, or mpiexec, of the MPI; a command that starts them, as "
     "\"srun -n "
     "{ranks}\" or \"srun -N {nodes} --ntasks-per-node {ppn}\" (default: local, or mpirun if the plan requires MPI)",
     CLI_LAUNCHERS, .set = pass_statement},
    {"results", "FILE",
     "file for the records, one line of JSON per run; default for sweep: name of FILE or PRESET, or sweep, with suffix "
     ".jsonl; for tune: none",
     CLI_LAUNCHERS, .set = pass, WRITES},
    {"resume", NULL,
     "continue an interrupted sweep in its results file, or add more repetitions, values or axes to a finished one",
     CLI_SWEEP, .set = pass},
    {"mix", NULL,
     "as --resume, but runs of another build, MPI, machine or environment are added and kept apart by an axis, "
     "identity",
     CLI_SWEEP, .set = pass},
    {"retry-failed", NULL, "as --resume, but runs without a result are run again, and their records replaced",
     CLI_SWEEP, .set = pass},
    {"from-record", "FILE", "repeat the plan of a results file, in a file of its own", CLI_SWEEP, .set = pass, READS},
    {"precision", "SHARE",
     "end after the round from which the interval of every configuration is within this share of its median, as 5%; "
     "never more than --repeat runs",
     CLI_SWEEP, .set = pass},
    {"dry-run", NULL, "print the plan and its estimated time, and run no job", CLI_SWEEP, .set = pass},
    {"html", "FILE", "write a self-contained page with figures and tables; - is standard output", CLI_REPORT,
     .set = pass, WRITES},
    {"plots", "DIR", "write figures into a directory, as SVG, PNG and PDF", CLI_REPORT, .set = pass, WRITES},
    {"csv", "FILE", "write one line per run; - is standard output", CLI_REPORT, .set = pass, WRITES},
    {"latex", "FILE", "write the table for LaTeX (with booktabs); - is standard output", CLI_REPORT, .set = pass,
     WRITES},
    {"markdown", "FILE", "write the table for Markdown; - is standard output", CLI_REPORT, .set = pass, WRITES},
    {"json", "FILE", "write the conclusions and the verdict on the machine as JSON; - is standard output", CLI_REPORT,
     .set = pass, WRITES},
    {"force", NULL, "print the conclusions of an unusable machine too", CLI_REPORT, .set = pass},
    {"all-runs", NULL, "with --csv: also warm-ups and control runs; the column role says which is which", CLI_REPORT,
     .set = pass},
    {"where", "AXIS=VALUES", "only the runs with one of the values V1,V2,... of an axis; may be repeated", CLI_REPORT,
     .set = pass},
    {"metric", "FIELD",
     "also a number of the records: of work, a path such as peak_memory_bytes.max, or a quotient such as "
     "bytes/messages; may be repeated",
     CLI_REPORT, .set = pass},
    {"x", "AXIS", "the axis along which figures are drawn (default: one figure for each)", CLI_REPORT, .set = pass},
    {"colour", "AXIS", "the axis that gives the colours of figures", CLI_REPORT, .set = pass},
    {"panel", "AXES", "the axes that give the panels of figures", CLI_REPORT, .set = pass},
    {"size", "WxH", "width and height of figures in inches", CLI_REPORT, .set = pass},
    {"reference", "FILE", "print what is slower than in these results by more than the tolerance; then the code is 1",
     CLI_REPORT, .set = pass, READS},
    {"tolerance", "SHARE", "of --reference, as 5% or 0.05 (default 5%)", CLI_REPORT, .set = pass},
    {"budget", "TIME", "total time, such as 90s or 5m (default 2m)", CLI_TUNE, .set = set_budget},
    {"write", "FILE", "file for the settings that were found; --options FILE reads it (default tuned.options)",
     CLI_TUNE, .set = pass, WRITES},
    {"algorithm", "NAME", "one of the algorithms above (default: the first)", CLI_RUNS, .set = cli_set_algorithm},
    {"source", "V", "id of the source, or random:SEED (default random:1); a random source has an arc", CLI_FROM_SOURCE,
     .set = set_source},
    {"sources", "N", "solve N sources (default 1); different ones, drawn with SEED, SEED + 1, ...", CLI_FROM_SOURCE,
     WHOLE(sources, 1, MANY)},
    {"sources-file", "FILE", "solve for each source of a file, which has ids separated by blanks or lines",
     CLI_FROM_SOURCE | CLI_RARE, .set = cli_read_sources, READS},
    {"sources-file", "FILE", "start from the vertices of a file, which has ids separated by blanks or lines",
     CLI_SOURCE_SET | CLI_RARE, .set = cli_read_source_set, READS},
    {"source", "V", "where the path begins: an id of the file", CLI_PATH, .set = set_path_source},
    {"target", "V", "where the path ends: an id of the file", CLI_PATH, .set = set_path_target},
    {"validate", NULL, "validate each result; the rules are those of the Graph500 specification", CLI_FROM_SOURCE,
     FLAG(validate)},
    {"validate", NULL, "validate the result; docs/algorithms.md has the rules", CLI_REPEATED, FLAG(validate)},
    {"repeat", "N", "run each source N times (default 1)", CLI_FROM_SOURCE, WHOLE(repeat, 1, MANY)},
    {"repeat", "N", "run N times (default 1)", CLI_REPEATED, WHOLE(repeat, 1, MANY)},
    {"warmup", "N", "run the first source N times, untimed, before the timed runs (default 0)",
     CLI_FROM_SOURCE | CLI_RARE, WHOLE(warmup, 0, MANY)},
    {"warmup", "N", "run N times, untimed, before the timed runs (default 0)", CLI_REPEATED | CLI_RARE,
     WHOLE(warmup, 0, MANY)},
    {"output", "FILE",
     "write the result; one line per vertex in ascending order of ids, columns separated by tabs, in .csv by commas; "
     "packed if "
     "the name ends in .gz or .zst",
     CLI_SOLVERS, TEXT(output), WRITES},
    {"output-header", NULL, "the first line of --output has the names of the columns", CLI_SOLVERS | CLI_RARE,
     FLAG(output_header)},
    {"output-columns", "NAMES",
     "columns of --output after the id: of sssp distance, parent (default distance); of bfs level, parent (default "
     "both); of cc component; of pagerank rank; of bc betweenness; of kcore coreness; of mis member; "
     "of colour colour; of tc triangles, "
     "clustering (default both)",
     CLI_SOLVERS | CLI_RARE, TEXT(columns)},
    {"output", "FILE", "write the path to a file (default: standard output)", CLI_PATH, TEXT(output), WRITES},
    {"json", "FILE", "write times, rates and counters as JSON; with configuration and graph; - is standard output",
     CLI_RUNS, TEXT(json), WRITES},
    {"json", "FILE", "write the values as JSON; - is standard output", CLI_INFO | CLI_LIMITS | CLI_GRAPH500 | CLI_BENCH,
     TEXT(json), WRITES},
    {"trace", "FILE", "write a timeline for Perfetto (ui.perfetto.dev); of epochs, handler calls and waits",
     CLI_JOBS & ~CLI_BENCH, .set = set_trace, WRITES},
    {"quiet", NULL, "print neither tables nor progress; errors, and what - names, are still printed",
     CLI_RUNS | CLI_WRITERS | CLI_SWEEP | CLI_REPORT | CLI_TUNE | CLI_BENCH, FLAG(study.quiet)},
    {"scale", "S", "2^S vertices (default 16)", CLI_GRAPH500, WHOLE(scale, 1, 40)},
    {"edgefactor", "E", "edges per vertex (default 16)", CLI_GRAPH500, WHOLE(edge_factor, 1, 1 << 20)},
    {"sources", "N", "number of searches per kernel, each from its own source (default 64)", CLI_GRAPH500,
     WHOLE(sources, 1, MANY)},
    {"algorithm", "NAME", "algorithm of the kernels that have it, bfs or sssp or both (default: their default)",
     CLI_GRAPH500, .set = set_graph500_algorithm},
    {"skip-validation", NULL, "do not validate the results; the output is marked as not official", CLI_GRAPH500,
     FLAG(skip_validation)},
    {"seed", "SEED", "seed of edges, weights and sources (default 1)", CLI_GRAPH500, WHOLE(seed, 0, UINT64_MAX - 1)},
    {"bytes", "SIZE",
     "items of this size alone; of latency 8, 64, 256, 1K ... 32K; of bandwidth 1K ... 1M; of rate 8 to 64, 256",
     CLI_BENCH, .set = set_bytes},
    {"format", "table|osu", "print a table, or rows as OSU's micro-benchmarks do (default table)", CLI_BENCH,
     .set = set_bench_format},
    {"rounds", "N", "rounds of each measurement, whose median counts (default 7)", CLI_BENCH, WHOLE(rounds, 1, 999)},
    {"full", NULL, "all rows; not only the usual ones", CLI_BENCH, FLAG(full)},
    {"structure", NULL, "print degeneracy and triangles too, of an undirected graph", CLI_INFO, FLAG(structure)},
    {"plan", NULL, "estimate the memory without loading the graph", CLI_INFO, FLAG(plan)},
    {"format", "auto|" FORMATS, "format of the graph (default auto)", .of = CLI_READERS},
    {"format", FORMATS, "format of FILE (default: by suffix)", CLI_WRITERS, .set = set_target_format},
    {"weights-file", "FILE", "file with the weights of binary edge tuples, as 4-byte floats",
     .of = CLI_READERS | CLI_RARE, READS},
    {"weights-file", "FILE", "weights file to write if FILE holds binary edge tuples", CLI_WRITERS | CLI_RARE,
     TEXT(write_options.weights_file), WRITES},
    {"from", "auto|" FORMATS, "format of GRAPH, if name and content do not determine it", CLI_CONVERT, .set = set_from},
    {"from-weights", "FILE", "weights file of GRAPH, if it holds binary edge tuples", CLI_CONVERT | CLI_RARE,
     .set = set_from_weights, READS},
    {"scale", "S", "binary edge tuples have 2^S vertices (default: up to the largest id)",
     .of = CLI_READERS | CLI_CONVERT | CLI_RARE},
    {"directed", NULL, "read an edge list as arcs; from its first to its second column", .of = CLI_LISTS},
    {"undirected", NULL, "read an edge list as undirected edges", .of = CLI_LISTS},
    {"columns", "S,D[,W]", "columns of an edge list that hold source, target and weight, from 1 (default 1,2)",
     .of = CLI_LISTS | CLI_RARE},
    {"map", "FILE", "write a line for each vertex: its id in GRAPH, a tab, its id in FILE", CLI_CONVERT, TEXT(map),
     WRITES},
    {"map", "FILE", "call vertices by their old ids; FILE is what convert --map wrote", .of = CLI_READERS | CLI_RARE,
     READS},
    {"base", "0|1", "all ids from 0 or 1 up to the largest in a list are vertices (default: those that occur)",
     .of = CLI_LISTS | CLI_RARE},
    {"vertices", "FILE", "additional vertices for an edge list: a file with one id per line",
     .of = CLI_LISTS | CLI_RARE, READS},
    {"skip-lines", "N", "skip so many lines at the start of an edge list", .of = CLI_LISTS | CLI_RARE},
    {"header", NULL, "skip the first line of an edge list; after those of --skip-lines and comments",
     .of = CLI_LISTS | CLI_RARE},
    {"first-line", "edge", "the first line of an edge list is an edge, even if it looks like counts",
     .of = CLI_LISTS | CLI_RARE},
    {"separator", "C",
     "what separates the columns of an edge list: one of , ; | : / & = ! or tab, or blanks (default: by the line: "
     "commas, tabs or "
     "blanks)",
     .of = CLI_LISTS | CLI_RARE},
    {"comment", "TEXT", "lines of an edge list that begin so are comments; as are those with # % ~ and a lone c",
     .of = CLI_LISTS | CLI_RARE},
    {"dedup", NULL, "of parallel edges keep the one of minimum weight; the number of others is printed",
     .of = CLI_GRAPHS | CLI_RARE},
    {"drop-self-loops", NULL, "drop edges from a vertex to itself; their number is printed",
     .of = CLI_GRAPHS | CLI_RARE},
    {"trust", NULL, "do not verify the checksums of an image", .of = CLI_LISTS | CLI_RARE},
    {"random-weights", "RANGE", "random weights LO..HI[,SEED] or float[,SEED]; integers, or numbers in [0,1)",
     .of = CLI_GRAPHS},
    {"unit-weights", NULL, "give every edge the weight 1", .of = CLI_GRAPHS | CLI_RARE},
    {"no-weights", NULL, "drop the weights", .of = CLI_GRAPHS | CLI_RARE},
    {"distribution", "block|cyclic|hash", "distribution of vertices over ranks (default block)",
     CLI_GRAPHS | CLI_GRAPH500 | CLI_RARE, .set = set_distribution},
    {"relabel", "auto|none|degree",
     "numbering of vertices: none: by ascending ids; auto: by degree, and cyclic, for runs that gain from it (default "
     "auto)",
     CLI_GRAPHS | CLI_RARE, .set = set_relabel},
};

_Static_assert(sizeof table / sizeof table[0] <= CLI_OWN, "an origin for each option");

const cli_option *cli_option_at(size_t i) {
  return i < sizeof table / sizeof table[0] ? &table[i] : NULL;
}
