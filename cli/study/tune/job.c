/* job.c - one job of a race, and the first jobs, which measure the default. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/tune/race.h"

enum {
  SLOW = 10, /* a job fails when it takes SLOW times as long as the default and more than PATIENCE seconds */
  PATIENCE = 10,
  MAX_SOURCES = 256 /* per job */
};

tune_end tune_broken(tune *t, const char *text) {
  if (text != t->why) snprintf(t->why, sizeof t->why, "%s", text);
  return TUNE_BROKEN;
}

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
  if (!study_add_role(record, repetition, false)) return tune_broken(t, "no memory for a record");
  return study_writer_add(t->writer, record, t->why, sizeof t->why) ? TUNE_BROKEN : TUNE_DONE;
}

/* Runs a job. The caller deletes *record, which is NULL unless the job ended by itself. */
static tune_end run(tune *t, const tune_candidate *c, const tune_task *k, cJSON **record) {
  study_terms terms = t->terms;
  study_configuration *configuration = tune_configure(&t->space, c, k->sources);
  double slow = SLOW * tune_job_seconds(&t->cost, k->sources);
  if (c != t->space.candidates && slow < terms.timeout) terms.timeout = slow > PATIENCE ? slow : PATIENCE;
  if (terms.timeout > t->terms.timeout) terms.timeout = t->terms.timeout;
  terms.validate = k->validate;
  *record = configuration ? study_run(configuration, &terms) : NULL;
  tune_configuration_free(configuration);
  if (*terms.stop) return TUNE_STOPPED;
  if (!*record) return tune_broken(t, "no memory for a job");
  t->jobs++;
  return keep(t, *record, k->repetition);
}

/* Marks a candidate as failed. The default is never dropped; its failed job just gives no time. */
static void fail_candidate(tune *t, tune_candidate *c, const char *message) {
  char *settings = tune_settings(c);
  if (!t->failures++)
    snprintf(t->message, sizeof t->message, "%s: %.*s", settings ? settings : "", (int)strcspn(message, "\n"), message);
  free(settings);
  c->failed = c != t->space.candidates;
}

/* Updates the estimates. The cost of a source includes everything that grows with the number of sources. */
static void learn(tune *t, double wall, double seconds, uint64_t sources) {
  double rest = wall - seconds * (double)sources, each = (wall - t->cost.overhead) / (double)sources;
  if (sources == t->cost.first && rest > 0) t->cost.overhead += (rest - t->cost.overhead) / 8;
  if (each < seconds) each = seconds;
  t->cost.solve += (each - t->cost.solve) / 8;
}

tune_end tune_run_job(tune *t, tune_candidate *c, const tune_task *k) {
  cJSON *record;
  tune_end end = run(t, c, k, &record);
  if (end == TUNE_DONE && study_run_status(record) != STUDY_OK) fail_candidate(t, c, message_of(record));
  t->wrong += end == TUNE_DONE && study_run_status(record) == STUDY_INVALID;
  if (end == TUNE_DONE && study_run_status(record) == STUDY_OK && k->repetition) {
    if (c->ran < TUNE_MAX_ROUNDS) c->runs[c->ran++] = study_run_seconds(record);
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

/* Enough sources that the kernel takes a fair share of the job, but not more than the graph has. */
static void choose_sources(tune_cost *p, double vertices) {
  double few = p->overhead / (4 * p->solve), all = vertices > 0 ? vertices / 16 : MAX_SOURCES;
  p->max = all > MAX_SOURCES ? MAX_SOURCES : all < 1 ? 1 : (uint64_t)all;
  p->first = few > MAX_SOURCES / 4 ? MAX_SOURCES / 4 : few < 1 ? 1 : (uint64_t)few;
  if (p->first > p->max) p->first = p->max;
}

tune_end tune_first(tune *t, double *delta) {
  t->started = scree__seconds();
  for (int i = 0; i < 2; i++) { /* first validated, then without validation as all others */
    const tune_task k = {1, 0, i == 0};
    cJSON *record;
    tune_end end = run(t, t->space.candidates, &k, &record);
    if (end == TUNE_DONE && study_run_status(record) != STUDY_OK) {
      snprintf(t->why, sizeof t->why, "the job fails with default settings: %s", message_of(record));
      end = TUNE_BROKEN;
    }
    if (end == TUNE_DONE) {
      double wall = wall_of(record), solve = study_run_seconds(record);
      t->cost.solve = solve;
      t->cost.overhead = wall > solve ? wall - solve : 0;
      if (i == 0) t->cost.check = wall;
      choose_sources(&t->cost, strcmp(t->space.resource, "sources") ? 0 : number_at(record, "graph", "vertices"));
      *delta = number_at(record, "configuration", "delta");
    }
    cJSON_Delete(record);
    if (end) return end;
  }
  return TUNE_DONE;
}
