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

static scree__option_value load(const scree_option *row, const void *fields) {
  const char *field = (const char *)fields + row->offset;
  scree__option_value value = {0, 0};
  bool flag;
  if (row->kind == SCREE_KIND_REAL)
    memcpy(&value.real, field, sizeof value.real);
  else if (row->kind != SCREE_KIND_FLAG)
    memcpy(&value.whole, field, sizeof value.whole);
  else
    memcpy(&flag, field, sizeof flag), value.whole = flag;
  return value;
}

static void store(const scree_option *row, void *fields, scree__option_value value) {
  char *field = (char *)fields + row->offset;
  bool flag = value.whole != 0;
  if (row->kind == SCREE_KIND_REAL)
    memcpy(field, &value.real, sizeof value.real);
  else if (row->kind != SCREE_KIND_FLAG)
    memcpy(field, &value.whole, sizeof value.whole);
  else
    memcpy(field, &flag, sizeof flag);
}

static scree__option_value default_of(const scree_option *row) {
  return (scree__option_value){.whole = row->def, .real = row->real_def};
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

/* ---- the legal range, and what lies outside ---- */

static void format_exclusive(const scree_option *row, const char *min, const char *max, char *text, size_t size) {
  const char *words = row->choices;
  snprintf(text, size, "%s%sabove %s%s%s", words, *words ? ", " : "", min, isfinite(row->real_max) ? " and below " : "",
           isfinite(row->real_max) ? max : "");
}

void scree__option_format_legal(const scree_option *row, char *text, size_t size) {
  const char *words = scree__option_words(row);
  if (row->kind == SCREE_KIND_CHOICE || row->kind == SCREE_KIND_FLAG) {
    snprintf(text, size, "%s", words);
    return;
  }
  char min[32], max[32];
  scree__option_value_format(row, (scree__option_value){row->min, row->real_min}, min, sizeof min);
  scree__option_value_format(row, (scree__option_value){row->max, row->real_max}, max, sizeof max);
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
  const expectation *expected = &expectations[row->kind];
  char legal[256];
  scree__option_format_legal(row, legal, sizeof legal);
  snprintf(why, size, "option '%s': '%s'%s is %s%s; legal: %s; %s", row->name, text, origin,
           understood ? "out of range" : "not ", understood ? "" : expected->what, legal, expected->remedy);
  return -1;
}

int scree__option_parse(const scree_option *row, void *fields, const char *text, const char *origin, char *why,
                        size_t size) {
  scree__option_value value = {0, 0};
  if (!text) text = "on";
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

/* ---- names ---- */

static char dashed(char c) {
  return c == '_' ? '-' : c;
}

static bool same_name(const char *a, const char *b) {
  for (; *a && dashed(*a) == dashed(*b); a++) b++;
  return dashed(*a) == dashed(*b);
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

static int complete(const scree_option *row, const scree__sized *type, void *own, char *why, size_t size) {
  char variable[64] = "SCREE_", origin[96];
  for (size_t i = 0; row->name[i]; i++) variable[6 + i] = row->name[i] == '_' ? '_' : (char)(row->name[i] - 'a' + 'A');
  snprintf(origin, sizeof origin, " (field of %s)", type->name);
  if (!scree__option_is_unset(row, own)) return scree__option_check(row, own, origin, why, size);
  const char *text = getenv(variable);
  snprintf(origin, sizeof origin, " (from %s)", variable);
  if (text && *text) return scree__option_parse(row, own, text, origin, why, size);
  scree__option_set_default(row, own);
  return 0;
}

int scree__options_read(const scree_option *rows, size_t count, const scree__sized *type, void *own, const void *given,
                        char *why, size_t size) {
  if (scree__sized_copy(type, own, given, why, size)) return -1;
  for (size_t i = 0; i < count; i++)
    if (complete(&rows[i], type, own, why, size)) return -1;
  return 0;
}
