/* curves.c - describes the curve along each numeric axis that does not state the problem.
 *
 * The other axes keep the settings of the best configuration. Each description says where the curve is flat, whether it
 * is U-shaped, and how the work counters change. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/text.h"

static const double flat_within = 0.05;

typedef struct {
  const study_table *table;
  const study_axis *axis;
  const study_group **line;
  size_t count, low;           /* low: the fastest */
  size_t first, last;          /* of the flat part around it */
  bool slow_small, slow_large; /* the end is slower than the fastest beyond the noise */
  bool single;                 /* some configurations ran only once: the noise is unknown */
} curve;

static const char *value(const curve *c, size_t i) {
  return study_group_value(c->line[i], c->axis->name);
}

static study_interval cost(const curve *c, size_t i) {
  return study_ratio(c->line[i]->runs, c->line[i]->ok, c->line[c->low]->runs, c->line[c->low]->ok);
}

/* True if slower than the fastest beyond the noise; single runs must be slower by more than what counts as flat. */
static bool slower(const curve *c, size_t i) {
  study_interval r = cost(c, i);
  double noise = fmax(c->table->noise, c->table->control_spread / 2);
  return r.low > 1 && r.median > 1 + (r.n > 1 ? noise : fmax(noise, flat_within));
}

/* True if within 5 % of the fastest or not slower beyond the noise. */
static bool level(const curve *c, size_t i) {
  return cost(c, i).median <= 1 + flat_within || !slower(c, i);
}

static bool curve_open(curve *c, const study_table *table, const study_axis *axis, const study_group *at) {
  *c = (curve){.table = table, .axis = axis};
  c->count = study_line(table, axis, at, &c->line);
  if (c->count < 3) return false;
  for (size_t i = 1; i < c->count; i++)
    if (c->line[i]->seconds.median < c->line[c->low]->seconds.median) c->low = i;
  for (size_t i = 0; i < c->count; i++) c->single |= c->line[i]->ok == 1;
  c->first = c->last = c->low;
  while (c->first > 0 && level(c, c->first - 1)) c->first--;
  while (c->last + 1 < c->count && level(c, c->last + 1)) c->last++;
  c->slow_small = slower(c, 0), c->slow_large = slower(c, c->count - 1);
  return true;
}

static bool is_u(const curve *c) {
  return c->slow_small && c->slow_large;
}

/* ---- sentences ---- */

/* The fastest of a curve need not be the best of all: a word such as auto may be faster than all numbers. */
static const char *lowest(const curve *c) {
  return c->line[c->low] == c->table->best ? "the best" : "the fastest number";
}

static const char *slower_how(const curve *c) {
  return c->single ? "clearly slower, judging by single runs" : "slower beyond the noise";
}

/* "delta", or "delta at scale=19" */
static void print_subject(const curve *c, FILE *to) {
  fputs(c->axis->name, to);
  study_print_at(c->table, to);
}

static void print_flat(const curve *c, FILE *to) {
  print_subject(c, to);
  if (c->first == c->last)
    fprintf(to, " has no flat range: the values next to %s are more than 5 %% slower.\n", value(c, c->low));
  else
    fprintf(to, " is flat from %s to %s%s: within 5 %% of %s, %s%s.\n", value(c, c->first), value(c, c->last),
            c->last - c->first + 1 == c->count ? ", all of its range" : "", lowest(c), value(c, c->low),
            c->single ? "" : ", or within the noise");
}

/* A counter at one end of the curve, against the fastest. */
static void print_change(const char *what, double there, double here, FILE *to) {
  if (here <= 0 && there <= 0)
    fprintf(to, "no %s", what);
  else if (here <= 0)
    fprintf(to, "%s grow from none to %.0f", what, there);
  else if (fabs(there / here - 1) < flat_within)
    fprintf(to, "%s stay the same (%.2fx)", what, there / here);
  else
    fprintf(to, "%s %s to %.3gx", what, there > here ? "grow" : "fall", there / here);
}

