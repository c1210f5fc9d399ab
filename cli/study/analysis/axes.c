/* axes.c - finds the axes that vary and orders the axes, their values and the configurations. */
#include "study/analysis/axes.h"
#include "study/util/names.h"

#include <stdlib.h>
#include <string.h>

/* The axis of that name, appended if it is new. NULL: no memory. */
static study_axis *axis_of(study_table *t, const char *name) {
  for (size_t i = 0; i < t->axis_count; i++)
    if (strcmp(t->axes[i].name, name) == 0) return &t->axes[i];
  study_axis *more = realloc(t->axes, (t->axis_count + 1) * sizeof *more);
  if (!more) return NULL;
  t->axes = more;
  more[t->axis_count] = (study_axis){.name = name};
  return &more[t->axis_count++];
}

static bool add_axes(study_table *t, const study_group *g) {
  for (size_t i = 0; i < g->count; i++) {
    study_axis *axis = axis_of(t, g->settings[i].name);
    if (!axis || !study_names_add(&axis->values, &axis->count, g->settings[i].value)) return false;
  }
  return true;
}

static bool varies(const study_table *t, const study_axis *axis) {
  if (axis->count > 1) return true;
  for (size_t i = 0; i < t->count; i++)
    if (!study_group_value(&t->groups[i], axis->name)) return true;
  return false;
}

/* ---- order ---- */

static const char *next_line(const char *text) {
  text += strcspn(text, "\n");
  return text + (*text == '\n');
}

/* True if this line of the plan defines the axis. */
static bool defines(const char *line, const char *axis) {
  size_t n = strlen(axis);
  return strncmp(line, axis, n) == 0 && strncmp(line + n, " = ", 3) == 0;
}

/* In the order of the plan; axes that are not in the plan by name. */
static int by_line(const void *a, const void *b, void *plan) {
  const char *x = ((const study_axis *)a)->name, *y = ((const study_axis *)b)->name;
  for (const char *line = plan; *line; line = next_line(line)) {
    if (defines(line, x)) return strcmp(x, y) ? -1 : 0;
    if (defines(line, y)) return 1;
  }
  return strcmp(x, y);
}

/* The index of a value among those that the plan lists for the axis; SIZE_MAX: it is not listed. The canonical text
 * lists all values of a line: "NAME = V1, V2, V3", optionally followed by " if ...". */
static size_t index_in(const char *plan, const char *axis, const char *value) {
  size_t length = strlen(value), index = 0;
  for (const char *line = plan; *line; line = next_line(line)) {
    if (!defines(line, axis)) continue;
    const char *at = line + strlen(axis) + 3;
    for (;; index++) {
      size_t n = strcspn(at, ", \n");
      if (n == length && strncmp(at, value, n) == 0) return index;
      if (at[n] != ',') break;
      at += n + 1 + strspn(at + n + 1, " ");
    }
    index++;
  }
  return SIZE_MAX;
}

typedef struct {
  const char *plan, *axis;
} context;

/* First words in the order of the plan, then other words alphabetically, then numbers. */
static int by_plan(const void *a, const void *b, void *arg) {
  const char *v = *(const char *const *)a, *w = *(const char *const *)b;
  const context *c = arg;
  double x, y;
  bool number = study_number(v, &x), also = study_number(w, &y);
  if (number != also) return number - also;
  if (number) return (x > y) - (x < y);
  size_t i = index_in(c->plan, c->axis, v), k = index_in(c->plan, c->axis, w);
  return i != k ? (i > k) - (i < k) : strcmp(v, w);
}

static void order_values(const char *plan, study_axis *axis) {
  context c = {plan, axis->name};
  if (axis->count > 0) qsort_r(axis->values, axis->count, sizeof *axis->values, by_plan, &c);
}

static size_t level_of(const study_axis *axis, const char *value) {
  size_t i = 0;
  while (i < axis->count && (!value || strcmp(axis->values[i], value) != 0)) i++;
  return i;
}

static int by_axes(const void *a, const void *b, void *arg) {
  const study_table *t = arg;
  for (size_t i = 0; i < t->axis_count; i++) {
    const study_axis *axis = &t->axes[i];
    const char *v = study_group_value(a, axis->name), *w = study_group_value(b, axis->name);
    if (study_same(v, w)) continue;
    return level_of(axis, v) < level_of(axis, w) ? -1 : 1;
  }
  return strcmp(((const study_group *)a)->key, ((const study_group *)b)->key);
}

bool study_axes_make(study_table *t) {
  for (size_t i = 0; i < t->count; i++)
    if (!add_axes(t, &t->groups[i])) return false;
  size_t kept = 0;
  char *plan = strdup(t->results->plan ? t->results->plan : "");
  if (!plan) return false;
  if (t->axis_count > 0) qsort_r(t->axes, t->axis_count, sizeof *t->axes, by_line, plan);
  for (size_t i = 0; i < t->axis_count; i++) {
    study_axis *axis = &t->axes[i];
    order_values(plan, axis);
    if (varies(t, axis))
      t->axes[kept++] = *axis;
    else
      free(axis->values);
  }
  t->axis_count = kept;
  free(plan);
  if (t->count > 0) qsort_r(t->groups, t->count, sizeof *t->groups, by_axes, t);
  return true;
}
