/* run.c - one run of a configuration: judges the exit, output and errors of the job and makes the record. */
#include "study/run/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/util/fields.h"

/* Bytes of standard error that a message keeps; after a timeout all of it, since it has the hang report. */
enum { TAIL_MOST = 8 << 10 };

/* The result of a job. */
typedef struct {
  study_status status;
  char summary[512];  /* may be "" */
  const char *errors; /* the job's standard error; NULL */
  cJSON *result;      /* or NULL */
} verdict;

static __attribute__((format(printf, 3, 4))) void judge(verdict *v, study_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(v->summary, sizeof v->summary, format, list);
  va_end(list);
  v->status = status;
}

/* ---- output of a job ---- */

/* The JSON object in the output; launchers may print lines before and after it. */
static cJSON *find_result(const char *out) {
  const char *at = *out == '{' ? out : strstr(out, "\n{");
  return at ? cJSON_ParseWithOpts(at, NULL, false) : NULL;
}

/* The number of jobs that printed a result; their texts may be interleaved, but lines are intact. */
static unsigned count_results(const char *out) {
  static const char mark[] = "\"configuration\":";
  unsigned n = 0;
  for (const char *at = strstr(out, mark); at; at = strstr(at + 1, mark)) n++;
  return n;
}

/* The first run with a wrong answer, from 1; 0: none. */
static unsigned first_invalid(const cJSON *result) {
  const cJSON *run;
  unsigned n = 0;
  cJSON_ArrayForEach(run, study_field(result, "runs")) {
    n++;
    if (cJSON_IsFalse(study_field(run, "valid"))) return n;
  }
  return 0;
}

static bool all_validated(const cJSON *result) {
  const cJSON *run, *runs = study_field(result, "runs");
  cJSON_ArrayForEach(run, runs) if (!cJSON_IsBool(study_field(run, "valid"))) return false;
  return cJSON_GetArraySize(runs) > 0;
}

static double mean_of(const cJSON *runs, const char *group, const char *name) {
  const cJSON *run;
  double sum = 0;
  cJSON_ArrayForEach(run, runs) sum += study_field_number(group ? study_field(run, group) : run, name);
  return sum / cJSON_GetArraySize(runs);
}

static double harmonic_mean(const cJSON *runs, const char *name) {
  const cJSON *run;
  double inverse = 0, n = 0;
  cJSON_ArrayForEach(run, runs) {
    double rate = study_field_number(run, name);
    if (!(rate > 0)) continue;
    inverse += 1 / rate;
    n++;
  }
  return n > 0 ? n / inverse : 0;
}

/* ---- verdict ---- */

