/* args.c - reading the command line.
 *
 * Room: words to options; what each option's value means is in options.c, graph.h and scree/options.h. */
#include "args/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "commands/convert.h"
#include "commands/eager.h"
#include "commands/graph500.h"
#include "commands/info.h"
#include "commands/run.h"

static __attribute__((format(printf, 2, 3))) bool fail(cli_args *args, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(args->why, sizeof args->why, format, list);
  va_end(list);
  return false;
}

/* One option, whose name was found in a table or not; `value` is NULL if none stood there. */
static bool set_own(cli_args *args, const cli_option *option, const char *value) {
  if (option->value && !value)
    return fail(args, "option '--%s' needs a value: --%s %s", option->name, option->name, option->value);
  if (!option->value && value)
    return fail(args, "option '--%s' takes no value, but '%s' was given", option->name, value);
  args->own_at[option - cli_option_at(0)] = args->reading;
  if (option->set) return option->set(args, value);
  char why[sizeof args->why - 4];
  if (scree_graph_options_set(&args->graph_options, option->name, value, why, sizeof why) == 0) return true;
  return fail(args, "%s", why);
}

static size_t world_index(const scree_option *option) {
  size_t i = 0;
  while (scree_option_at(i) != option) i++;
  return i;
}

static bool set_world(cli_args *args, const scree_option *option, const char *value) {
  char why[sizeof args->why - 4];
  if (!value)
    return fail(args, "option '--%s' needs a value; 'scree %s --help' describes it", option->name, args->command->name);
  args->world_at[world_index(option)] = args->reading;
  if (scree_options_set(&args->options, option->name, value, why, sizeof why) == 0) return true;
  return fail(args, "%s", why);
}

static const cli_option *find_own(const cli_args *args, const char *name, size_t n) {
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (strlen(o->name) == n && strncmp(o->name, name, n) == 0 && (o->of & args->command->bit)) return o;
  }
  return NULL;
}

static const scree_option *find_world(const char *name, size_t n) {
  for (size_t i = 0; i < scree_option_count(); i++) {
    const scree_option *o = scree_option_at(i);
    if (strlen(o->name) == n && strncmp(o->name, name, n) == 0) return o;
  }
  return NULL;
}

/* The option of the subcommand that may have been meant. */
static const char *nearest(const cli_args *args, const char *name) {
  const char *best = "help";
  size_t min = scree__edit_distance(name, best);
  for (size_t i = 0; cli_option_at(i) || i < scree_option_count(); i++) {
    const cli_option *own = i < CLI_OWN ? cli_option_at(i) : NULL;
    const char *names[] = {own && (own->of & args->command->bit) ? own->name : best,
                           i < scree_option_count() && !args->command->plain ? scree_option_at(i)->name : best};
    for (int k = 0; k < 2; k++)
      if (scree__edit_distance(name, names[k]) < min) best = names[k], min = scree__edit_distance(name, best);
  }
  return best;
}

static bool fail_unknown_option(cli_args *args, const char *dashes, const char *name) {
  const char *command = args->command->name;
  return fail(args, "option '%s%s' is unknown to %s; the nearest is '%s%s'; 'scree %s --help' lists all options",
              dashes, name, command, dashes, nearest(args, name), command);
}

/* An option that sweep and tune do not know: an axis. */
static bool add_axis(cli_args *args, const char *name, size_t n, const char *value) {
  char *axis = NULL;
  if (!value)
    return fail(args,
                "option '--%.*s' needs values: --%.*s V1,V2,...; 'scree %s --help' lists the options without values",
                (int)n, name, (int)n, name, args->command->name);
  if (asprintf(&axis, "%.*s=%s", (int)n, name, value) < 0) return fail(args, "no memory for an axis");
  return cli_add_axis(args, axis);
}

/* Reads argv[*at], which begins with "--", and the value behind it. */
static bool read_option(int argc, char **argv, int *at, cli_args *args) {
  const char *name = argv[*at] + 2;
  size_t n = strcspn(name, "=");
  const char *value = name[n] ? name + n + 1 : NULL;
  bool axes = (args->command->bit & CLI_LAUNCHERS) != 0;
  const cli_option *own = find_own(args, name, n);
  const scree_option *world = own || args->command->plain ? NULL : find_world(name, n);
  if (!own && !world && !axes) {
    char only[64];
    snprintf(only, sizeof only, "%.*s", (int)n, name);
    return fail_unknown_option(args, "--", only);
  }
  if (!value && (!own || own->value) && *at + 1 < argc) value = argv[++*at];
  return own ? set_own(args, own, value) : world ? set_world(args, world, value) : add_axis(args, name, n, value);
}

