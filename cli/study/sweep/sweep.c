/* sweep.c - scree sweep: executes a plan one job at a time, with one record per run, and prints the table. */
#include "study/sweep/sweep.h"

#include <scree/version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/report.h"
#include "study/run/run.h"
#include "study/util/printable.h"

static volatile sig_atomic_t stop;

static void on_stop(int number) {
  (void)number;
  stop = 1;
}

/* A file size limit shows as a write error. SIGHUP ends the sweep unless it is ignored, as under nohup. */
static void catch_signals(void) {
  struct sigaction on = {.sa_handler = on_stop, .sa_flags = SA_RESTART}, before;
  sigaction(SIGINT, &on, NULL);
  sigaction(SIGTERM, &on, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &on, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

static cJSON *make_header(const study_sweep_state *s) {
  cJSON *header = cJSON_CreateObject();
  char started[21];
  study_now(started);
  cJSON_AddNumberToObject(header, "scree_sweep", STUDY_FORMAT);
  cJSON_AddStringToObject(header, "version", SCREE_VERSION);
  cJSON_AddStringToObject(header, "title", s->plan->title);
  cJSON_AddStringToObject(header, "plan", s->plan->text);
  cJSON *words = cJSON_AddObjectToObject(header, "words");
  for (size_t i = 0; i < s->constant_count; i++)
    cJSON_AddNumberToObject(words, s->constants[i].name, (double)s->constants[i].value);
  cJSON_AddStringToObject(header, "started", started);
  if (cJSON_AddNumberToObject(header, "steps", (double)s->step_count)) return header;
  cJSON_Delete(header);
  return NULL;
}

/* Opens the file. An existing one is read again under its lock, since another sweep may have added to it meanwhile. */
static study_writer *open_results(study_sweep_state *s, char *why, size_t size) {
  bool resume = s->results != NULL;
  cJSON *header = make_header(s);
  study_writer *w = NULL;
  if (header)
    w = study_writer_open(s->results_name, header, resume, why, size);
  else
    snprintf(why, size, "no memory for a header");
  cJSON_Delete(header);
  if (!w || !resume) return w;
  study_results_free(s->results);
  s->results = study_results_read(s->results_name, why, size);
  if (s->results && study_sweep_count(s, why, size)) return w;
  study_writer_close(w);
  return NULL;
}

/* How the steps ended: all were run; a signal stopped them; every graph was refused; a record could not be written. */
typedef enum { ENDED, STOPPED, REFUSED, BROKEN } ending;

/* Runs one step. ENDED, or why none follows; the reason of REFUSED and BROKEN is in why[size]. */
static ending run_step(study_sweep_state *s, size_t at, study_writer *w, char *why, size_t size) {
  const study_step *step = &s->steps[at];
  const study_terms terms = {.launcher = study_default_launcher(s->plan),
                             .timeout = s->plan->timeout,
                             .validate = step->repetition <= 1,
                             .stop = &stop,
                             .tick = study_progress_tick,
                             .arg = s->progress};
  study_progress_begin(s->progress);
  cJSON *record = study_run(&s->plan->configurations[step->configuration], &terms);
  if (!record && stop) return STOPPED;
  cJSON_AddNumberToObject(record, "step", (double)at);
  ending end = BROKEN;
  if (!study_add_role(record, step->repetition, step->control))
    snprintf(why, size, "no memory for a record");
  else if (study_writer_add(w, record, why, size) == 0)
    end = ENDED;
  if (end == ENDED) {
    study_progress_end(s->progress, at, record);
    study_refusals_count(s->refusals, step->configuration, record);
  }
  cJSON_Delete(record);
  return end;
}

static ending run_steps(study_sweep_state *s, study_writer *w, char *why, size_t size) {
  ending end = ENDED;
  for (size_t i = 0; i < s->step_count && end == ENDED; i++) {
    if (s->done[i]) continue;
    end = stop ? STOPPED : run_step(s, i, w, why, size);
    const char *reason = study_refusals_reason(s->refusals);
    if (end == ENDED && reason) end = REFUSED, snprintf(why, size, "%s", reason);
  }
  study_progress_clear(s->progress);
  return end;
}

/* Prints the table of all records in the file; *count: their number. Returns 1 if any run failed. */
static int print_results(const study_sweep_state *s, size_t *count) {
  char why[512];
  int code = 0;
  study_results *results = study_results_read(s->results_name, why, sizeof why);
  study_table *table = results ? study_table_make(results) : NULL;
  *count = results ? results->count : 0;
  for (size_t i = 0; i < *count; i++)
    if (results->records[i].status != STUDY_OK) code = 1;
  if (table && *count && !s->request->quiet)
    study_print_table(table, stdout);
  else if (!table)
    fprintf(stderr, "scree: no table: %s\n", results ? "no memory" : why);
  study_table_free(table);
  study_results_free(results);
  return table ? code : 1;
}

static void print_end(const study_sweep_state *s, ending end, size_t count, const char *why) {
  const char *scree = strncmp(why, "scree: ", 7) == 0 ? "" : "scree: ";
  if (end == REFUSED)
    fprintf(
        stderr,
        "%s%s\nscree: no run of this plan can succeed, so the sweep ended after %zu of %zu; correct the input, then "
        "start again with another --results FILE\n",
        scree, why, count, s->step_count);
  else if (end != ENDED)
    fprintf(stderr,
            "%s%s%sscree: the sweep %s after %zu of %zu runs, which are in '%s'; to continue, repeat the command with "
            "--resume\n",
            end == BROKEN ? scree : "", end == BROKEN ? why : "", end == BROKEN ? "\n" : "",
            end == STOPPED ? "was stopped" : "ended", count, s->step_count, s->results_name);
}

static int finish(const study_sweep_state *s, ending end, const char *why) {
  size_t count;
  int code = print_results(s, &count);
  if (end == ENDED && !s->request->quiet)
    printf("\nResults: %s; 'scree report %s' analyses them.\n", s->results_name, s->results_name);
  if (fflush(stdout) || ferror(stdout)) {
    perror("scree: standard output");
    code = 1;
  }
  print_end(s, end, count, why);
  return end == STOPPED ? 130 : end == REFUSED ? 2 : end == BROKEN ? 1 : code;
}

static void print_start(const study_sweep_state *s) {
  size_t done = 0;
  for (size_t i = 0; i < s->step_count; i++) done += s->done[i];
  fprintf(stderr, "scree: %zu runs of %zu configuration%s; each adds a record to '%s'", s->step_count, s->plan->count,
          s->plan->count == 1 ? "" : "s", s->results_name);
  if (done) fprintf(stderr, ", which already has %zu", done);
  fputc('\n', stderr);
}

static int run(study_sweep_state *s, char *why, size_t size) {
  catch_signals();
  study_writer *w = open_results(s, why, size);
  if (!w) {
    study_complain(why);
    return 2;
  }
  if (!s->request->quiet) print_start(s);
  study_sweep_warn(s, stderr);
  ending end = run_steps(s, w, why, size);
  study_writer_close(w);
  return finish(s, end, why);
}

int study_sweep(const study_request *request) {
  study_sweep_state s;
  char why[1024] = "";
  int code = 2;
  if (!study_sweep_prepare(&s, request, why, sizeof why))
    study_complain(why);
  else if (request->dry_run)
    code = study_sweep_print(&s, stdout) ? 1 : 0;
  else
    code = run(&s, why, sizeof why);
  study_sweep_free(&s);
  return code;
}
