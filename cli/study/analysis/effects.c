/* effects.c - effects of axes (shares of variance, lines along an axis) and changes between two tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/analysis/stats.h"
#include "study/util/names.h"

/* ---- shares of variance ---- */

bool study_states_problem(const char *axis) {
  static const char *const names[] = {"kernel",         "graph",        "scale",   "edgefactor", "seed",
                                      "random-weights", "weights-file", "columns", "source",     "sources"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], axis) == 0) return true;
  return false;
}

typedef struct {
  double sum, squares;
  size_t n;
} moments;

static void add(moments *m, double x) {
  m->sum += x, m->squares += x * x, m->n++;
}

/* Sum of squared deviations from the mean. */
static double scatter(const moments *m) {
  return m->n ? fmax(0, m->squares - m->sum * m->sum / (double)m->n) : 0;
}

/* Relative to the best of the problem, which limits cancellation. */
static double log_cost(const study_group *group) {
  return log(group->seconds.median / group->best->seconds.median);
}

/* The mean logarithm of each problem; the caller frees it. NULL: no memory. */
static double *means_of(const study_table *table) {
  double *means = calloc(table->problems + 1, sizeof *means);
  size_t *counts = calloc(table->problems + 1, sizeof *counts);
  for (size_t i = 0; i < table->count && means && counts; i++) {
    const study_group *g = &table->groups[i];
    if (study_usable(g)) means[g->problem] += (log_cost(g) - means[g->problem]) / (double)++counts[g->problem];
  }
  if (!counts) free(means), means = NULL;
  free(counts);
  return means;
}

double study_share(const study_table *table, const study_axis *axis) {
  moments all = {0}, having = {0};
  if (study_states_problem(axis->name)) return 0;
  moments *levels = calloc(axis->count + 1, sizeof *levels);
  double *means = means_of(table);
  for (size_t i = 0; i < table->count && levels && means; i++) {
    const study_group *g = &table->groups[i];
    const char *value = study_group_value(g, axis->name);
    if (!study_usable(g)) continue;
    double x = log_cost(g) - means[g->problem];
    add(&all, x);
    if (value) add(&having, x);
    for (size_t k = 0; k < axis->count && value; k++)
      if (strcmp(axis->values[k], value) == 0) add(&levels[k], x);
  }
  double between = scatter(&having), total = scatter(&all);
  for (size_t i = 0; i < axis->count && levels; i++) between -= scatter(&levels[i]);
  free(levels);
  free(means);
  return total > 1e-12 ? fmin(1, fmax(0, between / total)) : 0;
}

/* ---- lines ---- */

typedef struct {
  double x;
  const study_group *group;
} point;

static int by_x(const void *a, const void *b) {
  double x = ((const point *)a)->x, y = ((const point *)b)->x;
  return (x > y) - (x < y);
}

bool study_alike(const study_table *table, const study_axis *but, const study_group *a, const study_group *b) {
  for (size_t i = 0; i < table->axis_count; i++) {
    const char *name = table->axes[i].name;
    if (but && strcmp(name, but->name) == 0) continue;
    if (!study_same(study_group_value(a, name), study_group_value(b, name))) return false;
  }
  return true;
}

/* True if both agree in the axes that state the problem, or, without `problem`, in the others. */
static bool agree(const study_table *table, bool problem, const study_group *a, const study_group *b) {
  for (size_t i = 0; i < table->axis_count; i++) {
    const char *name = table->axes[i].name;
    if (study_states_problem(name) == problem && !study_same(study_group_value(a, name), study_group_value(b, name)))
      return false;
  }
  return true;
}

bool study_same_problem(const study_table *table, const study_group *a, const study_group *b) {
  return agree(table, true, a, b);
}

bool study_same_settings(const study_table *table, const study_group *a, const study_group *b) {
  return agree(table, false, a, b);
}

