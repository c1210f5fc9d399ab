/* race.c - successive halving (Jamieson & Talwalkar, AISTATS 2016) that keeps a third per rung.
 *
 * The default takes part in every rung. No job starts that would exceed the budget by the durations measured so far. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "study/tune/tune.h"
#include "study/util/format.h"

enum {
  SLOW = 10, /* a job that takes so many times the default's, and PATIENCE seconds, has lost */
  PATIENCE = 10,
  MOST = 256 /* sources of a job */
};

double tune_elapsed(const tune *t) {
  return t->started > 0 ? scree__seconds() - t->started : 0;
}

const char *tune_amount(const tune *t, uint64_t amount, char *text, size_t size) {
  snprintf(text, size, "%llu %s%s", (unsigned long long)amount, strcmp(t->space.resource, "sources") ? "run" : "source",
           amount > 1 ? "s" : "");
  return text;
}

static tune_end broken(tune *t, const char *text) {
  if (text != t->why) snprintf(t->why, sizeof t->why, "%s", text);
  return TUNE_BROKEN;
}

/* ---- one job ---- */

typedef struct {
  uint64_t sources;
  size_t repetition; /* of the record: the rung, 0: it does not count */
  bool validate;
} task;

static const char *message_of(const cJSON *record) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "message"));
  return text ? text : "it failed";
}

static double wall_of(const cJSON *record) {
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(record, "wall_seconds"));
}

static tune_end keep(tune *t, cJSON *record, size_t repetition) {
  if (!t->writer) return TUNE_DONE;
  cJSON_AddNumberToObject(record, "step", (double)t->step++);
  cJSON_AddNumberToObject(record, "repetition", (double)repetition);
  if (!cJSON_AddBoolToObject(record, "control", false)) return broken(t, "no memory for a record");
  return study_writer_add(t->writer, record, t->why, sizeof t->why) ? TUNE_BROKEN : TUNE_DONE;
}

/* Runs it; the caller deletes *record, which is NULL unless the job ended by itself. */
static tune_end run(tune *t, const tune_candidate *c, const task *k, cJSON **record) {
  study_terms terms = t->terms;
  study_configuration *configuration = tune_configure(&t->space, c, k->sources);
  double slow = SLOW * tune_job_seconds(&t->price, k->sources);
  if (c != t->space.candidates && slow < terms.timeout) terms.timeout = slow > PATIENCE ? slow : PATIENCE;
  if (terms.timeout > t->terms.timeout) terms.timeout = t->terms.timeout;
  terms.validate = k->validate;
  *record = configuration ? study_run(configuration, &terms) : NULL;
  tune_configuration_free(configuration);
  if (*terms.stop) return TUNE_STOPPED;
  if (!*record) return broken(t, "no memory for a job");
  t->jobs++;
  return keep(t, *record, k->repetition);
}

/* Drops a candidate; the default stays, without a figure. */
static void fail_candidate(tune *t, tune_candidate *c, const char *message) {
  char *words = tune_words(c);
  if (!t->failures++)
    snprintf(t->message, sizeof t->message, "%s: %.*s", words ? words : "", (int)strcspn(message, "\n"), message);
  free(words);
  c->failed = c != t->space.candidates;
}

/* The price of a source takes in all that grows with their number. */
static void learn(tune *t, double wall, double seconds, uint64_t sources) {
  double rest = wall - seconds * (double)sources, each = (wall - t->price.overhead) / (double)sources;
  if (sources == t->price.first && rest > 0) t->price.overhead += (rest - t->price.overhead) / 8;
  if (each < seconds) each = seconds;
  t->price.solve += (each - t->price.solve) / 8;
}

static tune_end race_job(tune *t, tune_candidate *c, const task *k) {
  cJSON *record;
  tune_end end = run(t, c, k, &record);
  if (end == TUNE_DONE && study_run_status(record) != STUDY_OK) fail_candidate(t, c, message_of(record));
  t->wrong += end == TUNE_DONE && study_run_status(record) == STUDY_INVALID;
  if (end == TUNE_DONE && study_run_status(record) == STUDY_OK && k->repetition) {
    if (c->ran < TUNE_MOST_ROUNDS) c->runs[c->ran++] = study_run_seconds(record);
    learn(t, wall_of(record), study_run_seconds(record), k->sources);
  }
  cJSON_Delete(record);
  return end;
}

/* ---- the default alone ---- */

static double number_at(const cJSON *record, const char *group, const char *name) {
  const cJSON *result = cJSON_GetObjectItemCaseSensitive(record, "result");
  double x =
      cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(result, group), name));
  return x > 0 ? x : 0;
}

/* Enough sources that solving is not small beside starting, few enough that the graph has them. */
static void choose_sources(tune_price *p, double vertices) {
  double few = p->overhead / (4 * p->solve), all = vertices > 0 ? vertices / 16 : MOST;
  p->max = all > MOST ? MOST : all < 1 ? 1 : (uint64_t)all;
  p->first = few > MOST / 4 ? MOST / 4 : few < 1 ? 1 : (uint64_t)few;
  if (p->first > p->max) p->first = p->max;
}

