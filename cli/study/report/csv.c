/* csv.c - results as comma-separated values (RFC 4180).
 *
 * One line per record, including failures; controls and warm-ups only on request. The cell of an absent axis is empty. An
 * axis with values such as 64K has a second column, NAME_number, with 65536. Spreadsheets compute a cell that begins as a
 * formula does, also if it is in quotes: such a text gets an apostrophe in front, unless it is a number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/report.h"
#include "study/report/text.h"
#include "study/results/provenance.h"
#include "study/util/names.h"
#include "study/util/output.h"
#include "study/util/replace.h"

typedef struct {
  const char **names; /* of the axes of all records */
  bool *numbers;      /* of each axis: some value is a number only with its unit counted */
  size_t count;
  bool all; /* also controls and warm-ups */
} columns;

static bool is_plain(const char *text) {
  char *end;
  strtod(text, &end);
  return end != text && *end == 0;
}

static bool collect(columns *c, const study_table *const *tables, size_t count) {
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; i < tables[t]->results->count; i++) {
      const study_record *r = &tables[t]->results->records[i];
      for (size_t k = 0; k < r->count; k++)
        if (!study_names_add(&c->names, &c->count, r->settings[k].name)) return false;
    }
  c->numbers = calloc(c->count + 1, sizeof *c->numbers);
  return c->numbers != NULL;
}

static const char *setting_of(const study_record *r, const char *name) {
  for (size_t i = 0; i < r->count; i++)
    if (strcmp(r->settings[i].name, name) == 0) return r->settings[i].value;
  return "";
}

static bool is_listed(const columns *c, const study_record *r) {
  return c->all || strcmp(study_role_word(r->repetition, r->control), "data") == 0;
}

static void find_numbers(columns *c, const study_results *results) {
  double x;
  for (size_t i = 0; i < results->count; i++)
    for (size_t k = 0; k < c->count && is_listed(c, &results->records[i]); k++) {
      const char *value = setting_of(&results->records[i], c->names[k]);
      c->numbers[k] |= study_number(value, &x) && !is_plain(value);
    }
}

static void put_text(FILE *to, const char *text) {
  const char *mark = *text && strchr("=+-@\t", *text) && !is_plain(text) ? "'" : "";
  if (!text[strcspn(text, ",\"\r\n")]) {
    fprintf(to, "%s%s", mark, text);
    return;
  }
  fprintf(to, "\"%s", mark);
  for (; *text; text++) fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, to);
  fputc('"', to);
}

static void put_heading(FILE *to, const columns *c, bool files) {
  fputs(files ? "file,step" : "step", to);
  for (size_t i = 0; i < c->count; i++) {
    fputc(',', to);
    put_text(to, c->names[i]);
    if (!c->numbers[i]) continue;
    fputc(',', to);
    put_text(to, c->names[i]);
    fputs("_number", to);
  }
  fputs(",repetition,role,status,seconds,teps", to);
  for (size_t i = 0; i < STUDY_WORK_COUNT; i++) fprintf(to, ",%s", study_work_names[i]);
  fputs(",wall_seconds,started,host,message\n", to);
}

/* An empty cell if the number is unknown. */
static void put_number(FILE *to, bool known, double number) {
  fputc(',', to);
  if (known) fprintf(to, "%.12g", number);
}

static void put_figures(FILE *to, const study_record *r) {
  bool ok = r->status == STUDY_OK;
  put_number(to, ok, r->seconds);
  put_number(to, ok, r->teps);
  for (size_t i = 0; i < STUDY_WORK_COUNT; i++) put_number(to, ok, r->work[i]);
  const cJSON *wall = cJSON_GetObjectItemCaseSensitive(r->json, "wall_seconds");
  put_number(to, cJSON_IsNumber(wall), cJSON_IsNumber(wall) ? wall->valuedouble : 0);
}

static void put_record(FILE *to, const columns *c, const study_record *r) {
  char number[64];
  const char *host = study_fact(r, "host", number);
  fprintf(to, "%" PRIu64, r->step);
  for (size_t i = 0; i < c->count; i++) {
    const char *value = setting_of(r, c->names[i]);
    double x = 0;
    fputc(',', to);
    put_text(to, value);
    const bool known = study_number(value, &x);
    if (c->numbers[i]) put_number(to, known, x);
  }
  fprintf(to, ",%" PRIu64 ",%s,%s", r->repetition, study_role_word(r->repetition, r->control),
          study_status_word(r->status));
  put_figures(to, r);
  const char *const texts[] = {r->started, host ? host : "", r->message};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fputc(',', to);
    put_text(to, texts[i]);
  }
  fputs("\n", to);
}

static void put_all(FILE *to, const columns *c, const study_table *const *tables, size_t count) {
  put_heading(to, c, count > 1);
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; i < tables[t]->results->count; i++) {
      if (!is_listed(c, &tables[t]->results->records[i])) continue;
      if (count > 1) put_text(to, tables[t]->results->name), fputc(',', to);
      put_record(to, c, &tables[t]->results->records[i]);
    }
}

/* Matches what put_heading writes first. */
static bool replaceable(const char *name) {
  return study_replaceable(name, "step,") || study_replaceable(name, "file,step,");
}

int study_write_csv(const char *name, bool all, const study_table *const *tables, size_t count, char *why,
                    size_t size) {
  columns c = {.all = all};
  study_output out;
  const study_why reason = {why, size};
  if (!study_is_standard_output(name) && !replaceable(name)) {
    study_fail(
        reason,
        "option '--csv': '%s' exists and is not the CSV of a report; it is not overwritten; give --csv another name",
        name);
    return -1;
  }
  bool good = collect(&c, tables, count) || study_fail(reason, "option '--csv': no memory for the names of the axes");
  for (size_t t = 0; t < count && good; t++) find_numbers(&c, tables[t]->results);
  if (good && (good = study_output_open(&out, "csv", name, reason))) {
    put_all(out.to, &c, tables, count);
    good = study_output_close(&out, reason);
  }
  free(c.names);
  free(c.numbers);
  return good ? 0 : -1;
}
