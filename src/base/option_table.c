/* option_table.c - fields of a struct by the rows of its table. */
#include "base/option_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option_value.h"
#include "base/real.h"

/* ---- fields ---- */

static uint32_t bytes_of(const scree_option *row) {
  return row->bytes ? row->bytes : row->kind == SCREE_KIND_FLAG ? sizeof(bool) : sizeof(uint64_t);
}

static scree__option_value load(const scree_option *row, const void *fields) {
  const char *field = (const char *)fields + row->offset;
  scree__option_value value = {0, 0, NULL};
  uint8_t small;
  uint32_t narrow;
  if (row->kind == SCREE_KIND_REAL)
    memcpy(&value.real, field, sizeof value.real);
  else if (row->kind == SCREE_KIND_NAME)
    memcpy(&value.text, field, sizeof value.text);
  else if (row->kind == SCREE_KIND_FORM)
    return value;
  else if (bytes_of(row) == sizeof small)
    memcpy(&small, field, sizeof small), value.whole = small;
  else if (bytes_of(row) == sizeof narrow)
    memcpy(&narrow, field, sizeof narrow), value.whole = narrow;
  else
    memcpy(&value.whole, field, sizeof value.whole);
  return value;
}

static void store(const scree_option *row, void *fields, scree__option_value value) {
  const uint8_t small = (uint8_t)value.whole;
  const uint32_t narrow = (uint32_t)value.whole;
  const void *from = row->kind == SCREE_KIND_REAL     ? (const void *)&value.real
                     : row->kind == SCREE_KIND_NAME   ? (const void *)&value.text
                     : bytes_of(row) == sizeof small  ? (const void *)&small
                     : bytes_of(row) == sizeof narrow ? (const void *)&narrow
                                                      : (const void *)&value.whole;
  memcpy((char *)fields + row->offset, from, bytes_of(row));
}

static scree__option_value default_of(const scree_option *row) {
  return (scree__option_value){.whole = row->def, .real = row->real_def, .text = NULL};
}

bool scree__option_is_unset(const scree_option *row, const void *fields) {
  return scree__option_value_is_unset(row, load(row, fields));
}

void scree__option_set_default(const scree_option *row, void *fields) {
  store(row, fields, default_of(row));
}

void scree__option_format(const scree_option *row, const void *fields, char *text, size_t size) {
  scree__option_value_format(row, load(row, fields), text, size);
}

void scree__option_format_default(const scree_option *row, char *text, size_t size) {
  scree__option_value_format(row, default_of(row), text, size);
}

const char *scree__option_placeholder(const scree_option *row) {
  static const char *const of_kind[] = {"N", "SIZE", "TIME", "WORD", "X", NULL};
  return row->kind <= SCREE_KIND_FLAG ? of_kind[row->kind] : row->choices;
}

/* ---- the legal range, and what lies outside ---- */

static void format_exclusive(const scree_option *row, const char *min, const char *max, char *text, size_t size) {
  const char *words = row->choices;
  snprintf(text, size, "%s%sabove %s%s%s", words, *words ? ", " : "", min, isfinite(row->real_max) ? " and below " : "",
           isfinite(row->real_max) ? max : "");
}

void scree__option_format_legal(const scree_option *row, char *text, size_t size) {
  const char *words = scree__option_words(row);
  if (row->kind >= SCREE_KIND_FLAG || row->kind == SCREE_KIND_CHOICE) {
    snprintf(text, size, "%s", words);
    return;
  }
  char min[32], max[32];
  scree__option_value_format(row, (scree__option_value){row->min, row->real_min, NULL}, min, sizeof min);
  scree__option_value_format(row, (scree__option_value){row->max, row->real_max, NULL}, max, sizeof max);
  if (row->kind == SCREE_KIND_REAL && row->exclusive)
    format_exclusive(row, min, max, text, size);
  else
    snprintf(text, size, "%s%s%s to %s", words, *words ? ", " : "", min, max);
}

typedef struct {
  const char *what, *remedy;
} expectation;

static const expectation expectations[] = {
    [SCREE_KIND_COUNT] = {"a whole number", "give a whole number without a unit"},
    [SCREE_KIND_SIZE] = {"a size", "give whole bytes, or a whole number with K, M or G, as in 16K"},
    [SCREE_KIND_TIME] = {"a time", "give whole nanoseconds, or a whole number with ns, us, ms or s, as in 50us"},
    [SCREE_KIND_CHOICE] = {"a known word", "give one of these words"},
    [SCREE_KIND_REAL] = {"a number", "give a decimal number without a unit, as in 0.5 or 1e-6"},
    [SCREE_KIND_FLAG] = {"a known word", "give one of these words"},
};