/* Was it set in the file that is being read? */
static bool is_twice(cli_args *args, const cli_origin *at, const char *name) {
  if (!at->file || at->file != args->reading.file) return false;
  fail(args, "option '%s' is already given in line %zu; remove one of the two", name, at->line);
  return true;
}

bool cli_set_from_file(cli_args *args, const char *name, const char *value) {
  const cli_option *own = find_own(args, name, strlen(name));
  const scree_option *world = own ? NULL : find_world(name, strlen(name));
  if (!own && !world) return fail_unknown_option(args, "", name);
  if (own && own->set == cli_read_options_file)
    return fail(args, "option '%s': an options file cannot include another; give both on the command line", name);
  if (is_twice(args, own ? &args->own_at[own - cli_option_at(0)] : &args->world_at[world_index(world)], name))
    return false;
  if (!own) return set_world(args, world, value);
  if (own->value) return set_own(args, own, value);
  if (strcmp(value, "off") == 0) return true; /* as a flag that is not given */
  return strcmp(value, "on") == 0 ? set_own(args, own, NULL)
                                  : fail(args, "option '%s': '%s' is not legal; legal: on, off", name, value);
}

/* Is the option, if given, one for the algorithm? `algorithms`: their names, as a person reads them. */
static bool check_for(cli_args *args, bool given, const char *option, const char *algorithms) {
  const char *at = strstr(algorithms, args->how.algorithm);
  size_t n = strlen(args->how.algorithm);
  for (; given && at; at = strstr(at + n, args->how.algorithm)) /* as a whole word */
    if ((at == algorithms || at[-1] == ' ') && (at[n] == 0 || at[n] == ',' || at[n] == ' ')) return true;
  if (!given) return true;
  fail(args, "option '--%s' is for --algorithm %s, and the algorithm is %s", option, algorithms, args->how.algorithm);
  return cli_blame(args, &args->own_at[find_own(args, option, strlen(option)) - cli_option_at(0)]);
}

static bool check_variant(cli_args *args) {
  const kernel_options *how = &args->how;
  return check_for(args, how->delta > 0, "delta", "delta, delta-sort or opt") &&
         check_for(args, how->queue != NULL, "queue", "dc") && check_for(args, how->frequency > 0, "frequency", "dc") &&
         check_for(args, how->k > 0, "k", "kla") && check_for(args, how->alpha > 0, "alpha", "direction") &&
         check_for(args, how->beta > 0, "beta", "direction") &&
         (args->command->bit != CLI_BFS || check_for(args, how->no_pruning, "no-pruning", "level or dc"));
}

/* What no option can tell alone, of the subcommands that run a kernel. */
static bool check_runs(cli_args *args) {
  if (args->sources > 1 && !args->random)
    return fail(args, "option '--sources': %llu sources are drawn, but --source names one; use --source random:SEED",
                (unsigned long long)args->sources);
  if (args->sources > 1 && args->output)
    return fail(args, "option '--output': only one result can be written, but --sources is %llu; use one source",
                (unsigned long long)args->sources);
  if (args->output && args->json && strcmp(args->output, "-") == 0 && strcmp(args->json, "-") == 0)
    return fail(args, "options '--output' and '--json' both use standard output; give one of them a file");
  if (!check_variant(args)) return false;
  return true;
}

static bool check_together(cli_args *args) {
  const cli_subcommand *c = args->command;
  if (c->operands >= 1 && !args->graph)
    return fail(
        args,
        "no graph given: scree %s GRAPH, where GRAPH is a file or a generator such as kron:SCALE; --help lists them",
        c->name);
  if (c->operands >= 2 && !args->target) return fail(args, "no file to write given: scree %s GRAPH FILE", c->name);
  if (c->check && !c->check(args)) return false;
  if (c->plain) return true;
  return scree_options_resolve(&args->options, args->from, args->why, sizeof args->why) == 0;
}

static bool take_operand(cli_args *args, const char *word) {
  study_request *study = &args->study;
  if (args->command->words) {
    if (study->operand_count == STUDY_WORDS) return fail(args, "more than %d files: '%s'", STUDY_WORDS, word);
    return study->operands[study->operand_count++] = word, true;
  }
  if (!args->graph && args->command->operands >= 1) return args->graph = word, true;
  if (!args->target && args->command->operands >= 2) return args->target = word, true;
  if (args->command->operands == 1)
    return fail(args, "only one graph is accepted: '%s' follows '%s'", word, args->graph);
  return fail(args, "unexpected argument '%s'; 'scree %s --help' lists what is expected", word, args->command->name);
}

