/* field.c - the two printers of records. */
#include "record/field.h"

#include <math.h>
#include <scree/options.h>
#include <string.h>

#include "base/bytes.h"
#include "util/printable.h"
#include "util/utf8.h"

enum { VALUE_BYTES = 640 }; /* of a number with 255 digits after the point */

/* ---- values ---- */

typedef struct {
  const char *text;
  uint64_t whole;
  double real;
  bool known;
} value;

static value load(const cli_field *row, const void *record) {
  const void *field = (const char *)record + row->at;
  value v = {.known = true};
  if (row->kind == CLI_TEXT)
    v.text = *(const char *const *)field, v.known = v.text != NULL;
  else if (row->kind == CLI_FLAG)
    v.whole = *(const bool *)field;
  else if (row->kind == CLI_NUMBER)
    v.real = (double)(v.whole = *(const uint32_t *)field);
  else if (row->kind >= CLI_SECONDS)
    v.real = *(const double *)field, v.known = !isnan(v.real);
  else if (row->kind != CLI_OBJECT)
    v.real = (double)(v.whole = *(const uint64_t *)field), v.known = v.whole != SCREE_UNSET;
  return v;
}

/* ---- JSON ---- */

void cli_add_fields(cJSON *to, const cli_field *rows, const void *record) {
  for (const cli_field *row = rows; row->kind; row++) {
    const value v = load(row, record);
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)v.whole);
    if (!row->name || !v.known) continue;
    if (row->kind == CLI_OBJECT)
      cli_add_fields(cJSON_AddObjectToObject(to, row->name), row->rows, (const char *)record + row->at);
    else if (row->kind == CLI_TEXT)
      cJSON_AddStringToObject(to, row->name, v.text);
    else if (row->kind == CLI_FLAG)
      cJSON_AddBoolToObject(to, row->name, v.whole != 0);
    else if (row->kind == CLI_ID)
      cJSON_AddRawToObject(to, row->name, digits);
    else
      cJSON_AddNumberToObject(to, row->name, v.real);
  }
}

cJSON *cli_add_counts(cJSON *to, const scree__counter *rows, const void *counts) {
  cJSON *last = NULL;
  for (const scree__counter *row = rows; row->name; row++)
    last = cJSON_AddNumberToObject(to, row->name, (double)scree__counter_value(row, counts));
  return last;
}

/* Names of files may be any bytes: bytes that are not UTF-8 become the text \xHH. */
static void put_utf8(const char *text, FILE *to) {
  for (size_t n; *text; text += n ? n : 1) {
    n = cli_utf8(text);
    if (n)
      fwrite(text, 1, n, to);
    else
      fprintf(to, "\\\\x%02x", (unsigned)(unsigned char)*text);
  }
}

bool cli_put_json(cJSON *root, bool whole, FILE *to) {
  char *text = whole ? cJSON_Print(root) : NULL;
  if (text) put_utf8(text, to);
  if (text) fputc('\n', to);
  cJSON_free(text);
  cJSON_Delete(root);
  return text != NULL;
}

/* ---- text ---- */

void cli_format_time(double seconds, char *text, size_t size) {
  if (seconds < 1e-3)
    snprintf(text, size, "%.1f us", 1e6 * seconds);
  else if (seconds < 1)
    snprintf(text, size, "%.2f ms", 1e3 * seconds);
  else
    snprintf(text, size, "%.3f s", seconds);
}

static void format(const cli_field *row, value v, char *text, size_t size) {
  if (row->kind == CLI_BYTES)
    snprintf(text, size, "%s", scree__bytes_format(v.real).text);
  else if (row->kind == CLI_MIB)
    snprintf(text, size, "%.3f", v.real / (1 << 20));
  else if (row->kind == CLI_SECONDS)
    cli_format_time(v.real, text, size);
  else if (row->kind == CLI_MILLIONS)
    snprintf(text, size, "%.2f", 1e-6 * v.real);
  else if (row->kind == CLI_PERCENT)
    snprintf(text, size, "%.1f%%", 100 * v.real);
  else if (row->kind == CLI_FIXED)
    snprintf(text, size, "%.*f", row->digits, v.real);
  else if (row->kind == CLI_REAL)
    snprintf(text, size, "%.*g", row->digits, v.real);
  else
    snprintf(text, size, "%llu", (unsigned long long)v.whole);
}

void cli_print_text(const cli_field *rows, const void *record, FILE *to) {
  for (const cli_field *row = rows; row->kind; row++) {
    const value v = load(row, record);
    char number[VALUE_BYTES];
    if (!row->text || !v.known) continue;
    const size_t before = strcspn(row->text, row->kind == CLI_FLAG ? "|" : "@");
    const bool otherwise = row->kind == CLI_FLAG && !v.whole;
    if (!otherwise) fprintf(to, "%.*s", (int)before, row->text);
    if (row->kind == CLI_OBJECT) cli_print_text(row->rows, (const char *)record + row->at, to);
    if (row->kind == CLI_TEXT) cli_put_printable(v.text, to);
    if (row->kind > CLI_FLAG) format(row, v, number, sizeof number), fputs(number, to);
    if (row->text[before] && (otherwise || row->kind != CLI_FLAG)) fputs(row->text + before + 1, to);
  }
}

void cli_print_columns(const cli_field *rows, int table, const void *record, FILE *to) {
  bool first = true;
  for (const cli_field *row = rows; row->kind; row++) {
    char text[VALUE_BYTES];
    if (!row->width[table]) continue;
    if (record && row->kind != CLI_TEXT) format(row, load(row, record), text, sizeof text);
    const char *shown = !record ? row->text : row->kind == CLI_TEXT ? load(row, record).text : text;
    fprintf(to, "%s%*s", first ? "" : " ", row->width[table], shown);
    first = false;
  }
}