static int reject(const scree_option *row, const char *text, const char *origin, bool understood, char *why,
                  size_t size) {
  if (row->kind >= SCREE_KIND_NAME)
    return snprintf(why, size, "option '%s': '%s'%s is not legal; legal: %s: %.*s", row->name, text, origin,
                    row->choices, (int)strcspn(row->help, ";"), row->help),
           -1;
  if (row->read)
    return snprintf(why, size, "option '%s'%s is not legal here; legal: %s", row->name, origin, row->choices), -1;
  const expectation *expected = &expectations[row->kind];
  char legal[256];
  scree__option_format_legal(row, legal, sizeof legal);
  snprintf(why, size, "option '%s': '%s'%s is %s%s; legal: %s; %s", row->name, text, origin,
           understood ? "out of range" : "not ", understood ? "" : expected->what, legal, expected->remedy);
  return -1;
}

int scree__option_parse(const scree_option *row, void *fields, const char *text, const char *origin, char *why,
                        size_t size) {
  scree__option_value value = {0, 0, NULL};
  if (!text) text = "on";
  if (row->read) return row->read(fields, text) ? 0 : reject(row, text, origin, false, why, size);
  bool understood = scree__option_value_parse(row, text, &value);
  if (!understood || !scree__option_value_is_legal(row, value)) return reject(row, text, origin, understood, why, size);
  store(row, fields, value);
  return 0;
}

int scree__option_check(const scree_option *row, const void *fields, const char *origin, char *why, size_t size) {
  scree__option_value value = load(row, fields);
  char text[32];
  if (scree__option_value_is_unset(row, value) || scree__option_value_is_legal(row, value)) return 0;
  if (row->kind == SCREE_KIND_REAL)
    scree__real_print(text, sizeof text, 6, value.real);
  else
    snprintf(text, sizeof text, "%llu", (unsigned long long)value.whole);
  return reject(row, text, origin, row->kind != SCREE_KIND_CHOICE, why, size);
}

int scree__option_fill(const scree_option *row, void *fields, char *why, size_t size) {
  if (!scree__option_is_unset(row, fields)) return scree__option_check(row, fields, "", why, size);
  scree__option_set_default(row, fields);
  return 0;
}

/* ---- names ---- */

static char dashed(char c) {
  return c == '_' ? '-' : c;
}

static bool same_name(const char *a, const char *b) {
  for (; *a && dashed(*a) == dashed(*b); a++) b++;
  return dashed(*a) == dashed(*b);
}

bool scree__option_is(const scree_option *row, const char *name, size_t length) {
  return strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

const scree_option *scree__option_find(const scree_option *rows, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (same_name(rows[i].name, name)) return &rows[i];
  return NULL;
}

const scree_option *scree__option_nearest(const scree_option *rows, size_t count, const char *name) {
  enum { MOST = 128 };
  const char *names[MOST] = {NULL};
  char dashes[96];
  size_t n = 0;
  for (; name[n] && n + 1 < sizeof dashes; n++) dashes[n] = dashed(name[n]);
  dashes[n] = 0;
  for (n = 0; n < count && n < MOST; n++) names[n] = rows[n].name;
  const char *nearest = scree__nearest(dashes, names, n);
  for (size_t i = 0; nearest && i < n; i++)
    if (names[i] == nearest) return &rows[i];
  return NULL;
}

void scree__option_variable(const char *name, char *text, size_t size) {
  snprintf(text, size, "SCREE_%s", name);
  for (char *p = text; *p; p++)
    if (*p >= 'a' && *p <= 'z')
      *p = (char)(*p - 'a' + 'A');
    else if (*p == '-')
      *p = '_';
}

int scree__option_resolve(const scree_option *row, const char *type, void *fields, char *from, char *why, size_t size) {
  char variable[SCREE__VARIABLE_BYTES], origin[SCREE__VARIABLE_BYTES + 16];
  *from = 'f';
  snprintf(origin, sizeof origin, " (field of %s)", type);
  if (!scree__option_is_unset(row, fields)) return scree__option_check(row, fields, origin, why, size);
  scree__option_variable(row->name, variable, sizeof variable);
  const char *text = getenv(variable);
  *from = text && *text ? 'e' : 'd'; /* an empty variable counts as unset */
  snprintf(origin, sizeof origin, " (from %s)", variable);
  if (*from == 'e') return scree__option_parse(row, fields, text, origin, why, size);
  scree__option_set_default(row, fields);
  return 0;
}

int scree__options_read(const scree_option *rows, size_t count, const scree__sized *type, void *own, const void *given,
                        char *why, size_t size) {
  char from;
  if (scree__sized_copy(type, own, given, why, size)) return -1;
  for (size_t i = 0; i < count; i++)
    if (scree__option_resolve(&rows[i], type->name, own, &from, why, size)) return -1;
  return 0;
}
