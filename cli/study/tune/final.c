/* final.c - the last rung of a race and its winner. */
#include <stdio.h>
#include <string.h>

#include "study/tune/race.h"

/* Removes finalists whose validated run fails. */
static tune_end check_finalists(tune *t, tune_candidate **list, size_t *n) {
  const tune_task k = {1, 0, true};
  size_t left = 1;
  for (size_t i = 1; i < *n; i++) {
    tune_end end = tune_run_job(t, list[i], &k);
    if (end) return end;
    if (!list[i]->failed) list[left++] = list[i];
  }
  *n = left;
  return TUNE_DONE;
}

/* As many as the schedule of the rungs gives, fewer if the budget requires it. */
static uint64_t final_sources(const tune *t, size_t n) {
  uint64_t sources = tune_sources(&t->cost, t->rung);
  while (sources > t->cost.first &&
         tune_elapsed(t) + tune_final_seconds(&t->cost, n - 1, TUNE_GOOD_ROUNDS, sources) > t->budget)
    sources = sources / 2 > t->cost.first ? sources / 2 : t->cost.first;
  return sources;
}

size_t tune_rounds(const tune *t) {
  size_t min = SIZE_MAX;
  for (size_t i = 0; i < t->finalist_count; i++) {
    const tune_candidate *c = t->finalists[i];
    if (!c->failed && c->ran < min) min = c->ran;
  }
  return t->finalist_count ? min : 0;
}

/* True if the budget allows a whole round. */
static bool has_round(const tune *t, const tune_task *k, size_t n) {
  return tune_fits(t, k->sources, (double)(n - 1) * tune_job_seconds(&t->cost, k->sources));
}

static tune_end run_final(tune *t) {
  tune_candidate *order[TUNE_FINALISTS + 1];
  const size_t n = t->finalist_count;
  const tune_task k = {t->final_sources, t->rung, false};
  for (size_t i = 0; i < n; i++) t->finalists[i]->ran = 0;
  for (size_t round = 0; n > 1 && round < TUNE_MAX_ROUNDS && has_round(t, &k, n); round++) {
    memcpy(order, t->finalists, n * sizeof *order);
    tune_shuffle(order, n, 100 * t->rung + round);
    for (size_t i = 0; i < n; i++) {
      if (order[i]->failed || !tune_fits(t, k.sources, 0)) continue;
      tune_end end = tune_run_job(t, order[i], &k);
      if (end) return end;
    }
  }
  return TUNE_DONE;
}

tune_end tune_final(tune *t, tune_candidate **list, size_t n) {
  char text[32];
  t->rung++;
  tune_end end = check_finalists(t, list, &n);
  if (end) return end;
  memcpy(t->finalists, list, n * sizeof *list);
  t->finalist_count = n;
  t->final_sources = final_sources(t, n);
  tune_progress(t, "scree: rung %zu, the last: %zu candidates and the default in turn, %s per job\n", t->rung, n - 1,
                tune_amount(t, t->final_sources, text, sizeof text));
  end = run_final(t);
  tune_settle(t->finalists, n, t->rung);
  return end;
}

const char *tune_kept(const tune *t) {
  if (t->finalist_count < 2 && t->wrong) return "no finalist gave a correct answer";
  if (t->finalist_count < 2 && !t->cut) return "all other candidates failed";
  if (tune_rounds(t) < TUNE_ROUNDS)
    return "the budget left too few jobs to distinguish the settings (a longer --budget helps)";
  return "nothing is faster than the default beyond the noise";
}

const tune_candidate *tune_winner(const tune *t, study_interval *gain) {
  const tune_candidate *standard = t->space.candidates, *best = standard;
  for (size_t i = 1; i < t->finalist_count; i++) {
    const tune_candidate *c = t->finalists[i];
    if (c->failed || c->ran < TUNE_ROUNDS) continue;
    study_interval ratio = study_ratio(c->runs, c->ran, standard->runs, standard->ran);
    if (ratio.n == 0 || ratio.high >= 1 || (best != standard && c->seconds >= best->seconds)) continue;
    best = c;
    *gain = ratio;
  }
  return best;
}
