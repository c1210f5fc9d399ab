/* launch.c - the command line of a configuration; the parser of the command line checks names and values of axes. */
#include "study/run/launch.h"

#include <scree/generate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "base/launched.h"
#include "base/nearest.h"
#include "base/options.h"
#include "package/allocation.h"
#include "study/run/launcher.h"
#include "study/util/fail.h"

static const char *const special[] = {"kernel",         "graph",    "scale", "ranks", "nodes",
                                      "ranks-per-node", "launcher", "mpi",   "bind"};
enum { SPECIAL = sizeof special / sizeof special[0] };

/* A command under construction. */
typedef struct {
  const study_configuration *c;
  const cli_subcommand *kernel;
  study_launch launch;
  study_words words, env;
  bool validate;
  study_why why;
} builder;

/* ---- names ---- */

static bool is_special(const char *name) {
  for (size_t i = 0; i < SPECIAL; i++)
    if (strcmp(special[i], name) == 0) return true;
  return strncmp(name, "env.", 4) == 0;
}

const char *study_axis_of_jobs(size_t i) {
  return i < SPECIAL ? special[i] : NULL;
}

bool study_is_axis(const char *option) {
  static const char *const own[] = {"json", "validate", "repeat", "output", "quiet", "skip-validation"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (strcmp(own[i], option) == 0) return false;
  return !is_special(option);
}

/* The axis with the most similar name. */
static const char *nearest(const cli_subcommand *kernel, const char *name) {
  const char *names[SPECIAL + CLI_OWN + CLI_KERNEL + CLI_WORLD], *own[CLI_OWN + CLI_KERNEL];
  size_t count = 0, own_count = cli_option_names(kernel, own);
  for (size_t i = 0; i < SPECIAL; i++) names[count++] = special[i];
  for (size_t i = 0; i < scree_option_count(); i++) names[count++] = scree_option_at(i)->name;
  for (size_t i = 0; i < own_count; i++)
    if (study_is_axis(own[i])) names[count++] = own[i];
  return scree__nearest(name, names, count);
}

static bool fail_unknown(const builder *m, const char *name) {
  const char *kernel = m->kernel->name;
  bool flag;
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const cli_subcommand *other = cli_subcommand_at(i);
    if (other->kernel && cli_has_option(other, name, &flag))
      return study_fail(m->why,
                        "axis '%s' belongs to %s, but the kernel is %s; write 'if kernel = %s' after its values", name,
                        other->name, kernel, other->name);
  }
  const char *near = nearest(m->kernel, name);
  char hint[160];
  if (!scree__option_hint(name, hint, sizeof hint) && near) snprintf(hint, sizeof hint, "the nearest is '%s'", near);
  return study_fail(m->why, "axis '%s' is unknown; %s%s'scree %s --help all' lists the options", name, hint,
                    *hint ? "; " : "", kernel);
}

/* ---- the job ---- */

/* A whole number from 1 to `max`, else 0. */
static uint64_t whole(const char *text, uint64_t max) {
  char *end;
  if (*text < '0' || *text > '9') return 0;
  unsigned long long n = strtoull(text, &end, 10);
  return *end || n > max ? 0 : n;
}

static bool find_kernel(builder *m) {
  const char *name = study_value(m->c, "kernel");
  char known[256] = "";
  for (size_t i = 0; cli_subcommand_at(i); i++) {
    const cli_subcommand *s = cli_subcommand_at(i);
    if (!s->kernel && s->bit != CLI_GRAPH500) continue;
    if (strcmp(s->name, name ? name : scree_kernel_at(0)->name) == 0) return m->kernel = s, true;
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", s->name);
  }
  return study_fail(m->why, "axis 'kernel': '%s' is unknown; known are: %s", name, known);
}

/* 0 if the axis is absent. */
static bool read_count(builder *m, const char *axis, uint64_t *count) {
  const char *text = study_value(m->c, axis);
  *count = text ? whole(text, 1 << 20) : 0;
  return !text || *count ||
         study_fail(m->why, "axis '%s': '%s' is not legal; legal: a whole number from 1 to %d", axis, text, 1 << 20);
}

/* Ranks are those of a node times the nodes; either may follow from the other two. */
static bool read_ranks(builder *m) {
  uint64_t *ranks = &m->launch.ranks, *nodes = &m->launch.nodes, *each = &m->launch.ranks_per_node;
  if (!read_count(m, "ranks", ranks) || !read_count(m, "nodes", nodes) || !read_count(m, "ranks-per-node", each))
    return false;
  if (!*nodes && !*each) return *ranks += *ranks ? 0 : 2, true;
  if (!*nodes) *nodes = *ranks ? (*ranks + *each - 1) / *each : study_allocation_find().nodes;
  if (!*each) *each = *ranks ? (*ranks + *nodes - 1) / *nodes : 1;
  if (!*ranks) *ranks = *nodes * *each;
  return (*ranks <= *nodes * *each && *ranks > (*nodes - 1) * *each) ||
         study_fail(m->why, "%llu ranks are not %llu on each of %llu nodes; give two of ranks, nodes, ranks-per-node",
                    (unsigned long long)*ranks, (unsigned long long)*each, (unsigned long long)*nodes);
}

