/* summary.c - describes a table in sentences: what was run, the best, which axis matters, what other values cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/report.h"
#include "study/report/text.h"
#include "study/results/provenance.h"
#include "study/util/names.h"

enum { FEW = 8 }; /* values that are listed */

/* ---- what was run ---- */

static void print_axis(const study_axis *axis, FILE *to) {
  fprintf(to, "%s (", axis->name);
  if (axis->count > FEW)
    fprintf(to, "%zu values from %s to %s", axis->count, axis->values[0], axis->values[axis->count - 1]);
  for (size_t i = 0; i < axis->count && axis->count <= FEW; i++) fprintf(to, "%s%s", i ? ", " : "", axis->values[i]);
  fputs(")", to);
}

static void print_what(const study_table *t, FILE *to) {
  fprintf(to, "What was run: %zu configuration%s of ", t->count, t->count == 1 ? "" : "s");
  study_print_constants(t, to);
  for (size_t i = 0; i < t->axis_count; i++) {
    fputs(i ? ", " : "; varied: ", to);
    print_axis(&t->axes[i], to);
  }
  char *where = study_provenance(t->results);
  fprintf(to, ". Where: %s.\n", where ? where : "unknown, no memory");
  free(where);
}

/* ---- the best ---- */

static bool tied(const study_group *g, const study_group *best) {
  if (g == best || g->best != best || !study_usable(g)) return false;
  study_interval r = study_ratio(g->runs, g->ok, best->runs, best->ok);
  return r.n > 1 && r.low <= 1;
}

/* Configurations whose interval of the ratio to the best contains 1. */
static void print_ties(const study_table *t, FILE *to) {
  enum { SHOWN = 3 };
  size_t ties = 0;
  for (size_t i = 0; i < t->count; i++) ties += tied(&t->groups[i], t->best);
  if (ties == 0) return;
  fputs("A tie", to);
  study_print_at(t, to);
  fprintf(to, ": %zu other%s statistically indistinguishable from the best: ", ties, ties == 1 ? " is" : "s are");
  size_t shown = 0;
  for (size_t i = 0; i < t->count && shown < SHOWN; i++) {
    const study_group *g = &t->groups[i];
    char text[96];
    if (!tied(g, t->best)) continue;
    fputs(shown++ ? "; " : "", to);
    study_print_settings(t, g, NULL, to);
    study_print_interval(text, sizeof text, &g->seconds);
    fprintf(to, " (%s)", text);
  }
  if (ties > SHOWN) fprintf(to, "; and %zu more", ties - SHOWN);
  fputs(".\n", to);
}

static void print_one_best(const study_table *t, const study_group *best, FILE *to) {
  char text[96];
  study_print_interval(text, sizeof text, &best->seconds);
  const bool few = t->count > 1 && study_too_few(t, t->best);
  fputs(t->count == 1 ? "The time of " : few ? "The fastest seen is " : "The best is ", to);
  study_print_name(t, best, NULL, best->key, to);
  fprintf(to, ": %s%s, %.2f MTEPS%s.\n", text, best->seconds.n > 1 ? " (median and its 95 % interval)" : "",
          1e-6 * best->teps.median, few ? STUDY_CANNOT_TELL("it is the best") : "");
}

static void print_best(const study_table *t, FILE *to) {
  const study_group *best = t->best;
  if (!best) {
    fputs("No configuration finished with a correct answer, so there is no best.\n", to);
    return;
  }
  if (t->problems > 1)
    study_print_bests(t, to);
  else
    print_one_best(t, best, to);
  print_ties(t, to);
}

/* ---- which axis matters ---- */

typedef struct {
  const study_axis *axis;
  double share;
} part;

static int by_share(const void *a, const void *b) {
  double x = ((const part *)a)->share, y = ((const part *)b)->share;
  return (x < y) - (x > y);
}

/* In descending order. */
static void print_parts(const part *parts, size_t count, double rest, const char *where, FILE *to) {
  static const double none = 0.005, much = 0.1;
  if (parts[0].share < none) return;
  if (parts[0].share < much)
    fprintf(to, "No axis matters much: %s explains %.0f %% of the variance of log time%s", parts[0].axis->name,
            100 * parts[0].share, where);
  else
    fprintf(to, "%s matters most: it explains %.0f %% of the variance of log time%s", parts[0].axis->name,
            100 * parts[0].share, where);
  fputs("; then", to);
  for (size_t i = 1; i < count; i++)
    fprintf(to, "%s %s with %.0f %%", i > 1 ? "," : "", parts[i].axis->name, 100 * parts[i].share);
  if (rest > 0.05) fprintf(to, "; interaction and noise make up the other %.0f %%", 100 * rest);
  fputs(".\n", to);
}