static cli_action read_words(int argc, char **argv, cli_args *args) {
  for (int i = 2; i < argc; i++) {
    bool ok = true;
    if (strcmp(argv[i], "--help") == 0) return CLI_HELP;
    if (strncmp(argv[i], "--", 2) == 0 && argv[i][2])
      ok = read_option(argc, argv, &i, args);
    else if (argv[i][0] == '-')
      ok = fail(args, "unknown option '%s'; options begin with two dashes", argv[i]);
    else
      ok = take_operand(args, argv[i]);
    if (!ok) return CLI_BAD;
  }
  return check_together(args) ? CLI_RUN : CLI_BAD;
}

/* ---- subcommands ---- */

static const cli_subcommand subcommands[] = {
    {CLI_SSSP, "sssp", "single-source shortest paths", 1, &kernel_sssp, check_runs, cli_run, NULL, NULL},
    {CLI_BFS, "bfs", "breadth-first search", 1, &kernel_bfs, check_runs, cli_run, NULL, NULL},
    {CLI_CC, "cc", "connected components", 1, &kernel_cc, check_runs, cli_run, NULL, NULL},
    {CLI_PAGERANK, "pagerank", "PageRank", 1, &kernel_pagerank, check_runs, cli_run, NULL, NULL},
    {CLI_GENERATE, "generate", "generate a graph and write it to a file", 2, NULL, cli_check_generate, cli_convert,
     NULL, NULL},
    {CLI_CONVERT, "convert", "convert a graph to another file format", 2, NULL, NULL, cli_convert, NULL, NULL},
    {CLI_INFO, "info", "print properties of a graph; with --plan estimate its memory", 1, NULL, NULL, cli_info, NULL,
     NULL},
    {CLI_GRAPH500, "graph500", "the Graph500 benchmark: generate, construct, search, validate", 0, NULL, NULL,
     cli_graph500, NULL, NULL},
    {CLI_LIMITS, "limits", "find the largest message that MPI sends eagerly between two ranks", 0, NULL, NULL,
     cli_limits, NULL, NULL},
    {CLI_SWEEP, "sweep", "run the configurations of a plan repeatedly and interleaved, and record each run", 0, NULL,
     NULL, NULL, study_sweep, " [FILE|PRESET]"},
    {CLI_REPORT, "report", "analyse results of sweeps: tables, conclusions, plots, a page", 0, NULL, NULL, NULL,
     study_report, " RESULTS..."},
    {CLI_TUNE, "tune", "find good settings for one job within a time budget", 0, NULL, NULL, NULL, study_tune, ""},
};

const cli_subcommand *cli_subcommand_at(size_t i) {
  return i < sizeof subcommands / sizeof subcommands[0] ? &subcommands[i] : NULL;
}

/* Names the known ones. */
static void fail_unknown(cli_args *args, const char *command) {
  char known[256] = "";
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    size_t n = strlen(known);
    snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", cli_subcommand_at(i)->name);
  }
  const char *help = "'scree --help' describes them";
  if (*command)
    fail(args, "unknown subcommand '%s'; known are: %s; %s", command, known, help);
  else
    fail(args, "no subcommand given; known are: %s; %s", known, help);
}

cli_action cli_parse(int argc, char **argv, cli_args *args) {
  *args =
      (cli_args){.random = true, .seed = 1, .sources = 1, .repeat = 1, .options = (scree_options)SCREE_OPTIONS_INIT};
  const char *command = argc > 1 ? argv[1] : "";
  if (strcmp(command, "--help") == 0 || strcmp(command, "help") == 0) return CLI_HELP;
  if (strcmp(command, "--version") == 0) return CLI_VERSION;
  for (size_t i = 0; cli_subcommand_at(i); i++)
    if (strcmp(cli_subcommand_at(i)->name, command) == 0) args->command = cli_subcommand_at(i);
  if (!args->command) {
    fail_unknown(args, command);
    return CLI_BAD;
  }
  args->kernel = args->command->kernel;
  args->scale = args->edge_factor = 16;
  if (args->command->bit == CLI_GRAPH500) args->sources = 64;
  if (args->kernel) args->how.algorithm = args->kernel->algorithm_at(0)->name;
  return read_words(argc, argv, args);
}