tune_end tune_first(tune *t, double *delta) {
  t->started = scree__seconds();
  for (int i = 0; i < 2; i++) { /* validated, then as the others will be */
    const task k = {1, 0, i == 0};
    cJSON *record;
    tune_end end = run(t, t->space.candidates, &k, &record);
    if (end == TUNE_DONE && study_run_status(record) != STUDY_OK) {
      snprintf(t->why, sizeof t->why, "the job fails as it is given, without further settings: %s", message_of(record));
      end = TUNE_BROKEN;
    }
    if (end == TUNE_DONE) {
      double wall = wall_of(record), solve = study_run_seconds(record);
      t->price.solve = solve;
      t->price.overhead = wall > solve ? wall - solve : 0;
      if (i == 0) t->price.check = wall;
      choose_sources(&t->price, strcmp(t->space.resource, "sources") ? 0 : number_at(record, "graph", "vertices"));
      *delta = number_at(record, "configuration", "delta");
    }
    cJSON_Delete(record);
    if (end) return end;
  }
  return TUNE_DONE;
}

/* ---- rungs ---- */

static int by_seconds(const void *a, const void *b) {
  const tune_candidate *const *x = a, *const *y = b;
  if ((*x)->rung != (*y)->rung) return (*x)->rung < (*y)->rung ? 1 : -1;
  return ((*x)->seconds > (*y)->seconds) - ((*x)->seconds < (*y)->seconds);
}

static void shuffle(tune_candidate **list, size_t n, uint64_t seed) {
  for (size_t i = n; i > 1; i--) {
    size_t k = scree__draw(&seed) % i;
    tune_candidate *c = list[k];
    list[k] = list[i - 1];
    list[i - 1] = c;
  }
}

/* Is there room for one more such job, and for what has to follow? */
static bool has_room(const tune *t, uint64_t sources, double reserve) {
  return tune_elapsed(t) + tune_job_seconds(&t->price, sources) + reserve <= t->budget;
}

/* What the last rung takes at least. */
static double reserve(const tune *t, size_t n) {
  return tune_final_seconds(&t->price, n < TUNE_FINALISTS ? n : TUNE_FINALISTS, TUNE_ROUNDS, t->price.first);
}

static void settle(tune_candidate **list, size_t n, size_t rung) {
  for (size_t i = 0; i < n; i++) {
    if (!list[i]->ran) continue;
    list[i]->seconds = study_median(list[i]->runs, list[i]->ran).median;
    list[i]->rung = rung;
  }
}

