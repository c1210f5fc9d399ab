/* table.c - groups records by configuration: medians, the best of each problem, the control configuration, noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/analysis/axes.h"

static const double tick = 1e-9; /* seconds: a lower bound that keeps logarithms finite */

const char *study_group_value(const study_group *group, const char *axis) {
  for (size_t i = 0; i < group->count; i++)
    if (strcmp(group->settings[i].name, axis) == 0) return group->settings[i].value;
  return NULL;
}

bool study_usable(const study_group *group) {
  return group->ok > 0 && group->worst != STUDY_INVALID;
}

/* ---- groups ---- */

static int by_key(const void *a, const void *b) {
  const study_record *x = *(const study_record *const *)a, *y = *(const study_record *const *)b;
  int order = strcmp(x->key, y->key);
  return order ? order : (x > y) - (x < y);
}

/* Median of one counter over the ok runs; scratch holds n values. */
static double median_work(const study_record *const *records, size_t n, size_t work, double *scratch) {
  size_t ok = 0;
  for (size_t i = 0; i < n; i++)
    if (records[i]->status == STUDY_OK) scratch[ok++] = records[i]->work[work];
  return study_middle(scratch, ok);
}

static void note_bad(study_group *g, const study_record *r) {
  bool wrong = r->status == STUDY_INVALID && g->worst != STUDY_INVALID;
  if (g->bad++ == 0 || wrong) g->worst = r->status, g->message = r->message;
}

/* Fills a group from its n records. False: no memory. */
static bool fill(study_group *g, const study_record *const *records, size_t n) {
  bool checked = false, wrong = false;
  *g = (study_group){
      .key = records[0]->key, .settings = records[0]->settings, .count = records[0]->count, .first = records[0]};
  g->message = "";
  g->runs = calloc(n, sizeof *g->runs);
  double *scratch = calloc(n, sizeof *scratch);
  for (size_t i = 0; i < n && g->runs && scratch; i++) {
    const study_record *r = records[i];
    checked |= r->validated, wrong |= r->status == STUDY_INVALID;
    if (r->status != STUDY_OK)
      note_bad(g, r);
    else
      scratch[g->ok] = r->teps, g->runs[g->ok++] = fmax(r->seconds, tick);
  }
  g->validated = checked && !wrong;
  if (g->ok > 0) {
    g->seconds = study_median(g->runs, g->ok);
    g->teps = study_median(scratch, g->ok);
    for (size_t w = 0; w < STUDY_WORK_COUNT; w++) g->work[w] = median_work(records, n, w, scratch);
  }
  bool good = g->runs && scratch && g->seconds.n == g->ok && g->teps.n == g->ok;
  free(scratch);
  return good;
}

/* Selects the records that are neither controls nor warm-ups, sorted by key. */
static size_t sort_records(const study_results *results, const study_record **records) {
  size_t n = 0;
  for (size_t i = 0; i < results->count; i++) {
    const study_record *r = &results->records[i];
    if (!r->control && r->repetition > 0) records[n++] = r;
  }
  if (n > 0) qsort(records, n, sizeof *records, by_key);
  return n;
}

static bool make_groups(study_table *t) {
  const study_record **records = calloc(t->results->count + 1, sizeof *records);
  size_t n = records ? sort_records(t->results, records) : 0;
  t->groups = calloc(n + 1, sizeof *t->groups); /* more than enough */
  bool good = records && t->groups;
  for (size_t from = 0, end = 0; good && from < n; from = end) {
    while (end < n && strcmp(records[end]->key, records[from]->key) == 0) end++;
    good = fill(&t->groups[t->count++], (const study_record *const *)records + from, end - from);
  }
  free(records);
  return good;
}

/* ---- problems and the best of each ---- */

static const study_group *find_best(const study_table *t, size_t problem) {
  for (int careful = 1; careful >= 0; careful--) {
    const study_group *best = NULL;
    for (size_t i = 0; i < t->count; i++) {
      const study_group *g = &t->groups[i];
      if (g->problem != problem || !study_usable(g) || (careful && g->bad > 0)) continue;
      if (!best || g->seconds.median < best->seconds.median) best = g;
    }
    if (best) return best;
  }
  return NULL;
}

static bool make_problems(study_table *t) {
  const study_group **firsts = calloc(t->count + 1, sizeof *firsts), **bests = calloc(t->count + 1, sizeof *bests);
  bool good = firsts && bests;
  for (size_t i = 0; i < t->count && good; i++) {
    size_t p = 0;
    while (p < t->problems && !study_same_problem(t, firsts[p], &t->groups[i])) p++;
    if (p == t->problems) firsts[t->problems++] = &t->groups[i];
    t->groups[i].problem = p;
  }
  for (size_t p = 0; p < t->problems && good; p++) {
    bests[p] = find_best(t, p);
    if (bests[p] && (!t->best || bests[p]->seconds.median > t->best->seconds.median)) t->best = bests[p];
  }
  for (size_t i = 0; i < t->count && good; i++) t->groups[i].best = bests[t->groups[i].problem];
  free(firsts);
  free(bests);
  return good;
}

/* ---- the control configuration and noise ---- */

static double median3(const double *v) {
  return fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
}

/* `scratch` holds n values. */
static double spread_of(const double *v, size_t n, double *scratch) {
  enum { RUNNING = 5 }; /* with fewer values a running median of 3 hides the spread */
  if (n < 2) return 0;
  memcpy(scratch, v, n * sizeof *v);
  double middle = study_middle(scratch, n);
  if (n < RUNNING) return (scratch[n - 1] - scratch[0]) / middle; /* sorted now */
  double low = INFINITY, high = 0;
  for (size_t i = 0; i + 2 < n; i++) low = fmin(low, median3(v + i)), high = fmax(high, median3(v + i));
  return (high - low) / middle;
}

static bool make_control(study_table *t) {
  double *scratch = calloc(t->results->count + 1, sizeof *scratch);
  t->control = calloc(t->results->count + 1, sizeof *t->control);
  if (!t->control || !scratch) return free(scratch), false;
  for (size_t i = 0; i < t->results->count; i++) {
    const study_record *r = &t->results->records[i];
    if (r->control && r->repetition > 0 && r->status == STUDY_OK) t->control[t->controls++] = fmax(r->seconds, tick);
  }
  size_t n = t->controls, third = n < 3 ? n / 2 : n / 3;
  t->control_spread = spread_of(t->control, n, scratch);
  free(scratch);
  t->drift = study_ratio(t->control + n - third, third, t->control, third);
  return true;
}

static bool make_noise(study_table *t) {
  double *widths = calloc(t->count + 1, sizeof *widths);
  size_t n = 0;
  for (size_t i = 0; i < t->count && widths; i++) {
    const study_interval *s = &t->groups[i].seconds;
    if (s->n > 1) widths[n++] = (s->high - s->low) / 2 / s->median;
  }
  if (widths) t->noise = study_middle(widths, n);
  free(widths);
  return widths != NULL;
}

study_table *study_table_make(const study_results *results) {
  study_table *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->results = results;
  if (make_groups(t) && study_axes_make(t) && make_problems(t) && make_control(t) && make_noise(t)) return t;
  study_table_free(t);
  return NULL;
}

void study_table_free(study_table *t) {
  if (!t) return;
  for (size_t i = 0; i < t->axis_count; i++) free(t->axes[i].values);
  for (size_t i = 0; i < t->count; i++) free(t->groups[i].runs);
  free(t->axes);
  free(t->groups);
  free(t->control);
  free(t);
}
