/* results.c - reads result files.
 *
 * The texts of a record point into its JSON, which the results own. */
#include "study/results/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/input_file.h"
#include "study/util/fields.h"
#include "study/util/printable.h"

#define STUDY__WORD(id, word) word,
static const char *const statuses[] = {STUDY_STATUSES(STUDY__WORD)};
#define STUDY__NAME(name) #name,
const char *const study_work_names[STUDY_WORK_COUNT] = {STUDY_WORKS(STUDY__NAME)};

const char *study_status_word(study_status status) {
  return statuses[status];
}

const char *study_role_word(uint64_t repetition, bool control) {
  return repetition == 0 ? "warmup" : control ? "control" : "data";
}

bool study_add_role(cJSON *record, uint64_t repetition, bool control) {
  cJSON_AddNumberToObject(record, "repetition", (double)repetition);
  cJSON_AddBoolToObject(record, "control", control);
  return cJSON_AddStringToObject(record, "role", study_role_word(repetition, control));
}

void study_now(char text[21]) {
  time_t t = time(NULL);
  struct tm utc;
  if (!gmtime_r(&t, &utc) || !strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &utc)) *text = 0;
}

/* ---- text ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; name && i < count; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Texts reach terminals, scripts and pages. What names and identifies a run is text as scree wrote it, or the file is
 * refused; in the rest, which jobs and libraries wrote, what is not printable is replaced. Returns NULL or an error
 * text. */
static const char *check_text(cJSON *item, bool strict) {
  static const char *const exact[] = {"key", "title", "configuration"}, *const lines[] = {"message", "plan",
                                                                                          "mpi_library"};
  const char *wrong = NULL, *name = item->string;
  if (name && !study_is_printable(name)) return "a name has a control character, so scree did not write this file";
  strict |= is_one_of(name, exact, sizeof exact / sizeof exact[0]);
  if (cJSON_IsString(item) && strict && !study_is_printable(item->valuestring))
    return "a setting, key or title has a control character, so scree did not write this file";
  if (cJSON_IsString(item))
    study_make_printable(item->valuestring, is_one_of(name, lines, sizeof lines / sizeof lines[0]));
  for (cJSON *child = item->child; child && !wrong; child = child->next) wrong = check_text(child, strict);
  return wrong;
}

/* ---- one line ---- */

static bool whole_of(const cJSON *o, const char *name, uint64_t *number) {
  const cJSON *item = study_field(o, name);
  if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > 9e15) return false;
  *number = (uint64_t)item->valuedouble;
  return true;
}

bool study_status_read(const cJSON *line, study_status *status) {
  const char *word = study_field_text(line, "status");
  for (size_t i = 0; word && i < sizeof statuses / sizeof statuses[0]; i++)
    if (strcmp(word, statuses[i]) == 0) return *status = (study_status)i, true;
  return false;
}

/* Returns NULL or an error text. */
static const char *read_settings(const cJSON *axes, study_record *r) {
  const cJSON *item;
  if (!cJSON_IsObject(axes)) return "the configuration is missing";
  r->settings = calloc((size_t)cJSON_GetArraySize(axes) + 1, sizeof *r->settings);
  if (!r->settings) return "no memory";
  cJSON_ArrayForEach(item, axes) {
    if (!cJSON_IsString(item)) return "a value of the configuration is not text";
    r->settings[r->count++] = (study_setting){item->string, item->valuestring};
  }
  return NULL;
}

