/* html_data.c - the data of the HTML page of a report, as one JSON object:
 *
 *     {"tables":[{"name", "title", "plan", "place", "words":[LINE], "steps", "torn", "few", "shares":{AXIS:SHARE},
 *                 "best":INDEX or -1, "problems", "noise", "spread", "drift":INTERVAL,
 *                 "groups":[{"settings":{AXIS:VALUE}, "seconds":INTERVAL, "teps":INTERVAL, "work":{NAME:MEDIAN}, "ok",
 *                            "bad", "validated", "best":INDEX or -1, "worst", "message", "command":[WORD], "environment":{NAME:VALUE}}],
 *                 "records":[{"group":INDEX or -1, "step", "repetition", "control", "status", "seconds", "started",
 *                             "message"}]}],
 *      "numbers":{VALUE:NUMBER},
 *      "changes":[{"before":TABLE, "after":TABLE,
 *                  "rows":[{"group":INDEX in after, "before", "after", "ratio":INTERVAL, "beyond", "few"}]}]}
 *
 * INTERVAL is [low, median, high], or null. best: of a group, that of its problem; of a table, that of the problem that
 * takes the longest. shares: of axes that do not state the problem. few: too few runs to tell which axis matters. numbers: the numeric values among the settings. */
#include <stdlib.h>
#include <string.h>

#include "study/report/html.h"
#include "study/report/report.h"
#include "study/results/provenance.h"

/* cJSON accepts NULL objects and then returns NULL, so that it suffices to examine `lost` at the end. */
typedef struct {
  cJSON *root, *numbers;
  bool lost;
} page;

static cJSON *keep(page *p, cJSON *made) {
  if (!made) p->lost = true;
  return made;
}

static void add_text(page *p, cJSON *to, const char *name, const char *text) {
  keep(p, cJSON_AddStringToObject(to, name, text ? text : ""));
}

static void add_number(page *p, cJSON *to, const char *name, double number) {
  keep(p, cJSON_AddNumberToObject(to, name, number));
}

static void add_flag(page *p, cJSON *to, const char *name, bool flag) {
  keep(p, cJSON_AddBoolToObject(to, name, flag));
}

static cJSON *add_object(page *p, cJSON *to, const char *name) {
  return keep(p, cJSON_AddObjectToObject(to, name));
}

static cJSON *add_array(page *p, cJSON *to, const char *name) {
  return keep(p, cJSON_AddArrayToObject(to, name));
}

/* A new object at the end of a list. */
static cJSON *add_entry(page *p, cJSON *list) {
  cJSON *o = keep(p, cJSON_CreateObject());
  if (cJSON_AddItemToArray(list, o)) return o;
  cJSON_Delete(o);
  return keep(p, NULL);
}

static void add_interval(page *p, cJSON *to, const char *name, const study_interval *interval) {
  const double numbers[] = {interval->low, interval->median, interval->high};
  if (interval->n == 0)
    keep(p, cJSON_AddNullToObject(to, name));
  else if (!cJSON_AddItemToObject(to, name, keep(p, cJSON_CreateDoubleArray(numbers, 3))))
    keep(p, NULL);
}

static void add_copy(page *p, cJSON *to, const char *name, const cJSON *from) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, name);
  if (item && !cJSON_AddItemToObject(to, name, keep(p, cJSON_Duplicate(item, true)))) keep(p, NULL);
}

/* ---- sentences ---- */

/* Appends the lines of text[] that are not blank. Modifies it. */
static void add_lines(page *p, cJSON *list, char *text) {
  for (char *line; (line = strsep(&text, "\n")) != NULL;)
    if (line[strspn(line, " \t")] && !cJSON_AddItemToArray(list, keep(p, cJSON_CreateString(line)))) keep(p, NULL);
}

static void add_summary(page *p, cJSON *to, const study_table *table) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream) study_print_summary(table, stream);
  if (stream && fclose(stream) == 0 && text)
    add_lines(p, add_array(p, to, "words"), text);
  else
    keep(p, NULL);
  free(text);
}

/* ---- groups ---- */

static void add_settings(page *p, cJSON *to, const study_group *group) {
  cJSON *o = add_object(p, to, "settings");
  for (size_t i = 0; i < group->count; i++) {
    const study_setting *s = &group->settings[i];
    double number;
    add_text(p, o, s->name, s->value);
    if (study_number(s->value, &number) && !cJSON_GetObjectItemCaseSensitive(p->numbers, s->value))
      add_number(p, p->numbers, s->value, number);
  }
}

static void add_group(page *p, cJSON *list, const study_table *table, const study_group *group) {
  cJSON *o = add_entry(p, list);
  add_settings(p, o, group);
  add_interval(p, o, "seconds", &group->seconds);
  add_interval(p, o, "teps", &group->teps);
  cJSON *work = add_object(p, o, "work");
  for (size_t i = 0; i < STUDY_WORK_COUNT && group->ok; i++) add_number(p, work, study_work_names[i], group->work[i]);
  add_number(p, o, "ok", (double)group->ok);
  add_number(p, o, "bad", (double)group->bad);
  add_flag(p, o, "validated", group->validated);
  add_number(p, o, "best", group->best ? (double)(group->best - table->groups) : -1);
  add_text(p, o, "worst", study_status_word(group->worst));
  add_text(p, o, "message", group->message);
  add_copy(p, o, "command", group->first->json);
  add_copy(p, o, "environment", group->first->json);
}