/* The most informative line of standard error: the first of scree itself, else the first that is not a separator. */
static void pick_line(const char *text, char *line, size_t size) {
  const char *at = strncmp(text, "scree: ", 7) == 0 ? text : strstr(text, "\nscree: ");
  if (!at) at = text + strspn(text, "-=*# \n");
  if (*at == '\n') at++;
  snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void judge_failure(verdict *v, const study_outcome *o) {
  char line[300];
  pick_line(o->err, line, sizeof line);
  const char *colon = *line ? ": " : "";
  if (o->exit < 0)
    judge(v, STUDY_FAILED, "%s", o->err);
  else if (o->exit > 128 && o->exit < 128 + 65)
    judge(v, STUDY_FAILED, "exit code %d, as of signal %d (%s)%s%s", o->exit, o->exit - 128, strsignal(o->exit - 128),
          colon, line);
  else
    judge(v, STUDY_FAILED, "exit code %d%s%s", o->exit, colon, line);
}

static void judge_result(verdict *v, const study_outcome *o, uint64_t requested) {
  double ranks = study_field_number(study_field(v->result, "configuration"), "ranks");
  const cJSON *runs = study_field(v->result, "runs");
  unsigned invalid = first_invalid(v->result);
  if (ranks > 0 && ranks != (double)requested) /* NOLINT: both are whole numbers */
    judge(v, STUDY_RANKS,
          "the job had %.0f rank%s instead of %" PRIu64 "; check how the launcher gets the number of ranks", ranks,
          ranks > 1 ? "s" : "", requested);
  else if (invalid)
    judge(v, STUDY_INVALID, "the answer of run %u is wrong (exit code %d)", invalid, o->exit);
  else if (o->exit)
    judge_failure(v, o);
  else if (!(ranks > 0) || !(mean_of(runs, NULL, "seconds") > 0))
    judge(v, STUDY_FAILED, "the JSON of the job lacks configuration.ranks or runs with seconds");
}

static void judge_job(verdict *v, const study_outcome *o, uint64_t requested, double timeout) {
  unsigned jobs = count_results(o->out);
  double ranks;
  v->errors = o->err;
  v->result = find_result(o->out);
  ranks = study_field_number(study_field(v->result, "configuration"), "ranks");
  if (o->timed_out)
    judge(v, STUDY_TIMEOUT, "not finished after %g s (option timeout)", timeout);
  else if (jobs > 1)
    judge(v, STUDY_RANKS,
          "the launcher started %u separate jobs of %.0f rank instead of one of %" PRIu64
          "; the launcher and the MPI of the program do not match: srun needs --mpi=pmix or --mpi=pmi2, mpirun and "
          "mpiexec must belong to the same MPI",
          jobs, ranks > 0 ? ranks : 1, requested);
  else if (v->result)
    judge_result(v, o, requested);
  else if (o->exit)
    judge_failure(v, o);
  else
    judge(v, STUDY_FAILED, "exit code 0, but standard output has no JSON object: '%.*s'", (int)strcspn(o->out, "\n"),
          o->out);
  if (o->exit < 0) v->errors = NULL; /* the summary has it */
}

/* ---- record ---- */

/* The summary, followed by the last lines of standard error. */
static bool add_message(cJSON *record, const verdict *v) {
  const char *errors = v->errors ? v->errors : "";
  size_t n = strlen(errors);
  char *text;
  if (!*v->summary) return true;
  if (n > TAIL_MOST && v->status != STUDY_TIMEOUT) {
    errors += n - TAIL_MOST;
    errors += strcspn(errors, "\n");
    errors += *errors == '\n';
  }
  n = strlen(errors);
  while (n && errors[n - 1] == '\n') n--;
  if (asprintf(&text, "%s%s%.*s", v->summary, n ? "\n" : "", (int)n, errors) < 0) return false;
  bool added = cJSON_AddStringToObject(record, "message", text);
  free(text);
  return added;
}

static void add_figures(cJSON *record, const cJSON *result) {
  const cJSON *runs = study_field(result, "runs");
  cJSON_AddNumberToObject(record, "seconds", mean_of(runs, NULL, "seconds"));
  cJSON_AddNumberToObject(record, "teps", harmonic_mean(runs, "teps"));
  cJSON *work = cJSON_AddObjectToObject(record, "work");
  for (size_t i = 0; i < STUDY_WORK_COUNT; i++)
    cJSON_AddNumberToObject(work, study_work_names[i], mean_of(runs, "work", study_work_names[i]));
}

/* The settings that are numbers, with units counted: "64K" is 65536, "1ms" is 1000000 (ns). */
static void add_numbers(cJSON *record, const study_configuration *c) {
  cJSON *numbers = cJSON_AddObjectToObject(record, "numbers");
  double x;
  for (size_t i = 0; i < c->count; i++)
    if (study_number(c->settings[i].value, &x)) cJSON_AddNumberToObject(numbers, c->settings[i].name, x);
}

static void add_configuration(cJSON *record, const study_configuration *c) {
  cJSON_AddStringToObject(record, "key", c->key);
  cJSON *axes = cJSON_AddObjectToObject(record, "configuration");
  for (size_t i = 0; i < c->count; i++) cJSON_AddStringToObject(axes, c->settings[i].name, c->settings[i].value);
  add_numbers(record, c);
}

static bool add_command(cJSON *record, const study_command *command) {
  cJSON *words = cJSON_AddArrayToObject(record, "command");
  for (size_t i = 0; command && command->argv[i]; i++)
    cJSON_AddItemToArray(words, cJSON_CreateString(command->argv[i]));
  cJSON *environment = cJSON_AddObjectToObject(record, "environment");
  for (size_t i = 0; command && command->env && command->env[i]; i++) {
    const char *value = strchr(command->env[i], '=');
    char *name = value ? strndup(command->env[i], (size_t)(value - command->env[i])) : NULL;
    if (name) cJSON_AddStringToObject(environment, name, value + 1);
    free(name);
  }
  return cJSON_AddBoolToObject(record, "threads_exceed_cores", command && command->too_many) != NULL;
}

/* Takes ownership of the result. cJSON accepts NULL without memory, so that checking the last call suffices. */
static cJSON *make_record(const study_configuration *c, const study_command *command, const char *started,
                          const study_outcome *o, verdict *v) {
  cJSON *record = cJSON_CreateObject();
  add_configuration(record, c);
  cJSON_AddStringToObject(record, "status", study_status_word(v->status));
  if (v->status == STUDY_OK) add_figures(record, v->result);
  cJSON_AddBoolToObject(record, "validated", all_validated(v->result));
  cJSON_AddStringToObject(record, "started", started);
  cJSON_AddNumberToObject(record, "wall_seconds", o->seconds);
  cJSON_AddNumberToObject(record, "exit", o->exit);
  bool whole = add_command(record, command) && add_message(record, v);
  if (v->result && !cJSON_AddItemToObject(record, "result", v->result)) whole = false, cJSON_Delete(v->result);
  v->result = NULL;
  if (whole) return record;
  cJSON_Delete(record);
  return NULL;
}

cJSON *study_run(const study_configuration *c, const study_terms *terms) {
  verdict v = {.status = STUDY_OK};
  study_outcome o = {.exit = -1};
  char started[21];
  cJSON *record = NULL;
  study_now(started);
  study_command *command = study_command_make(c, terms->launcher, terms->validate, v.summary, sizeof v.summary);
  if (!command) {
    v.status = STUDY_FAILED;
    return make_record(c, command, started, &o, &v);
  }
  o = study_child_run(command->argv, command->env, terms->timeout, terms->stop, terms->tick, terms->arg);
  if (o.out && o.err && !o.stopped) {
    judge_job(&v, &o, command->ranks, terms->timeout);
    record = make_record(c, command, started, &o, &v);
  }
  free(o.out);
  free(o.err);
  study_command_free(command);
  return record;
}

study_status study_run_status(const cJSON *record) {
  study_status status = STUDY_FAILED;
  return study_status_read(record, &status) ? status : STUDY_FAILED;
}

double study_run_seconds(const cJSON *record) {
  return study_field_number(record, "seconds");
}