bool study_too_few(const study_table *table, const study_group *best) {
  size_t enough = 0;
  if (!best || best->ok < STUDY_MIN_RUNS) return true;
  for (size_t i = 0; i < table->count; i++)
    enough += table->groups[i].best == best && study_usable(&table->groups[i]) && table->groups[i].ok >= STUDY_MIN_RUNS;
  return enough < 2;
}

const study_group *study_reference(const study_table *table, const study_axis *axis) {
  const study_group *fastest = NULL;
  if (table->best && study_group_value(table->best, axis->name)) return table->best;
  for (size_t i = 0; i < table->count; i++) {
    const study_group *g = &table->groups[i];
    if (!study_usable(g) || g->best != table->best || !study_group_value(g, axis->name)) continue;
    if (!fastest || g->seconds.median < fastest->seconds.median) fastest = g;
  }
  return fastest;
}

size_t study_line(const study_table *table, const study_axis *axis, const study_group *at, const study_group ***line) {
  point *points = calloc(table->count + 1, sizeof *points);
  *line = calloc(table->count + 1, sizeof **line);
  size_t n = 0;
  for (size_t i = 0; i < table->count && points && *line; i++) {
    const study_group *g = &table->groups[i];
    const char *value = study_group_value(g, axis->name);
    double x;
    if (study_usable(g) && value && study_number(value, &x) && study_alike(table, axis, g, at))
      points[n++] = (point){x, g};
  }
  if (n > 0) qsort(points, n, sizeof *points, by_x);
  for (size_t i = 0; i < n; i++) (*line)[i] = points[i].group;
  free(points);
  return n;
}

/* ---- changes ---- */

static int by_key(const void *a, const void *b) {
  return strcmp((*(const study_group *const *)a)->key, (*(const study_group *const *)b)->key);
}

static int by_change(const void *a, const void *b) {
  double x = fabs(log(((const study_change *)a)->ratio.median)), y = fabs(log(((const study_change *)b)->ratio.median));
  return (x < y) - (x > y);
}

const study_group **study_keyed(const study_table *table) {
  const study_group **list = calloc(table->count + 1, sizeof *list);
  for (size_t i = 0; i < table->count && list; i++) list[i] = &table->groups[i];
  if (list && table->count > 0) qsort(list, table->count, sizeof *list, by_key);
  return list;
}

const study_group *study_find(const study_table *table, const study_group **keyed, const study_group *group) {
  const study_group **found = bsearch(&group, keyed, table->count, sizeof *keyed, by_key);
  return found ? *found : NULL;
}

/* A difference of logarithms. Among many configurations some differ widely by chance: the largest of n normal errors is
 * about sqrt(2 ln n) standard errors, and the sum of two half widths is at least about 2 standard errors. */
static double noise_of(const study_table *a, const study_table *b, size_t count) {
  double chance = (a->noise + b->noise) * fmax(1, sqrt(2 * log((double)count + 1)) / 2);
  return log1p(fmax(chance, fmax(a->control_spread, b->control_spread) / 2));
}

static study_change change_of(const study_group *before, const study_group *after, double noise) {
  study_interval r = study_ratio(after->runs, after->ok, before->runs, before->ok);
  bool beyond = r.n >= STUDY_MIN_RUNS && (r.low > 1 || r.high < 1) && fabs(log(r.median)) > noise;
  return (study_change){before, after, r, beyond};
}

size_t study_compare(const study_table *before, const study_table *after, study_change **changes) {
  size_t n = 0, usable = 0;
  const study_group **keyed = study_keyed(after);
  *changes = calloc(before->count + 1, sizeof **changes);
  for (size_t i = 0; i < before->count; i++) usable += study_usable(&before->groups[i]);
  double noise = noise_of(before, after, usable);
  for (size_t i = 0; i < before->count && keyed && *changes; i++) {
    const study_group *g = &before->groups[i], *twin = study_find(after, keyed, g);
    if (twin && study_usable(g) && study_usable(twin)) (*changes)[n++] = change_of(g, twin, noise);
  }
  if (n > 0) qsort(*changes, n, sizeof **changes, by_change);
  free(keyed);
  return n;
}