static void print_work(const curve *c, size_t i, FILE *to) {
  const study_group *there = c->line[i], *here = c->line[c->low];
  print_change("relaxations sent", there->work[STUDY_WORK_messages], here->work[STUDY_WORK_messages], to);
  fputs(", ", to);
  print_change("blocks", there->work[STUDY_WORK_blocks], here->work[STUDY_WORK_blocks], to);
  fputs(", ", to);
  print_change("bytes", there->work[STUDY_WORK_bytes], here->work[STUDY_WORK_bytes], to);
  fputs(" and ", to);
  print_change("epochs", there->work[STUDY_WORK_epochs], here->work[STUDY_WORK_epochs], to);
}

static void print_end(const curve *c, size_t i, bool slow, FILE *to) {
  const char *end = i == 0 ? "small" : "large";
  char text[96];
  if (i == c->low) {
    fprintf(to, " The %s end, %s, is %s itself.", end, value(c, i), lowest(c));
    return;
  }
  study_interval r = cost(c, i);
  study_print_ratio(text, sizeof text, &r);
  fprintf(to, " The %s end, %s, takes %s times as long as %s%s; there ", end, value(c, i), text, lowest(c),
          slow || c->single ? "" : ", which is within the noise");
  print_work(c, i, to);
  fputs(".", to);
}

static void print_shape(const curve *c, FILE *to) {
  print_subject(c, to);
  if (is_u(c))
    fprintf(to, " is U-shaped with its minimum at %s: both ends are %s.", value(c, c->low), slower_how(c));
  else
    fprintf(to, " is not U-shaped: %s is %s.",
            c->slow_small   ? "only the small end"
            : c->slow_large ? "only the large end"
                            : "neither end",
            slower_how(c));
  print_end(c, 0, c->slow_small, to);
  print_end(c, c->count - 1, c->slow_large, to);
  fputs("\n", to);
}

/* ---- all curves along an axis ---- */

/* True if it is the first configuration of its curve. */
static bool leads(const study_table *t, const study_axis *axis, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (study_alike(t, axis, &t->groups[k], &t->groups[i])) return false;
  return true;
}

static void print_others(const study_table *t, const study_axis *axis, FILE *to) {
  enum { MANY = 4000 }; /* configurations: above this, comparing all pairs takes too long */
  size_t curves = 0, us = 0;
  const char *low = "", *high = ""; /* values of the axis at the minima of the curves */
  double min = INFINITY, max = -INFINITY;
  for (size_t i = 0; i < t->count && t->count <= MANY; i++) {
    curve c = {0};
    if (leads(t, axis, i) && curve_open(&c, t, axis, &t->groups[i])) {
      const char *at = value(&c, c.low);
      double x = 0;
      curves++, us += is_u(&c);
      study_number(at, &x);
      if (x < min) min = x, low = at;
      if (x > max) max = x, high = at;
    }
    free(c.line);
  }
  if (curves < 2) return;
  fprintf(to, "Of all %zu curves along %s, over all values of the other axes, ", curves, axis->name);
  if (us)
    fprintf(to, "%zu %s", us, us == 1 ? "is" : "are");
  else
    fputs("none is", to);
  fprintf(to, " U-shaped; their minima are at %s%s%s.\n", low, low == high ? "" : " to ", low == high ? "" : high);
}

void study_print_curves(const study_table *t, FILE *to) {
  for (size_t i = 0; i < t->axis_count; i++) {
    curve c = {0};
    if (study_states_problem(t->axes[i].name)) {
      study_print_growth(t, &t->axes[i], to);
      continue;
    }
    const study_group *at = study_reference(t, &t->axes[i]);
    if (at && curve_open(&c, t, &t->axes[i], at)) {
      print_flat(&c, to);
      print_shape(&c, to);
      print_others(t, &t->axes[i], to);
    }
    free(c.line);
  }
}