/* Makes a record of a line, which the record keeps. Returns NULL or an error text. */
static const char *read_record(const cJSON *line, study_record *r) {
  *r = (study_record){
      .json = line, .key = study_field_text(line, "key"), .started = study_field_text(line, "started"), .message = ""};
  if (!r->key || !whole_of(line, "step", &r->step) || !whole_of(line, "repetition", &r->repetition))
    return "key, step or repetition is missing";
  if (!study_status_read(line, &r->status)) return "status is not one of ok, invalid, failed, timeout, ranks";
  r->control = cJSON_IsTrue(study_field(line, "control"));
  r->validated = cJSON_IsTrue(study_field(line, "validated"));
  if (!r->started) r->started = "";
  if (study_field_text(line, "message")) r->message = study_field_text(line, "message");
  if (r->status == STUDY_OK) {
    r->seconds = study_field_number(line, "seconds");
    r->teps = study_field_number(line, "teps");
    for (size_t i = 0; i < STUDY_WORK_COUNT; i++)
      r->work[i] = study_field_number(study_field(line, "work"), study_work_names[i]);
    if (!(r->seconds > 0)) return "status is ok, but seconds is missing";
  }
  return read_settings(study_field(line, "configuration"), r);
}

/* ---- the file ---- */

/* Returns NULL or an error text. */
static const char *read_header(study_results *r, cJSON *line) {
  r->header = line;
  const double format = study_field_number(line, "scree_sweep");
  if (format > STUDY_FORMAT) return "of a newer release of scree; read it with that one";
  if (!(format >= 1)) return "not a result file of scree sweep";
  if (format < STUDY_FORMAT) return "of scree before 0.2; 'scree report --csv' of scree 0.2 converts it";
  r->title = study_field_text(line, "title");
  r->plan = study_field_text(line, "plan");
  if (!r->title) r->title = "";
  return r->plan && whole_of(line, "steps", &r->steps) ? NULL : "the header lacks plan or steps";
}

static const char *add_line(study_results *r, const char *text, size_t *capacity) {
  cJSON *line = cJSON_ParseWithOpts(text, NULL, true);
  if (!cJSON_IsObject(line)) {
    cJSON_Delete(line);
    return r->header ? "not a JSON object" : "not a result file of scree sweep";
  }
  const char *wrong = check_text(line, false);
  if (wrong) {
    cJSON_Delete(line);
    return wrong;
  }
  if (!r->header) return read_header(r, line);
  if (r->count == *capacity) {
    size_t more = *capacity ? 2 * *capacity : 64;
    study_record *records = realloc(r->records, more * sizeof *records);
    if (!records) {
      cJSON_Delete(line);
      return "no memory";
    }
    r->records = records;
    *capacity = more;
  }
  return read_record(line, &r->records[r->count++]);
}

/* Returns NULL or an error text; *number: the line. */
static const char *read_lines(study_results *r, FILE *file, size_t *number) {
  char *text = NULL;
  size_t size = 0, capacity = 0;
  ssize_t n;
  const char *wrong = NULL;
  *number = 0;
  errno = 0;
  while (!wrong && !r->torn && (n = getline(&text, &size, file)) > 0) {
    ++*number;
    r->torn = text[n - 1] != '\n';
    if (!r->torn) wrong = add_line(r, text, &capacity);
  }
  if (!wrong && errno && !feof(file)) wrong = strerror(errno);
  if (!wrong && !r->header) wrong = "no complete line; remove the file";
  free(text);
  return wrong;
}

study_results *study_results_read(const char *name, char *why, size_t size) {
  size_t line = 0;
  const char *wrong;
  FILE *file = scree__input_open_text(name, &wrong);
  study_results *r = file ? calloc(1, sizeof *r) : NULL;
  if (file) wrong = "no memory";
  if (r) r->name = strdup(name);
  if (!r || !r->name) {
    snprintf(why, size, "results '%s': %s", name, wrong);
  } else {
    wrong = read_lines(r, file, &line);
    study_make_printable(r->name, false);
    if (wrong) snprintf(why, size, "results '%s', line %zu: %s", name, line, wrong);
  }
  if (file) fclose(file);
  if (!wrong) return r;
  study_results_free(r);
  return NULL;
}

void study_results_free(study_results *r) {
  if (!r) return;
  for (size_t i = 0; i < r->count; i++) {
    free(r->records[i].settings);
    cJSON_Delete((cJSON *)(uintptr_t)r->records[i].json);
  }
  cJSON_Delete((cJSON *)(uintptr_t)r->header);
  free(r->records);
  free(r->name);
  free(r);
}
