/* tune.c - scree tune: finds good settings for one job within a time budget. */
#include <scree/version.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/tune/tune.h"
#include "study/util/format.h"
#include "study/util/printable.h"

enum { MAX_CANDIDATES = 243 };            /* 3^5 */
static const double default_budget = 120, /* seconds */
    share = 0.8;                          /* of the budget is planned; further rounds of the last rung use the rest */

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
  (void)number;
  stopped = 1;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- results ---- */

static int open_results(tune *t) {
  const char *name = t->space.request->results;
  char date[21];
  cJSON *header = name ? cJSON_CreateObject() : NULL;
  if (!name) return 0;
  study_now(date);
  cJSON_AddNumberToObject(header, "scree_sweep", STUDY_FORMAT);
  cJSON_AddStringToObject(header, "version", SCREE_VERSION);
  cJSON_AddStringToObject(header, "title", *t->space.asked->title ? t->space.asked->title : "tune");
  cJSON_AddStringToObject(header, "plan", t->space.asked->text);
  cJSON_AddObjectToObject(header, "words");
  cJSON_AddStringToObject(header, "started", date);
  if (cJSON_AddNumberToObject(header, "steps", 0)) /* unknown in advance */
    t->writer = study_writer_open(name, header, false, t->why, sizeof t->why);
  else
    snprintf(t->why, sizeof t->why, "no memory for the results' header");
  cJSON_Delete(header);
  return t->writer ? 0 : -1;
}

/* ---- candidates ---- */

/* Makes jobs longer if few combinations leave much of the budget. */
static void lengthen(tune *t, size_t n, double seconds) {
  tune_cost longer = t->cost;
  for (longer.first *= 2; longer.first <= longer.max && tune_race_seconds(&longer, n) <= seconds; longer.first *= 2)
    t->cost = longer;
}

/* 0, or the exit code. */
static int draw(tune *t) {
  double seconds = share * t->budget - tune_elapsed(t);
  const size_t all = t->space.plan->count < MAX_CANDIDATES ? t->space.plan->count : MAX_CANDIDATES;
  size_t n = tune_size(&t->cost, seconds, all);
  if (n == 0) n = tune_size(&t->cost, t->budget - tune_elapsed(t), all);
  if (n == 0) {
    snprintf(t->why, sizeof t->why,
             "the budget of %.0f s is too short for a comparison: a job takes %.2g s; give --budget %.0fs or more",
             t->budget, tune_job_seconds(&t->cost, t->cost.first),
             1 + (tune_elapsed(t) + tune_race_seconds(&t->cost, all < 2 ? all : 2)) / share);
    return 1;
  }
  if (tune_space_draw(&t->space, n, t->why, sizeof t->why)) return 2;
  n = t->space.count - 1;
  if (n == 0) {
    snprintf(t->why, sizeof t->why,
             "all values equal the defaults, so there is nothing to compare; give --NAME V1,V2,...");
    return 2;
  }
  if (n + t->space.illegal + 1 >= t->space.plan->count) lengthen(t, n, seconds); /* all but the default */
  tune_progress(
      t, "scree: trying %zu of %zu combinations in about %.0f s; a job takes %.2g s, %.2g s of it in the kernel\n", n,
      t->space.plan->count, tune_elapsed(t) + tune_race_seconds(&t->cost, n), tune_job_seconds(&t->cost, t->cost.first),
      (double)t->cost.first * t->cost.solve);
  return 0;
}

/* ---- output ---- */

void tune_progress(const tune *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (!t->space.request->quiet) vfprintf(stderr, format, list);
  va_end(list);
}

static void print_finalist(const tune *t, const tune_candidate *c) {
  char median[32], low[32], high[32], *settings = tune_settings(c);
  const tune_candidate *standard = t->space.candidates;
  study_interval i = study_median(c->runs, c->ran), r = study_ratio(c->runs, c->ran, standard->runs, standard->ran);
  study_print_seconds(median, sizeof median, i.median);
  study_print_seconds(low, sizeof low, i.low);
  study_print_seconds(high, sizeof high, i.high);
  if (c->failed || !c->ran)
    printf("%12s  %-24s  %-22s  %s\n", c->failed ? "failed" : "no time", "", "", settings ? settings : "");
  else if (c == standard)
    printf("%12s  %10s to %-10s  %-22s  %s\n", median, low, high, "1", settings ? settings : "");
  else
    printf("%12s  %10s to %-10s  %.3f (%.3f to %.3f)  %s\n", median, low, high, r.median, r.low, r.high,
           settings ? settings : "");
  free(settings);
}