/* ---- records ---- */

typedef struct {
  const char *key;
  size_t index;
} group_key;

static int by_key(const void *a, const void *b) {
  return strcmp(((const group_key *)a)->key, ((const group_key *)b)->key);
}

static void add_record(page *p, cJSON *list, const study_record *record, const group_key *group) {
  cJSON *o = add_entry(p, list);
  add_number(p, o, "group", group ? (double)group->index : -1);
  add_number(p, o, "step", (double)record->step);
  add_number(p, o, "repetition", (double)record->repetition);
  add_flag(p, o, "control", record->control);
  add_text(p, o, "status", study_status_word(record->status));
  add_number(p, o, "seconds", record->seconds);
  add_text(p, o, "started", record->started);
  if (record->message && *record->message) add_text(p, o, "message", record->message);
}

/* Each record with the index of its group. */
static void add_records(page *p, cJSON *to, const study_table *table) {
  cJSON *list = add_array(p, to, "records");
  group_key *keys = calloc(table->count + 1, sizeof *keys);
  if (!keys) {
    p->lost = true;
    return;
  }
  for (size_t i = 0; i < table->count; i++) keys[i] = (group_key){table->groups[i].key, i};
  qsort(keys, table->count, sizeof *keys, by_key);
  for (size_t i = 0; i < table->results->count; i++) {
    const study_record *record = &table->results->records[i];
    group_key wanted = {record->key, 0};
    add_record(p, list, record, bsearch(&wanted, keys, table->count, sizeof *keys, by_key));
  }
  free(keys);
}

/* ---- tables ---- */

static void add_shares(page *p, cJSON *to, const study_table *table) {
  cJSON *o = add_object(p, to, "shares");
  for (size_t i = 0; i < table->axis_count; i++)
    if (!study_states_problem(table->axes[i].name))
      add_number(p, o, table->axes[i].name, study_share(table, &table->axes[i]));
}

static void add_provenance(page *p, cJSON *to, const study_table *table) {
  char *text = study_provenance(table->results);
  add_text(p, to, "place", text);
  free(text);
}

static void add_table(page *p, cJSON *list, const study_table *table) {
  const study_results *results = table->results;
  cJSON *o = add_entry(p, list);
  add_text(p, o, "name", results->name);
  add_text(p, o, "title", results->title);
  add_text(p, o, "plan", results->plan);
  add_provenance(p, o, table);
  add_summary(p, o, table);
  add_number(p, o, "steps", (double)results->steps);
  add_flag(p, o, "torn", results->torn);
  add_flag(p, o, "few", study_too_few(table, table->best));
  add_shares(p, o, table);
  add_number(p, o, "best", table->best ? (double)(table->best - table->groups) : -1);
  add_number(p, o, "problems", (double)table->problems);
  add_number(p, o, "noise", table->noise);
  add_number(p, o, "spread", table->control_spread);
  add_interval(p, o, "drift", &table->drift);
  cJSON *groups = add_array(p, o, "groups");
  for (size_t i = 0; i < table->count; i++) add_group(p, groups, table, &table->groups[i]);
  add_records(p, o, table);
}

/* ---- changes ---- */

static void add_change(page *p, cJSON *rows, const study_change *change, const study_table *after) {
  cJSON *o = add_entry(p, rows);
  add_number(p, o, "group", (double)(change->after - after->groups));
  add_number(p, o, "before", change->before->seconds.median);
  add_number(p, o, "after", change->after->seconds.median);
  add_interval(p, o, "ratio", &change->ratio);
  add_flag(p, o, "beyond", change->beyond_noise);
  add_flag(p, o, "few", change->ratio.n < STUDY_MIN_RUNS);
}

/* From the first table to the table of that index. */
static void add_changes(page *p, cJSON *list, const study_table *const *tables, size_t index) {
  cJSON *o = add_entry(p, list);
  add_number(p, o, "before", 0);
  add_number(p, o, "after", (double)index);
  cJSON *rows = add_array(p, o, "rows");
  study_change *changes = NULL;
  size_t count = study_compare(tables[0], tables[index], &changes);
  for (size_t i = 0; i < count; i++) add_change(p, rows, &changes[i], tables[index]);
  free(changes);
}

cJSON *study_page_data(const study_table *const *tables, size_t count) {
  page p = {cJSON_CreateObject(), NULL, false};
  cJSON *list = add_array(&p, p.root, "tables");
  p.numbers = add_object(&p, p.root, "numbers");
  for (size_t i = 0; i < count; i++) add_table(&p, list, tables[i]);
  list = add_array(&p, p.root, "changes");
  for (size_t i = 1; i < count; i++) add_changes(&p, list, tables, i);
  if (!p.lost) return p.root;
  cJSON_Delete(p.root);
  return NULL;
}
