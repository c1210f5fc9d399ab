/* race.c - successive halving (Jamieson & Talwalkar, AISTATS 2016) that keeps a third per rung.
 *
 * The default takes part in every rung. No job starts that would exceed the budget by the durations measured so far. */
#include "study/tune/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "study/util/format.h"

double tune_elapsed(const tune *t) {
  return t->started > 0 ? scree__seconds() - t->started : 0;
}

const char *tune_amount(const tune *t, uint64_t amount, char *text, size_t size) {
  snprintf(text, size, "%llu %s%s", (unsigned long long)amount, strcmp(t->space.resource, "sources") ? "run" : "source",
           amount > 1 ? "s" : "");
  return text;
}

static int by_seconds(const void *a, const void *b) {
  const tune_candidate *const *x = a, *const *y = b;
  if ((*x)->rung != (*y)->rung) return (*x)->rung < (*y)->rung ? 1 : -1;
  return ((*x)->seconds > (*y)->seconds) - ((*x)->seconds < (*y)->seconds);
}

void tune_shuffle(tune_candidate **list, size_t n, uint64_t seed) {
  for (size_t i = n; i > 1; i--) {
    size_t k = scree__draw(&seed) % i;
    tune_candidate *c = list[k];
    list[k] = list[i - 1];
    list[i - 1] = c;
  }
}

bool tune_fits(const tune *t, uint64_t sources, double reserve) {
  return tune_elapsed(t) + tune_job_seconds(&t->cost, sources) + reserve <= t->budget;
}

/* The minimum duration of the last rung. */
static double reserve(const tune *t, size_t n) {
  return tune_final_seconds(&t->cost, n < TUNE_FINALISTS ? n : TUNE_FINALISTS, TUNE_ROUNDS, t->cost.first);
}

void tune_settle(tune_candidate **list, size_t n, size_t rung) {
  for (size_t i = 0; i < n; i++) {
    if (!list[i]->ran) continue;
    list[i]->seconds = study_median(list[i]->runs, list[i]->ran).median;
    list[i]->rung = rung;
  }
}

/* Moves the default to the front and removes candidates that failed or never ran. Returns the new length. */
static size_t compact(tune *t, tune_candidate **list, size_t n) {
  size_t left = 1, standard = 0;
  while (list[standard] != t->space.candidates) standard++;
  list[standard] = list[0];
  list[0] = t->space.candidates;
  for (size_t i = 1; i < n; i++)
    if (!list[i]->failed && list[i]->rung) list[left++] = list[i];
  return left;
}

size_t tune_failed(const tune *t) {
  size_t failed = 0;
  for (size_t i = 1; i < t->space.count; i++) failed += t->space.candidates[i].failed;
  return failed;
}

static void show_rung(const tune *t, tune_candidate *const *list, size_t n, size_t promoted) {
  char best[32] = "-", standard[32] = "-", *settings = n > 1 ? tune_settings(list[1]) : NULL;
  if (n > 1) study_print_seconds(best, sizeof best, list[1]->seconds);
  if (list[0]->rung) study_print_seconds(standard, sizeof standard, list[0]->seconds);
  tune_progress(t, "scree: rung %zu: best %s (%s), default %s; %zu promoted; %zu failed; %.0f s of %.0f s%s\n", t->rung,
                best, settings ? settings : "none", standard, promoted, tune_failed(t), tune_elapsed(t), t->budget,
                t->cut ? "; cut short by the budget" : "");
  free(settings);
}

/* Runs all candidates in shuffled rounds, as many as the rung requires. */
static tune_end run_rung(tune *t, tune_candidate **list, size_t n) {
  const tune_task k = {tune_sources(&t->cost, t->rung), t->rung, false};
  const size_t jobs = tune_jobs(&t->cost, t->rung);
  for (size_t i = 0; i < n; i++) list[i]->ran = 0;
  for (size_t round = 0; round < jobs && !t->cut; round++) {
    tune_shuffle(list, n, 100 * t->rung + round);
    for (size_t i = 0; i < n && !t->cut; i++) {
      if (list[i]->failed) continue;
      t->cut = !tune_fits(t, k.sources, reserve(t, n - 1));
      tune_end end = t->cut ? TUNE_DONE : tune_run_job(t, list[i], &k);
      if (end) return end;
    }
  }
  tune_settle(list, n, t->rung);
  return TUNE_DONE;
}

/* Runs the rungs before the last one. list[0] is the default. *n becomes the length for the last rung, including the
 * default. */
static tune_end halve(tune *t, tune_candidate **list, size_t *n) {
  while (*n > TUNE_FINALISTS + 1 && !t->cut) {
    size_t all = *n;
    char text[32];
    t->rung++;
    tune_progress(t, "scree: rung %zu: %zu candidates and the default, %s per job\n", t->rung, all - 1,
                  tune_amount(t, tune_sources(&t->cost, t->rung), text, sizeof text));
    tune_end end = run_rung(t, list, all);
    if (end) return end;
    *n = compact(t, list, all);
    qsort(list + 1, *n - 1, sizeof(tune_candidate *), by_seconds);
    size_t next = t->cut ? TUNE_FINALISTS : tune_next(all - 1), promoted = *n - 1 < next ? *n - 1 : next;
    show_rung(t, list, *n, promoted);
    *n = promoted + 1;
  }
  return TUNE_DONE;
}

tune_end tune_race(tune *t) {
  tune_space *s = &t->space;
  tune_candidate **list = calloc(s->count, sizeof(tune_candidate *));
  if (!list) return tune_broken(t, "no memory for a list of candidates");
  size_t n = s->count;
  for (size_t i = 0; i < n; i++) list[i] = &s->candidates[i];
  tune_end end = halve(t, list, &n);
  if (end == TUNE_DONE) end = tune_final(t, list, n);
  free(list);
  bool any = t->finalist_count > 1 || !t->failures || t->wrong;
  for (size_t i = 1; i < s->count; i++) any |= s->candidates[i].rung > 0;
  return end != TUNE_DONE || any ? end : tune_broken(t, t->message);
}
