/* cross.c - the configurations of a plan: the cross product of its axes where the conditions hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan/make.h"

enum { STEPS_MAX = 4000000 };

typedef struct {
  study_maker *m;
  const study_draft *draft;
  study_plan *plan;
  study_list *all;     /* values of each axis */
  size_t **index;      /* of each line: the indices of its values in `all` */
  const char **values; /* the current choice, by axis; NULL: absent */
  size_t steps;
} cross;

/* ---- axes ---- */

static bool index_line(cross *c, size_t i) {
  const study_line *line = &c->draft->lines[i];
  study_list *all = &c->all[line->axis];
  c->index[i] = study_plan_memory(c->m, line->values.count * sizeof *c->index[i]);
  for (size_t k = 0; c->index[i] && k < line->values.count; k++) {
    if (!study_plan_add(c->m, all, line->values.values[k])) return false;
    while (!study_plan_same(all->values[c->index[i][k]], line->values.values[k])) c->index[i][k]++;
  }
  return c->index[i] != NULL;
}

static bool add_axis(cross *c, const char *name, const study_list *all) {
  study_axis axis = {.name = name, .values = study_plan_memory(c->m, (all->count + 1) * sizeof *axis.values)};
  for (size_t k = 0; axis.values && k < all->count; k++)
    if (all->values[k] != study_plan_default) axis.values[axis.count++] = all->values[k];
  if (!axis.values) return false;
  if (axis.count) c->plan->axes[c->plan->axis_count++] = axis;
  return true;
}

static bool make_axes(cross *c) {
  const study_draft *d = c->draft;
  c->all = study_plan_memory(c->m, (d->names.count + 1) * sizeof *c->all);
  c->index = study_plan_memory(c->m, (d->line_count + 1) * sizeof *c->index);
  c->values = study_plan_memory(c->m, (d->names.count + 1) * sizeof *c->values);
  c->plan->axes = study_plan_memory(c->m, (d->names.count + 1) * sizeof *c->plan->axes);
  if (!c->all || !c->index || !c->values || !c->plan->axes) return false;
  for (size_t i = 0; i < d->line_count; i++)
    if (!index_line(c, i)) return false;
  for (size_t i = 0; i < d->names.count; i++)
    if (!add_axis(c, d->names.values[i], &c->all[i])) return false;
  return true;
}

/* ---- configurations ---- */

static bool make_key(study_maker *m, study_configuration *config) {
  size_t bytes = 1;
  char *key = NULL;
  for (size_t i = 0; i < config->count; i++)
    bytes += strlen(config->settings[i].name) + strlen(config->settings[i].value) + 4; /* = " " blank */
  config->key = key = study_plan_memory(m, bytes);
  for (size_t i = 0; key && i < config->count; i++) {
    const study_setting *s = &config->settings[i];
    const char *quote = study_plan_quote(s->value);
    key += sprintf(key, "%s%s=%s%s%s", i ? " " : "", s->name, quote, s->value, quote);
  }
  return key != NULL;
}

static bool add_configuration(cross *c) {
  study_plan *plan = c->plan;
  study_configuration config = {0};
  if (plan->count == STUDY_CONFIGURATIONS_MAX)
    return study_plan_fail(c->m, "more than %d configurations; give fewer values, or split the plan",
                           STUDY_CONFIGURATIONS_MAX);
  config.settings = study_plan_memory(c->m, (c->draft->names.count + 1) * sizeof *config.settings);
  for (size_t i = 0; config.settings && i < c->draft->names.count; i++)
    if (c->values[i]) config.settings[config.count++] = (study_setting){c->draft->names.values[i], c->values[i]};
  if (!config.settings || !make_key(c->m, &config) ||
      !study_plan_grow(c->m, &plan->configurations, plan->count, sizeof config))
    return false;
  return plan->configurations[plan->count++] = config, true;
}

/* True if a skip condition whose last axis is this one holds. */
static bool skipped(const cross *c, size_t axis) {
  for (size_t i = 0; i < c->draft->skip_count; i++) {
    const study_condition *skip = &c->draft->skips[i];
    size_t last = 0;
    for (size_t k = 0; k < skip->count; k++)
      if (skip->comparisons[k].axis > last) last = skip->comparisons[k].axis;
    if (last == axis && study_plan_holds(skip, c->values)) return true;
  }
  return false;
}

/* Marks the values of all lines of the axis whose conditions hold. */
static bool mark(const cross *c, size_t axis, bool *holds) {
  bool any = false;
  for (size_t i = 0; i < c->draft->line_count; i++) {
    const study_line *line = &c->draft->lines[i];
    if (line->axis != axis || !study_plan_holds(&line->when, c->values)) continue;
    for (size_t k = 0; k < line->values.count; k++) holds[c->index[i][k]] = any = true;
  }
  return any;
}

static bool choose(cross *c, size_t axis);

static bool descend(cross *c, size_t axis, const char *value) {
  if (++c->steps > STEPS_MAX)
    return study_plan_fail(c->m, "the skip statements remove nearly all of too many configurations; give fewer values");
  c->values[axis] = value == study_plan_default ? NULL : value;
  bool good = skipped(c, axis) || choose(c, axis + 1);
  c->values[axis] = NULL;
  return good;
}

/* All choices of this axis and the following ones; the recursion is as deep as there are axes. */
static bool choose(cross *c, size_t axis) {
  bool good = true;
  if (axis == c->draft->names.count) return add_configuration(c);
  bool *holds = calloc(c->all[axis].count + 1, 1);
  if (!holds) return study_plan_fail(c->m, "no memory for the plan");
  if (!mark(c, axis, holds)) good = descend(c, axis, study_plan_default);
  for (size_t i = 0; good && i < c->all[axis].count; i++)
    if (holds[i]) good = descend(c, axis, c->all[axis].values[i]);
  free(holds);
  return good;
}

bool study_plan_cross(study_maker *m, const study_draft *draft, study_plan *plan) {
  cross c = {.m = m, .draft = draft, .plan = plan};
  if (draft->names.count == 0)
    return study_plan_fail(m, "there is nothing to run; give at least one axis, as in kernel = sssp, bfs");
  if (!make_axes(&c) || !choose(&c, 0)) return false;
  return plan->count > 0 || study_plan_fail(m, "every configuration is skipped; loosen a 'skip if'");
}
