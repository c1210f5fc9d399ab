/* space.c - the search space: the axes of the request or of the kernel, and the candidates drawn from them.
 *
 * Candidates omit settings that equal the default. Starts no job but `scree limits`, if a value uses its result. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "base/option_table.h"
#include "package/allocation.h"
#include "package/machine.h"
#include "study/run/eager.h"
#include "study/tune/tune.h"

/* The axes that are tried if the request gives none, as lines of a sweep file. */
static const char world_axes[] = "coalesce-bytes = auto, 1K..256K*4\n"
                                 "in-flight = 4, 2, 16\n"
                                 "flush-age = 1ms, 100us, 10ms\n"
                                 "batch-max = 8192, 1024\n"
                                 "spin = 256, 0, 4096\n"
                                 "distribution = block, cyclic, hash\n"
                                 "relabel = auto, degree\n";

/* Defaults of graph options, which are not in a table. */
static const study_setting defaults[] = {{"distribution", "block"}, {"relabel", "auto"}};

/* Axes that are not options of a job but say which job it is. */
static const char *const job_axes[] = {"kernel", "graph", "scale"};

/* A value from the environment counts as the default. */
static bool is_world_default(const study_setting *setting) {
  scree_options given = SCREE_OPTIONS_INIT, standard = SCREE_OPTIONS_INIT;
  char why[256];
  if (scree_options_set(&given, setting->name, setting->value, why, sizeof why)) return false;
  if (scree_options_resolve(&standard, NULL, why, sizeof why)) return false;
  for (size_t i = 0; i < scree_option_count(); i++) {
    uint64_t one, other;
    memcpy(&one, (const char *)&given + scree_option_at(i)->offset, sizeof one);
    memcpy(&other, (const char *)&standard + scree_option_at(i)->offset, sizeof other);
    if (one != SCREE_UNSET) return one == other;
  }
  return false;
}

bool tune_is_default(const char *kernel, const study_setting *setting) {
  const cli_subcommand *c = cli_kernel_subcommand(kernel);
  const scree_kernel_option *option = c ? scree_kernel_option_find(c->kernel, SIZE_MAX, setting->name) : NULL;
  char standard[64];
  bool flag = false;
  if (c && strcmp(setting->name, "algorithm") == 0)
    return strcmp(setting->value, scree_kernel_variant_at(c->kernel, 0)->name) == 0;
  for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
    if (strcmp(defaults[i].name, setting->name) == 0) return strcmp(defaults[i].value, setting->value) == 0;
  if (c && cli_has_option(c, setting->name, &flag) && flag) return strcmp(setting->value, "off") == 0;
  if (!option) return is_world_default(setting);
  scree__option_format_default(&option->row, standard, sizeof standard);
  return strcmp(setting->value, standard) == 0;
}

/* ---- the plan ---- */

/* The eager limit is measured only if a value uses it, with the launcher of the plan. */
static study_plan *make_plan(const study_request *request, const char *text, char *why, size_t size) {
  enum { EAGER = 2 };
  study_constant constants[] = {
      {"cores", study_allocation_find().slots}, {"fit", study_fit()}, [EAGER] = {"eager", 4096}};
  const study_source source = {.file = text,
                               .file_name = "the axes of tune",
                               .axes = request->axes,
                               .axis_count = request->axis_count,
                               .set = request->set,
                               .set_count = request->set_count,
                               .constants = constants,
                               .constant_count = sizeof constants / sizeof constants[0]};
  study_plan *plan = study_plan_make(&source, why, size);
  if (!plan || !(plan->constants_used >> EAGER & 1)) return plan;
  const study_configuration *c = &plan->configurations[0];
  int failed = study_eager(study_value(c, "mpi"), study_value(c, "launcher"), &constants[EAGER].value, why, size);
  study_plan_free(plan);
  return failed ? NULL : study_plan_make(&source, why, size);
}