static void print_shares(const study_table *t, FILE *to) {
  if (t->count > 1 && study_too_few(t, t->best)) {
    fputs("Which axis matters most cannot be told from fewer than three runs of a configuration.\n", to);
    return;
  }
  part *parts = calloc(t->axis_count + 1, sizeof *parts);
  double rest = 1;
  size_t n = 0;
  for (size_t i = 0; i < t->axis_count && parts; i++) {
    if (study_states_problem(t->axes[i].name)) continue;
    parts[n] = (part){&t->axes[i], study_share(t, &t->axes[i])};
    rest -= parts[n++].share;
  }
  if (n > 1) {
    qsort(parts, n, sizeof *parts, by_share);
    print_parts(parts, n, rest, t->problems > 1 ? " within a problem" : "", to);
  }
  free(parts);
}

/* ---- what other values cost ---- */

static bool has(const study_group *g, const study_axis *axis, const char *value) {
  return study_same(study_group_value(g, axis->name), value);
}

/* The configuration with this value that otherwise equals `at`; else the fastest with the value, and *own is true. */
static const study_group *rival(const study_table *t, const study_axis *axis, const study_group *at, const char *value,
                                bool *own) {
  const study_group *fastest = NULL;
  for (size_t i = 0; i < t->count; i++) {
    const study_group *g = &t->groups[i];
    if (!has(g, axis, value) || g->problem != at->problem || !study_usable(g)) continue;
    if (study_alike(t, axis, g, at)) return *own = false, g;
    if (!fastest || g->seconds.median < fastest->seconds.median) fastest = g;
  }
  *own = true;
  return fastest;
}

/* True if a configuration with this value gave a wrong answer: one that otherwise equals `at`, or anywhere in its problem. */
static bool is_wrong(const study_table *t, const study_axis *axis, const study_group *at, bool anywhere,
                     const char *value) {
  for (size_t i = 0; i < t->count; i++)
    if (t->groups[i].worst == STUDY_INVALID && has(&t->groups[i], axis, value) &&
        (anywhere ? t->groups[i].problem == at->problem : study_alike(t, axis, &t->groups[i], at)))
      return true;
  return false;
}

/* "is 2.66x slower (2.51..2.80)", of a ratio of times to those of the best. */
static void print_slowdown(const study_interval *ratio, FILE *to) {
  bool faster = ratio->median < 1;
  double median = faster ? 1 / ratio->median : ratio->median, low = faster ? 1 / ratio->high : ratio->low,
         high = faster ? 1 / ratio->low : ratio->high;
  fprintf(to, "is %.2fx %s", median, faster ? "faster" : "slower");
  if (ratio->n > 1) fprintf(to, " (%.2f..%.2f)", low, high);
}

static void print_cost(const study_table *t, const study_axis *axis, const study_group *at, const char *value,
                       FILE *to) {
  bool own;
  const study_group *g = rival(t, axis, at, value, &own);
  if (value)
    fprintf(to, "%s=%s ", axis->name, value);
  else
    fprintf(to, "no %s ", axis->name);
  bool wrong = is_wrong(t, axis, at, !g, value);
  if (wrong || !g) {
    fputs(wrong ? "gave a wrong answer" : "has no time", to);
    return;
  }
  study_interval ratio = study_ratio(g->runs, g->ok, at->runs, at->ok);
  print_slowdown(&ratio, to);
  if (!own) return;
  fputs(" with the best settings for it, ", to);
  study_print_settings(t, g, axis, to);
}

/* True if a configuration lacks the axis and otherwise equals `at`. If not, lacking it implies another change. */
static bool can_lack(const study_table *t, const study_axis *axis, const study_group *at) {
  bool own;
  return rival(t, axis, at, NULL, &own) && !own;
}

/* Values of the axis other than that of `at`: all if they are few, else the words, the first and the last. */
static void print_costs(const study_table *t, const study_axis *axis, FILE *to) {
  const study_group *at = study_reference(t, axis);
  if (!at) return;
  fputs(axis->name, to);
  study_print_at(t, to);
  const bool few = study_too_few(t, t->best);
  fprintf(to, few ? ": %s was the fastest" : ": %s is the best", study_group_value(at, axis->name));
  if (at != t->best) {
    fputs(" among the configurations that have it, with ", to);
    study_print_settings(t, at, axis, to);
  }
  double x;
  if (few) fputs(STUDY_CANNOT_TELL("it is the best"), to);
  const char *before = few ? ". With the other settings as there, " : ". With the other settings at their best, ";
  for (size_t i = 0; i <= axis->count; i++) {
    const char *value = i < axis->count ? axis->values[i] : NULL;
    bool listed = axis->count <= FEW || i == 0 || i + 1 >= axis->count || !study_number(value, &x);
    if (!listed || has(at, axis, value) || (!value && !can_lack(t, axis, at))) continue;
    fputs(before, to);
    print_cost(t, axis, at, value, to);
    before = "; ";
  }
  fputs(".\n", to);
}

void study_print_summary(const study_table *t, FILE *to) {
  if (t->results->count == 0) {
    fputs("No run is recorded yet.\n", to);
  } else {
    print_what(t, to);
    print_best(t, to);
  }
  if (t->best) {
    print_shares(t, to);
    for (size_t i = 0; i < t->axis_count; i++)
      if (!study_states_problem(t->axes[i].name)) print_costs(t, &t->axes[i], to);
    study_print_curves(t, to);
  }
  study_print_warnings(t, to);
}