static bool is_name(const char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return *text && (*text < '0' || *text > '9') && text[strspn(text, letters)] == 0;
}

static bool read_environment(builder *m) {
  for (size_t i = 0; i < m->c->count; i++) {
    const study_setting *s = &m->c->settings[i];
    if (strncmp(s->name, "env.", 4)) continue;
    if (!is_name(s->name + 4))
      return study_fail(m->why, "axis '%s': '%s' is not a name of a variable; legal: letters, digits and _", s->name,
                        s->name + 4);
    study_words_add(&m->env, "%s=%s", s->name + 4, s->value);
  }
  return true;
}

static bool add_graph(builder *m) {
  const char *graph = study_value(m->c, "graph"), *scale = study_value(m->c, "scale");
  if (m->kernel->kernel->graphless)
    return (!graph && !scale) ||
           study_fail(m->why, "axis '%s': %s reads no graph; leave it out", graph ? "graph" : "scale", m->kernel->name);
  char spec[64];
  if (graph && scale)
    return study_fail(m->why, "both graph '%s' and scale '%s' are given; give one of them", graph, scale);
  if (!graph && !scale) return study_fail(m->why, "name a graph: graph = FILE or a generator, or scale = S for kron:S");
  if (scale && !whole(scale, 40))
    return study_fail(m->why, "axis 'scale': '%s' is not legal; legal: a whole number from 1 to 40", scale);
  snprintf(spec, sizeof spec, "kron:%s", scale ? scale : "");
  if (!graph) graph = spec;
  study_words_add(&m->words, "%s%s", *graph == '-' ? "./" : "", graph); /* not an option, nor standard input */
  if (scree_generator_is_named(graph)) {
    scree_generated *generated = NULL;
    scree_status status = scree_generated_parse(graph, m->why.text, m->why.size, &generated);
    scree_generated_free(generated);
    return status == SCREE_OK;
  }
  return m->launch.template || access(graph, R_OK) == 0 ||
         study_fail(m->why,
                    "axis 'graph': '%s' is neither a readable file nor a generator; 'scree %s --help' "
                    "lists those",
                    graph, m->kernel->name);
}

/* Graph500 makes its own graph, and validates unless told otherwise. */
static bool add_benchmark(builder *m) {
  const char *scale = study_value(m->c, "scale");
  if (study_value(m->c, "graph"))
    return study_fail(m->why, "axis 'graph': graph500 makes its own graph; give scale = S");
  if (scale && !whole(scale, 40))
    return study_fail(m->why, "axis 'scale': '%s' is not legal; legal: a whole number from 1 to 40", scale);
  if (scale) {
    study_words_add(&m->words, "--scale");
    study_words_add(&m->words, "%s", scale);
  }
  if (!m->validate) study_words_add(&m->words, "--skip-validation");
  return true;
}

static bool add_option(builder *m, const study_setting *s) {
  bool takes_none = false;
  const bool own = cli_has_option(m->kernel, s->name, &takes_none);
  if (strcmp(s->name, "json") == 0)
    return study_fail(m->why, "axis 'json' is not legal: the sweep itself reads the JSON that a job prints");
  if (strcmp(s->name, "validate") == 0)
    return study_fail(m->why, "axis 'validate' is not legal: the sweep validates the first repetition of each "
                              "configuration by itself; leave it out");
  if (!own && !cli_is_of_world(s->name)) return fail_unknown(m, s->name);
  const bool flag = own && takes_none, on = strcmp(s->value, "on") == 0;
  if (flag && !on && strcmp(s->value, "off"))
    return study_fail(m->why, "axis '%s': '%s' is not legal; legal: on, off", s->name, s->value);
  if (flag && !on) return true;
  study_words_add(&m->words, "--%s", s->name);
  if (!flag) study_words_add(&m->words, "%s", s->value);
  return true;
}

static bool add_program(builder *m) {
  study_words_add(&m->words, "%s", m->launch.program.path);
  study_words_add(&m->words, "%s", m->kernel->name);
  const bool benchmark = m->kernel->bit == CLI_GRAPH500;
  if (!(benchmark ? add_benchmark(m) : add_graph(m))) return false;
  if (study_is_local(m->launch.template)) {
    study_words_add(&m->words, "--ranks");
    study_words_add(&m->words, "%llu", (unsigned long long)m->launch.ranks);
  }
  for (size_t i = 0; i < m->c->count; i++)
    if (!is_special(m->c->settings[i].name) && !add_option(m, &m->c->settings[i])) return false;
  if (!study_value(m->c, "warmup") && !benchmark) {
    study_words_add(&m->words, "--warmup");
    study_words_add(&m->words, "1");
  }
  if (m->validate && !benchmark) study_words_add(&m->words, "--validate");
  study_words_add(&m->words, "--json");
  study_words_add(&m->words, "-");
  return true;
}

