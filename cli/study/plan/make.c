/* make.c - makes a plan from its statements, with its canonical text and its memory. */
#include "study/plan/make.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct study_block {
  study_block *next;
  max_align_t data[];
};

typedef struct {
  study_plan plan; /* first */
  study_block *blocks;
} whole;

/* ---- errors and memory ---- */

bool study_plan_fail(study_maker *m, const char *format, ...) {
  char text[400], where[200] = "";
  const char *file = m->source->file_name ? m->source->file_name : "plan";
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (m->option)
    snprintf(where, sizeof where, "option '--%s': ", m->option);
  else if (m->line)
    snprintf(where, sizeof where, "%s:%zu: ", file, m->line);
  else
    snprintf(where, sizeof where, "%s: ", file);
  snprintf(m->why, m->size, "%s%s", where, text);
  return false;
}

void *study_plan_memory(study_maker *m, size_t bytes) {
  study_block *block = calloc(1, sizeof *block + bytes);
  if (!block) {
    study_plan_fail(m, "no memory for the plan");
    return NULL;
  }
  block->next = m->blocks;
  m->blocks = block;
  return block->data;
}

char *study_plan_copy(study_maker *m, const char *text, size_t n) {
  char *copy = study_plan_memory(m, n + 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

/* The capacity doubles; the old array remains in the memory of the plan until that is freed. */
bool study_plan_grow(study_maker *m, void *items, size_t count, size_t bytes) {
  void *old, *grown;
  if (count & (count - 1)) return true;
  memcpy(&old, items, sizeof old);
  grown = study_plan_memory(m, (count ? 2 * count : 1) * bytes);
  if (!grown) return false;
  if (count) memcpy(grown, old, count * bytes);
  memcpy(items, &grown, sizeof grown);
  return true;
}

void study_plan_blocks_free(study_block *blocks) {
  while (blocks) {
    study_block *next = blocks->next;
    free(blocks);
    blocks = next;
  }
}

/* ---- statements other than axes ---- */

/* The text of the statement, whose position messages then name; NULL: it was not given. */
static const char *take(study_maker *m, const study_draft *d, size_t setting) {
  m->option = d->settings[setting].option;
  m->line = d->settings[setting].line;
  return d->settings[setting].text;
}

/* Names the statement unless the position does. */
static __attribute__((format(printf, 3, 4))) bool bad(study_maker *m, const char *name, const char *format, ...) {
  char text[300];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return study_plan_fail(m, "%s%s%s", m->option ? "" : name, m->option ? "" : ": ", text);
}

static bool set_repeat(study_maker *m, study_plan *plan, const char *text) {
  double repeat;
  if (!text) return plan->repeat = 5, true;
  if (strspn(text, "0123456789") != strlen(text) || !study_number(text, &repeat) || repeat < 1 ||
      repeat > STUDY_REPEAT_MAX)
    return bad(m, "repeat", "'%s' is not legal; legal: a whole number from 1 to %d", text, STUDY_REPEAT_MAX);
  return plan->repeat = (uint64_t)repeat, true;
}

static bool set_timeout(study_maker *m, study_plan *plan, const char *text) {
  double unit = 0, max = 7 * 24 * 3600;
  char *end = NULL;
  if (!text) return plan->timeout = 300, true;
  if (text[0] >= '0' && text[0] <= '9' && !strpbrk(text, "xX")) plan->timeout = strtod(text, &end);
  if (end) unit = !*end || !strcmp(end, "s") ? 1 : !strcmp(end, "m") ? 60 : !strcmp(end, "h") ? 3600 : 0;
  plan->timeout *= unit;
  if (unit > 0 && plan->timeout >= 1 && plan->timeout <= max) return true;
  return bad(m, "timeout", "'%s' is not legal; legal: a time from 1s to 168h, such as 300s or 5m", text);
}

static bool matches(const study_plan *plan, const study_draft *d, const study_condition *control, size_t i,
                    const char **values) {
  for (size_t k = 0; k < d->names.count; k++) values[k] = study_value(&plan->configurations[i], d->names.values[k]);
  return study_plan_holds(control, values);
}

static bool set_control(study_maker *m, study_plan *plan, const study_draft *d, const char *text) {
  study_condition control = {0};
  if (!text) return true;
  const char **values = study_plan_memory(m, (d->names.count + 1) * sizeof *values);
  if (!values || !study_plan_condition(m, text, &d->names, d->names.count, true, &control)) return false;
  while (plan->control < plan->count && strcmp(plan->configurations[plan->control].key, text)) plan->control++;
  if (plan->control < plan->count) return true; /* a complete key takes precedence over partial matches */
  plan->control = 0;
  while (plan->control < plan->count && !matches(plan, d, &control, plan->control, values)) plan->control++;
  if (plan->control < plan->count) return true;
  return bad(m, "control", "no configuration matches %s; give values of an existing one, or leave it out", text);
}

static bool set_all(study_maker *m, study_plan *plan, const study_draft *d) {
  const char *title = d->settings[STUDY_TITLE].text;
  plan->title = title ? title : "";
  if (!set_timeout(m, plan, take(m, d, STUDY_TIMEOUT)) || !set_control(m, plan, d, take(m, d, STUDY_CONTROL)) ||
      !set_repeat(m, plan, take(m, d, STUDY_REPEAT)))
    return false;
  if (plan->count * plan->repeat <= STUDY_RUNS_MAX) return true;
  return bad(m, "repeat", "%zu configurations, repeated %llu times, exceed %d runs; reduce repeat", plan->count,
             (unsigned long long)plan->repeat, STUDY_RUNS_MAX);
}

/* ---- the canonical text ---- */

static const char *const comparators[] = {"=", "!=", "<", "<=", ">", ">="};

static void print_values(FILE *to, const study_list *values, const char *between) {
  for (size_t i = 0; i < values->count; i++) {
    const char *quote = study_plan_quote(values->values[i]);
    fprintf(to, "%s%s%s%s", i ? between : "", quote, values->values[i], quote);
  }
}

static void print_condition(FILE *to, const study_draft *d, const study_condition *when) {
  for (size_t i = 0; i < when->count; i++) {
    const study_comparison *c = &when->comparisons[i];
    fprintf(to, "%s %s %s ", i ? " and" : " if", d->names.values[c->axis], comparators[c->is]);
    print_values(to, &c->values, "|");
  }
  fputc('\n', to);
}

/* Everything that affects the runs, as a sweep file that lists all values; this excludes the title. */
static void print_plan(FILE *to, const study_draft *d, const study_plan *plan) {
  for (size_t i = 0; i < d->line_count; i++) {
    fprintf(to, "%s = ", d->names.values[d->lines[i].axis]);
    print_values(to, &d->lines[i].values, ", ");
    print_condition(to, d, &d->lines[i].when);
  }
  for (size_t i = 0; i < d->skip_count; i++) {
    fputs("skip", to);
    print_condition(to, d, &d->skips[i]);
  }
  fprintf(to, "repeat = %llu\ntimeout = %.10gs\n", (unsigned long long)plan->repeat, plan->timeout);
  const char *control = plan->configurations[plan->control].key;
  if (*control) fprintf(to, "control = %s\n", control); /* without axes the key is empty */
}

static bool write_text(study_maker *m, const study_draft *d, study_plan *plan) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return study_plan_fail(m, "no memory for the plan");
  print_plan(to, d, plan);
  bool good = !ferror(to);
  if (fclose(to) || !good)
    study_plan_fail(m, "no memory for the plan");
  else
    plan->text = study_plan_copy(m, text, strlen(text));
  free(text);
  return plan->text != NULL;
}

/* ---- the whole ---- */

static bool make(study_maker *m, study_plan *plan) {
  study_draft draft = {0};
  if (!study_plan_read(m, &draft)) return false;
  m->option = NULL;
  m->line = 0;
  plan->constants_used = m->constants_used;
  return study_plan_cross(m, &draft, plan) && set_all(m, plan, &draft) && write_text(m, &draft, plan);
}

study_plan *study_plan_make(const study_source *source, char *why, size_t size) {
  study_maker m = {.source = source, .why = why, .size = size};
  whole *w = calloc(1, sizeof *w);
  if (!w)
    study_plan_fail(&m, "no memory for the plan");
  else if (make(&m, &w->plan))
    return w->blocks = m.blocks, &w->plan;
  study_plan_blocks_free(m.blocks);
  free(w);
  return NULL;
}

void study_plan_free(study_plan *plan) {
  if (plan) study_plan_blocks_free(((whole *)(void *)plan)->blocks);
  free(plan);
}

const char *study_value(const study_configuration *c, const char *axis) {
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->settings[i].name, axis) == 0) return c->settings[i].value;
  return NULL;
}
