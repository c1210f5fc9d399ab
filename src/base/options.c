/* options.c - the table of the options of a world, and values from texts. */
#include "base/options.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option_table.h"
#include "base/sized.h"

enum { NAME_MAX_BYTES = 48 };

#define OPTION(...) SCREE__OPTION_OF(scree__options, __VA_ARGS__),
static scree_option table[] = {SCREE_OPTIONS(OPTION) SCREE__TEST_OPTIONS(OPTION)};
#undef OPTION

enum { COUNT_OF_ALL = sizeof table / sizeof table[0], COUNT_OF_OPTIONS = sizeof(scree_options) / sizeof(uint64_t) - 1 };

/* The table's names with '-' for '_', made once: the preprocessor cannot. */
static char dashed[COUNT_OF_ALL][NAME_MAX_BYTES];

static void make_names(void) {
  for (size_t i = 0; i < COUNT_OF_ALL; i++) {
    snprintf(dashed[i], NAME_MAX_BYTES, "%s", table[i].name);
    for (char *p = dashed[i]; *p; p++)
      if (*p == '_') *p = '-';
    table[i].name = dashed[i];
  }
}

static const scree_option *rows(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_names);
  return table;
}

size_t scree_option_count(void) {
  return COUNT_OF_OPTIONS;
}

const scree_option *scree_option_at(size_t i) {
  return i < COUNT_OF_OPTIONS ? &rows()[i] : NULL;
}

const scree_option *scree__option_at(size_t i) {
  return i < COUNT_OF_ALL ? &rows()[i] : NULL;
}

const scree__sized scree__options_type = {"scree_options", "SCREE_OPTIONS_INIT", sizeof(scree_options)};

void scree_option_format(const scree_options *options, size_t i, char *text, size_t size) {
  if (!text || !size) return;
  text[0] = 0;
  if (options && i < COUNT_OF_OPTIONS && scree__option_is_in(options, &rows()[i]))
    scree__option_format(&rows()[i], options, text, size);
}

bool scree__option_hint(const char *name, char *text, size_t size) {
  char of_test[2 * NAME_MAX_BYTES], variable[SCREE__VARIABLE_BYTES];
  snprintf(of_test, sizeof of_test, "test-%s", name);
  const scree_option *row = scree__option_find(rows(), COUNT_OF_ALL, of_test);
  text[0] = 0;
  if (!row) return false;
  scree__option_variable(row->name, variable, sizeof variable);
  snprintf(text, size, "only tests of the library set it, by the variable %s", variable);
  return true;
}

bool scree__option_has_variable(const char *variable, const char *const *others, size_t count, char *hint,
                                size_t size) {
  char name[SCREE__VARIABLE_BYTES], known[SCREE__VARIABLE_BYTES] = "";
  snprintf(name, sizeof name, "%s", variable + strlen("SCREE_"));
  for (char *p = name; *p; p++)
    if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
  const bool of_test = strncmp(name, "test_", 5) == 0;
  const size_t first = of_test ? COUNT_OF_OPTIONS : 0, end = of_test ? COUNT_OF_ALL : COUNT_OF_OPTIONS;
  const scree_option *near = scree__option_nearest(rows() + first, end - first, name);
  const char *nearest[] = {of_test ? NULL : scree__nearest(name, others, count), near ? near->name : NULL};
  for (size_t i = 0; i < 2; i++) {
    if (nearest[i]) scree__option_variable(nearest[i], known, sizeof known);
    if (strcmp(variable, known) == 0) return true;
  }
  if (!scree__option_hint(name, hint, size) && *known) snprintf(hint, size, "the nearest is %s", known);
  return of_test && !near;
}

int scree_options_set(scree_options *options, const char *name, const char *text, char *why, size_t size) {
  if (!options || !name) {
    snprintf(why, size, "no %s: pass what is not NULL", options ? "name of an option" : "options");
    return -1;
  }
  if (scree__sized_check(&scree__options_type, options, why, size)) return -1;
  const scree_option *row = scree__option_find(rows(), COUNT_OF_OPTIONS, name);
  if (row && scree__option_is_in(options, row)) return scree__option_parse(row, options, text, "", why, size);
  if (row) {
    snprintf(why, size,
             "option '%s': the program was compiled against an older release, whose scree_options (%zu bytes) has no "
             "such field; set the environment variable, or recompile the program",
             row->name, options->size);
    return -1;
  }
  char hint[SCREE__HINT_BYTES];
  const scree_option *near = scree__option_nearest(rows(), COUNT_OF_OPTIONS, name);
  if (!scree__option_hint(name, hint, sizeof hint) && near)
    snprintf(hint, sizeof hint, "the nearest is '%s'", near->name);
  snprintf(why, size, "option '%s' is unknown; %s%s'scree --help all' lists all", name, hint, *hint ? "; " : "");
  return -1;
}