/* Parses the options as the job will. */
static bool check_program(const builder *m, size_t from) {
  cli_args args;
  if (m->words.lost || m->env.lost) return study_fail(m->why, "no memory for a command line");
  if (cli_parse((int)(m->words.count - from), m->words.word + from, &args) == CLI_RUN)
    return cli_args_free(&args), true;
  cli_args_free(&args);
  return study_fail(m->why, "%s", args.why[0] ? args.why : "this requests help");
}

static bool make(builder *m) {
  if (!find_kernel(m) || !read_ranks(m) || !read_environment(m)) return false;
  if (!study_find_program(study_value(m->c, "mpi"), &m->launch.program, m->why)) return false;
  m->launch.bind = study_value(m->c, "bind");
  if (!study_add_launcher(&m->launch, &m->words, &m->env, m->why)) return false;
  const size_t program = m->words.count;
  return add_program(m) && check_program(m, program);
}

/* ---- threads ---- */

/* The value of an environment variable in the job. */
static const char *variable(const void *configuration, const char *name) {
  const study_configuration *c = configuration;
  char axis[64];
  snprintf(axis, sizeof axis, "env.%s", name);
  const char *value = study_value(c, axis);
  return value ? value : getenv(name);
}

/* True if each rank has a progress thread of MPICH, which polls continuously. */
static bool has_progress_thread(const builder *m) {
  return m->launch.program.mpich && scree__mpich_thread(variable, m->c);
}

/* ---- commands ---- */

study_command *study_command_make(const study_configuration *c, const char *launcher, bool validate, char *why,
                                  size_t size) {
  const char *own = study_value(c, "launcher");
  builder m = {
      .c = c, .launch = {.template = study_template(own ? own : launcher)}, .validate = validate, .why = {why, size}};
  study_command *command = calloc(1, sizeof *command);
  if (!command) study_fail(m.why, "no memory for a command");
  if (!command || !make(&m)) {
    study_words_free(&m.words);
    study_words_free(&m.env);
    free(command);
    return NULL;
  }
  if (!m.env.word) m.env.word = calloc(1, sizeof *m.env.word);
  *command =
      (study_command){.argv = m.words.word,
                      .env = m.env.word,
                      .ranks = m.launch.ranks,
                      .too_many = (!m.launch.template || study_is_local(m.launch.template)) &&
                                  m.launch.ranks * (has_progress_thread(&m) ? 2 : 1) > study_allocation_find().slots};
  if (command->env) return command;
  study_fail(m.why, "no memory for a command");
  study_command_free(command);
  return NULL;
}

void study_command_free(study_command *command) {
  char **const lists[] = {command ? command->argv : NULL, command ? command->env : NULL};
  for (size_t i = 0; i < 2; i++) {
    for (char **word = lists[i]; word && *word; word++) free(*word);
    free(lists[i]);
  }
  free(command);
}

/* The value of an option of the library in the job; NULL: none. */
static const char *option_of(const study_configuration *c, const char *axis, const char *name) {
  const char *value = study_value(c, axis);
  return value ? value : variable(c, name);
}

static bool asks_for_mpi(const study_configuration *c) {
  static const char *const axes[] = {"mpi", "bind", "nodes", "ranks-per-node"};
  static const char *const variables[] = {"env.OMPI_", "env.MPI", "env.PRTE_", "env.PMIX_", "env.UCX_", "env.FI_"};
  const char *transport = option_of(c, "transport", "SCREE_TRANSPORT"),
             *progress = option_of(c, "progress", "SCREE_PROGRESS");
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
    if (study_value(c, axes[i])) return true;
  for (size_t i = 0; i < c->count; i++)
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
      if (strncmp(c->settings[i].name, variables[k], strlen(variables[k])) == 0) return true;
  return (transport && strcmp(transport, "mpi") == 0) || (progress && strcmp(progress, "comm") == 0);
}

/* The same for all configurations, so that they differ in their axes alone. */
const char *study_default_launcher(const study_plan *plan) {
  bool mpi = scree__launched() || study_allocation_find().nodes > 1;
  for (size_t i = 0; i < plan->count && !mpi; i++) mpi = asks_for_mpi(&plan->configurations[i]);
  return mpi ? "mpirun" : "local";
}

int study_check(const study_plan *plan, char *why, size_t size) {
  const char *launcher = study_default_launcher(plan);
  int too_many = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const study_configuration *c = &plan->configurations[i];
    char reason[1100];
    study_command *command = study_command_make(c, launcher, false, reason, sizeof reason);
    if (!command) {
      study_fail((study_why){why, size}, "configuration '%s': %s", c->key, reason);
      return -1;
    }
    too_many += command->too_many;
    study_command_free(command);
  }
  return too_many;
}
