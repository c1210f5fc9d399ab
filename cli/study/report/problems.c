/* problems.c - describes several problems: the best of each, whether their settings agree, how time grows. */
#include <math.h>
#include <stdlib.h>

#include "study/report/text.h"
#include "study/util/format.h"

enum { SHOWN = 8 }; /* problems that get a line */

/* A configuration of the problem: its best, if it has one, else any. */
static const study_group *member(const study_table *t, size_t problem) {
  size_t i = 0;
  while (t->groups[i].problem != problem) i++;
  return t->groups[i].best ? t->groups[i].best : &t->groups[i];
}

/* True if some axes do not state the problem. */
static bool has_settings(const study_table *t) {
  for (size_t i = 0; i < t->axis_count; i++)
    if (!study_states_problem(t->axes[i].name)) return true;
  return false;
}

static void print_best(const study_table *t, const study_group *g, FILE *to) {
  char text[96];
  if (!g->best) {
    fputs("At ", to);
    study_print_problem(t, g, to);
    fputs(" no configuration finished with a correct answer, so there is no best.\n", to);
    return;
  }
  const bool choice = has_settings(t), few = choice && study_too_few(t, g);
  fputs(!choice ? "At " : few ? "The fastest seen at " : "The best at ", to);
  study_print_problem(t, g, to);
  fputs(choice ? " is " : " it took ", to);
  if (choice) study_print_settings(t, g, NULL, to), fputs(": ", to);
  study_print_interval(text, sizeof text, &g->seconds);
  fprintf(to, "%s, %.2f MTEPS%s.\n", text, 1e-6 * g->teps.median, few ? STUDY_CANNOT_TELL("it is the best") : "");
}

/* The usable configuration of a problem with the settings of `at`. NULL: none. */
static const study_group *twin(const study_table *t, const study_group *at, size_t problem) {
  for (size_t i = 0; i < t->count; i++) {
    const study_group *g = &t->groups[i];
    if (g->problem == problem && study_usable(g) && study_same_settings(t, g, at)) return g;
  }
  return NULL;
}

/* How much slower the settings of the best are in other problems, if they are not the best in all. */
static void print_agreement(const study_table *t, FILE *to) {
  size_t others = 0, missing = 0;
  const study_group *worst = NULL;
  for (size_t p = 0; p < t->problems; p++) {
    const study_group *best = member(t, p)->best, *g = best ? twin(t, t->best, p) : NULL;
    if (!best || g == best) continue;
    others++, missing += !g;
    if (g && (!worst || g->seconds.median / best->seconds.median > worst->seconds.median / worst->best->seconds.median))
      worst = g;
  }
  if (others == 0) return;
  const bool few = study_too_few(t, t->best);
  fprintf(to, few ? "The fastest settings seen differ between the problems: those of "
                  : "The best settings differ between the problems: those of ");
  study_print_problem(t, t->best, to);
  fprintf(to, few ? " were not the fastest in %zu other problem%s" : " are not the best in %zu other problem%s", others,
          others == 1 ? "" : "s");
  if (worst) {
    fprintf(to, ", where they take up to %.2f times as long as the best, at ",
            worst->seconds.median / worst->best->seconds.median);
    study_print_problem(t, worst, to);
  }
  if (missing) fprintf(to, ", and have no time in %zu of them", missing);
  fputs(".\n", to);
}

void study_print_bests(const study_table *t, FILE *to) {
  size_t left = 0;
  for (size_t p = 0; p < t->problems; p++) {
    const study_group *g = member(t, p);
    if (t->problems <= SHOWN || p + 1 < SHOWN || g == t->best)
      print_best(t, g, to);
    else
      left++;
  }
  if (left) fprintf(to, "The table shows the best of %zu more problem%s.\n", left, left == 1 ? "" : "s");
  if (t->best) print_agreement(t, to);
}

/* The slowest of the bests that have the axis. */
static const study_group *longest(const study_table *t, const study_axis *axis) {
  const study_group *at = NULL;
  for (size_t i = 0; i < t->count; i++) {
    const study_group *g = &t->groups[i];
    if (g == g->best && study_group_value(g, axis->name) && (!at || g->seconds.median > at->seconds.median)) at = g;
  }
  return at;
}

static void print_line(const study_table *t, const study_axis *axis, const study_group *a, const study_group *b,
                       FILE *to) {
  char ratio[96], before[32], after[32];
  study_interval r = study_ratio(b->runs, b->ok, a->runs, a->ok);
  study_print_ratio(ratio, sizeof ratio, &r);
  study_print_seconds(before, sizeof before, a->seconds.median);
  study_print_seconds(after, sizeof after, b->seconds.median);
  fprintf(to, "From %s=%s to %s", axis->name, study_group_value(a, axis->name), study_group_value(b, axis->name));
  if (has_settings(t)) fputs(", with ", to), study_print_settings(t, b, NULL, to), fputs(",", to);
  fprintf(to, " time %s by a factor of %s, from %s to %s, and the rate changes from %.2f to %.2f MTEPS.\n",
          r.median < 1 ? "falls" : "grows", ratio, before, after, 1e-6 * a->teps.median, 1e-6 * b->teps.median);
}

void study_print_growth(const study_table *t, const study_axis *axis, FILE *to) {
  const study_group *at = longest(t, axis), **line = NULL;
  size_t n = at ? study_line(t, axis, at, &line) : 0;
  if (n > 1) print_line(t, axis, line[0], line[n - 1], to);
  free(line);
}