static void print_finalists(const tune *t) {
  printf("The last rung: %zu jobs of each.\n", tune_rounds(t));
  printf("%12s  %-24s  %-22s  %s\n", "median", "    95 % interval", "relative to default", "settings");
  for (size_t i = 0; i < t->finalist_count; i++) print_finalist(t, t->finalists[i]);
}

static void print_conclusion(const tune *t, const tune_candidate *winner) {
  print_finalists(t);
  if (t->failures) printf("%zu jobs failed; the first: %s\n", t->failures, t->message);
  if (winner == t->space.candidates) printf("%s; the default is kept\n", tune_kept(t));
}

static int conclude(tune *t, const char *name) {
  study_interval gain = {0};
  const tune_candidate *winner = tune_winner(t, &gain);
  const bool quiet = t->space.request->quiet;
  char *command = tune_command(t, winner, name);
  if (!quiet) print_conclusion(t, winner);
  int code = tune_write(t, name, winner, &gain) ? 1 : 0;
  if (code == 0 && !quiet) printf("written to %s; to use it: %s\n", name, command ? command : "--options");
  free(command);
  return code;
}

static int report_stopped(const tune *t) {
  const tune_candidate *best = NULL;
  for (size_t i = 0; i < t->space.count; i++) {
    const tune_candidate *c = &t->space.candidates[i];
    if (c->rung && !c->failed &&
        (!best || c->rung > best->rung || (c->rung == best->rung && c->seconds < best->seconds)))
      best = c;
  }
  char median[32] = "", *settings = best ? tune_settings(best) : NULL;
  if (best) study_print_seconds(median, sizeof median, best->seconds);
  fprintf(stderr, "scree: stopped in rung %zu after %zu jobs and %.0f s; no file is written", t->rung, t->jobs,
          tune_elapsed(t));
  if (settings) fprintf(stderr, "; best so far, in rung %zu: %s (%s)", best->rung, settings, median);
  fprintf(stderr, "\n");
  free(settings);
  return 130;
}

/* ---- the whole ---- */

/* Returns the exit code; after 1 and 2 t->why may have a reason. */
static int run_all(tune *t, const char *name) {
  double delta = 0;
  tune_end end = tune_first(t, &delta);
  if (end == TUNE_DONE && tune_space_find(&t->space, delta, t->why, sizeof t->why)) return 2;
  int code = end == TUNE_DONE ? draw(t) : 0;
  if (code) return code;
  if (end == TUNE_DONE) end = tune_race(t);
  if (end == TUNE_BROKEN) return 1;
  if (end == TUNE_DONE) return conclude(t, name);
  if (!t->finalist_count || tune_rounds(t) < TUNE_ROUNDS) return report_stopped(t);
  code = conclude(t, name);
  return code ? code : 130;
}

/* Checks that the job can be launched as given. */
static int check_job(tune *t) {
  study_configuration *c = tune_configure(&t->space, t->space.candidates, 1);
  study_command *command = c ? study_command_make(c, t->terms.launcher, true, t->why, sizeof t->why) : NULL;
  if (!c) snprintf(t->why, sizeof t->why, "no memory for a job");
  tune_configuration_free(c);
  if (!command) return -1;
  study_command_free(command);
  return 0;
}

static int prepare(tune *t, const study_request *request, const char *name) {
  if (tune_space_open(&t->space, request, t->why, sizeof t->why)) return -1;
  t->budget = request->budget > 0 ? request->budget : default_budget;
  t->terms = (study_terms){
      .launcher = study_default_launcher(t->space.asked), .timeout = t->space.asked->timeout, .stop = &stopped};
  if (check_job(t) || tune_write_check(t, name)) return -1;
  return open_results(t);
}

int study_tune(const study_request *request) {
  tune *t = calloc(1, sizeof *t);
  const char *name = request->best_file ? request->best_file : "tuned.options";
  if (!t) return fprintf(stderr, "scree: no memory\n"), 1;
  catch_signals();
  int code = prepare(t, request, name) ? 2 : run_all(t, name);
  if ((code == 1 || code == 2) && *t->why) study_complain(t->why);
  if (t->writer) study_writer_close(t->writer);
  tune_space_close(&t->space);
  free(t);
  return code;
}