/* Leaves out those that failed or never ran; the default comes first. */
static size_t compact(tune *t, tune_candidate **list, size_t n) {
  size_t left = 1, usual = 0;
  while (list[usual] != t->space.candidates) usual++;
  list[usual] = list[0];
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

static void show_rung(const tune *t, tune_candidate *const *list, size_t n, size_t goes) {
  char best[32] = "-", usual[32] = "-", *words = n > 1 ? tune_words(list[1]) : NULL;
  if (n > 1) study_print_seconds(best, sizeof best, list[1]->seconds);
  if (list[0]->rung) study_print_seconds(usual, sizeof usual, list[0]->seconds);
  fprintf(stderr, "scree: rung %zu: best %s (%s), default %s; %zu go on; %zu failed; %.0f s of %.0f s%s\n", t->rung,
          best, words ? words : "none", usual, goes, tune_failed(t), tune_elapsed(t), t->budget,
          t->cut ? "; the budget cut it short" : "");
  free(words);
}

/* Runs all of the list, shuffled, a job each, as often as the rung says. */
static tune_end run_rung(tune *t, tune_candidate **list, size_t n) {
  const task k = {tune_sources(&t->price, t->rung), t->rung, false};
  const size_t jobs = tune_jobs(&t->price, t->rung);
  for (size_t i = 0; i < n; i++) list[i]->ran = 0;
  for (size_t round = 0; round < jobs && !t->cut; round++) {
    shuffle(list, n, 100 * t->rung + round);
    for (size_t i = 0; i < n && !t->cut; i++) {
      if (list[i]->failed) continue;
      t->cut = !has_room(t, k.sources, reserve(t, n - 1));
      tune_end end = t->cut ? TUNE_DONE : race_job(t, list[i], &k);
      if (end) return end;
    }
  }
  settle(list, n, t->rung);
  return TUNE_DONE;
}

/* The first of the list is the default. Returns, in *n, how many are left: the default and who goes to the last rung. */
static tune_end halve(tune *t, tune_candidate **list, size_t *n) {
  while (*n > TUNE_FINALISTS + 1 && !t->cut) {
    size_t all = *n;
    char text[32];
    t->rung++;
    fprintf(stderr, "scree: rung %zu: %zu candidates and the default, %s a job\n", t->rung, all - 1,
            tune_amount(t, tune_sources(&t->price, t->rung), text, sizeof text));
    tune_end end = run_rung(t, list, all);
    if (end) return end;
    *n = compact(t, list, all);
    qsort(list + 1, *n - 1, sizeof(tune_candidate *), by_seconds);
    size_t next = t->cut ? TUNE_FINALISTS : tune_next(all - 1), goes = *n - 1 < next ? *n - 1 : next;
    show_rung(t, list, *n, goes);
    *n = goes + 1;
  }
  return TUNE_DONE;
}

/* ---- the last rung ---- */

/* Their answers are checked first. */
static tune_end check_finalists(tune *t, tune_candidate **list, size_t *n) {
  const task k = {1, 0, true};
  size_t left = 1;
  for (size_t i = 1; i < *n; i++) {
    tune_end end = race_job(t, list[i], &k);
    if (end) return end;
    if (!list[i]->failed) list[left++] = list[i];
  }
  *n = left;
  return TUNE_DONE;
}

/* As many as the rungs before lead to, or fewer if the budget asks. */
static uint64_t final_sources(const tune *t, size_t n) {
  uint64_t sources = tune_sources(&t->price, t->rung);
  while (sources > t->price.first &&
         tune_elapsed(t) + tune_final_seconds(&t->price, n - 1, TUNE_GOOD_ROUNDS, sources) > t->budget)
    sources = sources / 2 > t->price.first ? sources / 2 : t->price.first;
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

/* Room for a whole round. */
static bool has_round(const tune *t, const task *k, size_t n) {
  return has_room(t, k->sources, (double)(n - 1) * tune_job_seconds(&t->price, k->sources));
}

static tune_end run_final(tune *t) {
  tune_candidate *order[TUNE_FINALISTS + 1];
  const size_t n = t->finalist_count;
  const task k = {t->final_sources, t->rung, false};
  for (size_t i = 0; i < n; i++) t->finalists[i]->ran = 0;
  for (size_t round = 0; n > 1 && round < TUNE_MOST_ROUNDS && has_round(t, &k, n); round++) {
    memcpy(order, t->finalists, n * sizeof *order);
    shuffle(order, n, 100 * t->rung + round);
    for (size_t i = 0; i < n; i++) {
      if (order[i]->failed || !has_room(t, k.sources, 0)) continue;
      tune_end end = race_job(t, order[i], &k);
      if (end) return end;
    }
  }
  return TUNE_DONE;
}

static tune_end finish(tune *t, tune_candidate **list, size_t n) {
  char text[32];
  t->rung++;
  tune_end end = check_finalists(t, list, &n);
  if (end) return end;
  memcpy(t->finalists, list, n * sizeof *list);
  t->finalist_count = n;
  t->final_sources = final_sources(t, n);
  fprintf(stderr, "scree: rung %zu, the last: %zu of them and the default in turns, %s a job\n", t->rung, n - 1,
          tune_amount(t, t->final_sources, text, sizeof text));
  end = run_final(t);
  settle(t->finalists, n, t->rung);
  return end;
}

tune_end tune_race(tune *t) {
  tune_space *s = &t->space;
  tune_candidate **list = calloc(s->count, sizeof(tune_candidate *));
  if (!list) return broken(t, "no memory for a list of candidates");
  size_t n = s->count;
  for (size_t i = 0; i < n; i++) list[i] = &s->candidates[i];
  tune_end end = halve(t, list, &n);
  if (end == TUNE_DONE) end = finish(t, list, n);
  free(list);
  bool any = t->finalist_count > 1 || !t->failures || t->wrong;
  for (size_t i = 1; i < s->count; i++) any |= s->candidates[i].rung > 0;
  return end != TUNE_DONE || any ? end : broken(t, t->message);
}

const char *tune_kept(const tune *t) {
  if (t->finalist_count < 2 && t->wrong) return "no finalist's answer was right";
  if (t->finalist_count < 2 && !t->cut) return "all other candidates failed";
  if (tune_rounds(t) < TUNE_ROUNDS)
    return "the budget left too few jobs to tell one from the other (a longer --budget helps)";
  return "nothing is faster than the default beyond the noise";
}

const tune_candidate *tune_winner(const tune *t, study_interval *gain) {
  const tune_candidate *usual = t->space.candidates, *best = usual;
  for (size_t i = 1; i < t->finalist_count; i++) {
    const tune_candidate *c = t->finalists[i];
    if (c->failed || c->ran < TUNE_ROUNDS) continue;
    study_interval ratio = study_ratio(c->runs, c->ran, usual->runs, usual->ran);
    if (ratio.n == 0 || ratio.high >= 1 || (best != usual && c->seconds >= best->seconds)) continue;
    best = c;
    *gain = ratio;
  }
  return best;
}