static bool is_one_of(const char *name, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

/* A plan would accept repeat as a statement. */
static int refuse_repeat(const study_request *request, char *why, size_t size) {
  for (size_t i = 0; i < request->axis_count; i++)
    if (strncmp(request->axes[i], "repeat=", 7) == 0)
      return snprintf(why, size, "option '--repeat' is not available in tune, which chooses it itself; leave it out"),
             -1;
  return 0;
}

/* Axes with one value are fixed. The default uses the first number of ranks. */
static int fix(tune_space *s, char *why, size_t size) {
  static const char *const own[] = {"sources", "repeat", "warmup", "validate", "json", "output", "options"};
  s->fixed = calloc(s->asked->axis_count + 2, sizeof *s->fixed);
  if (!s->fixed) return snprintf(why, size, "no memory for the settings"), -1;
  for (size_t a = 0; a < s->asked->axis_count; a++) {
    const study_axis *axis = &s->asked->axes[a];
    if (is_one_of(axis->name, own, sizeof own / sizeof own[0]))
      return snprintf(why, size,
                      "option '--%s' is not available in tune, which sets it itself or needs it unset; leave it out",
                      axis->name),
             -1;
    if (axis->count > 1 && is_one_of(axis->name, job_axes, sizeof job_axes / sizeof job_axes[0]))
      return snprintf(why, size, "option '--%s': %zu values given, but tune works on one job; give one value",
                      axis->name, axis->count),
             -1;
    if (axis->count > 1 && strcmp(axis->name, "ranks") != 0) continue;
    s->fixed[s->fixed_count++] = (study_setting){axis->name, axis->values[0]};
    if (strcmp(axis->name, "kernel") == 0) s->kernel = axis->values[0];
    if (strcmp(axis->name, "source") == 0 && strncmp(axis->values[0], "random:", 7) != 0) s->resource = "repeat";
  }
  return 0;
}

static int refuse_kernel(const char *name, char *why, size_t size) {
  size_t n = (size_t)snprintf(why, size, "option '--kernel': '%s' is not legal; legal: ", name);
  for (size_t i = 0; cli_kernel_at(i) && n < size; i++)
    n += (size_t)snprintf(why + n, size - n, "%s%s", cli_kernel_at(i)->name,
                          !cli_kernel_at(i + 1) ? ""
                          : i                   ? ", "
                                                : " (the default), ");
  return -1;
}

int tune_space_open(tune_space *s, const study_request *request, char *why, size_t size) {
  *s = (tune_space){.request = request, .resource = "sources"};
  if (refuse_repeat(request, why, size) || !(s->asked = make_plan(request, NULL, why, size)) || fix(s, why, size))
    return -1;
  if (!s->kernel) s->fixed[s->fixed_count++] = (study_setting){"kernel", s->kernel = scree_kernel_at(0)->name};
  const cli_subcommand *c = cli_kernel_subcommand(s->kernel);
  if (!c) return refuse_kernel(s->kernel, why, size);
  if (!c->kernel->source) s->resource = "repeat";
  s->candidates = calloc(1, sizeof *s->candidates);
  if (s->candidates) s->candidates[0].runs = calloc(TUNE_MAX_ROUNDS, sizeof(double));
  s->count = 1;
  return s->candidates && s->candidates[0].runs ? 0 : (snprintf(why, size, "no memory for a candidate"), -1);
}

/* "algorithm = opt, dc", of the variants that are worth a try. */
static void write_algorithms(FILE *to, const scree_kernel *kernel) {
  size_t count = 0;
  for (size_t i = 0; scree_kernel_variant_at(kernel, i); i++) count += scree_kernel_variant_tuned(kernel, i);
  if (count < 2) return;
  fputs("algorithm = ", to);
  for (size_t i = 0, k = 0; scree_kernel_variant_at(kernel, i); i++)
    if (scree_kernel_variant_tuned(kernel, i))
      fprintf(to, "%s%s", k++ ? ", " : "", scree_kernel_variant_at(kernel, i)->name);
  fputc('\n', to);
}

/* "queue = buckets, dary if algorithm = dc" */
static void write_axis(FILE *to, const scree_kernel *kernel, const char *name, const char *values) {
  char variants[256];
  cli_name_variants(kernel, name, true, "|", "|", variants, sizeof variants);
  fprintf(to, "%s = %s", name, values);
  if (!cli_is_of_all(kernel, name)) fprintf(to, " if algorithm = %s", variants);
  fputc('\n', to);
}

/* The kernel's own axes. Those of the request replace lines of their name, where these stand. `delta`: the width of
 * buckets that a run chose; 0: none. */
static char *own_axes(const tune_space *s, double delta) {
  const scree_kernel *kernel = cli_kernel_subcommand(s->kernel)->kernel;
  char *text = NULL, widths[128];
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  fprintf(to, "kernel = %s\n", s->kernel);
  write_algorithms(to, kernel);
  for (size_t i = 0; cli_kernel_option_at(kernel, i); i++) {
    const scree_kernel_option *option = cli_kernel_option_at(kernel, i);
    if (option->tried) write_axis(to, kernel, option->row.name, option->tried);
  }
  snprintf(widths, sizeof widths, "auto, %.3g, %.3g, %.3g, %.3g", delta / 4, delta / 2, 2 * delta, 4 * delta);
  if (delta > 0 && scree_kernel_option_find(kernel, SIZE_MAX, "delta")) write_axis(to, kernel, "delta", widths);
  fputs(world_axes, to);
  return fclose(to) ? free(text), NULL : text;
}

int tune_space_find(tune_space *s, double delta, char *why, size_t size) {
  if (s->asked->count > 1) return s->plan = s->asked, 0;
  char *text = own_axes(s, delta);
  if (!text) return snprintf(why, size, "no memory for the axes"), -1;
  s->plan = make_plan(s->request, text, why, size);
  free(text);
  return s->plan ? 0 : -1;
}

/* ---- candidates ---- */

static bool is_fixed(const tune_space *s, const study_setting *setting) {
  for (size_t i = 0; i < s->fixed_count; i++)
    if (strcmp(s->fixed[i].name, setting->name) == 0) return strcmp(s->fixed[i].value, setting->value) == 0;
  return false;
}

/* The settings of the i-th configuration that are neither fixed nor the default. */
static bool reduce(const tune_space *s, size_t i, tune_candidate *candidate) {
  const study_configuration *c = &s->plan->configurations[i];
  *candidate = (tune_candidate){.settings = calloc(c->count + 1, sizeof *c->settings),
                                .runs = calloc(TUNE_MAX_ROUNDS, sizeof(double))};
  for (size_t k = 0; candidate->settings && k < c->count; k++)
    if (!is_fixed(s, &c->settings[k]) && !tune_is_default(s->kernel, &c->settings[k]))
      candidate->settings[candidate->count++] = c->settings[k];
  return candidate->settings && candidate->runs;
}

static void drop(tune_candidate *candidate) {
  free(candidate->settings);
  free(candidate->runs);
}

static bool is_legal(const tune_space *s, const tune_candidate *candidate, char *why, size_t size) {
  study_configuration *c = tune_configure(s, candidate, 1);
  study_command *command = c ? study_command_make(c, study_default_launcher(s->plan), false, why, size) : NULL;
  bool legal = command != NULL;
  if (command) study_command_free(command);
  tune_configuration_free(c);
  return legal;
}

/* For each value of each axis, the verdicts on candidates that have it: bit 0 rejected, bit 1 accepted. */
typedef struct {
  const study_plan *plan;
  char (*seen)[256];
  char *why;
  size_t size;
} verdicts;

static void note(verdicts *v, size_t i, bool legal) {
  for (size_t a = 0; a < v->plan->axis_count; a++) {
    const char *value = study_value(&v->plan->configurations[i], v->plan->axes[a].name);
    for (size_t k = 0; value && k < v->plan->axes[a].count && k < 256; k++)
      if (strcmp(v->plan->axes[a].values[k], value) == 0) v->seen[a][k] |= legal ? 2 : 1;
  }
}

static bool always_rejected(const verdicts *v) {
  for (size_t a = 0; a < v->plan->axis_count; a++)
    if (memchr(v->seen[a], 1, 256)) return true;
  return false;
}

static int draw(tune_space *s, size_t n, tune_cover *cover, verdicts *v) {
  char first[512] = "", why[512];
  for (size_t i; s->count <= n && (i = tune_cover_next(cover)) != SIZE_MAX;) {
    tune_candidate *c = &s->candidates[s->count];
    if (!reduce(s, i, c)) return drop(c), snprintf(v->why, v->size, "no memory for a candidate"), -1;
    bool legal = is_legal(s, c, why, sizeof why);
    note(v, i, legal);
    if (!legal && !s->illegal++) memcpy(first, why, sizeof first);
    if (legal && c->count > 0)
      s->count++;
    else
      drop(c);
  }
  if (!always_rejected(v)) return 0;
  return snprintf(v->why, v->size, "%s", first), -1;
}

int tune_space_draw(tune_space *s, size_t n, char *why, size_t size) {
  if (n > s->plan->count) n = s->plan->count;
  tune_candidate *more = realloc(s->candidates, (n + 2) * sizeof *more);
  if (more) s->candidates = more;
  verdicts v = {s->plan, calloc(s->plan->axis_count + 1, sizeof *v.seen), why, size};
  tune_cover *cover = tune_cover_open(s->plan, 1);
  int code = -1;
  if (more && v.seen && cover)
    code = draw(s, n, cover, &v);
  else
    snprintf(why, size, "no memory for %zu candidates", n);
  tune_cover_close(cover);
  free(v.seen);
  return code;
}

void tune_space_close(tune_space *s) {
  for (size_t i = 0; s->candidates && i < s->count; i++) drop(&s->candidates[i]);
  free(s->candidates);
  free(s->fixed);
  if (s->plan && s->plan != s->asked) study_plan_free(s->plan);
  if (s->asked) study_plan_free(s->asked);
  *s = (tune_space){0};
}
