/* options.c - the options of a world: their table, and where their values come from. */
#include "base/options.h"

#include <atomic_ops.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_table.h"
#include "base/sized.h"

extern char **environ;

enum { NAME_MAX_BYTES = 48, HINT_MAX_BYTES = 128 };

#define OPTION(field, kind, def, min, max, choices, rare, help)                                                        \
  {#field, SCREE_KIND_##kind, def, min, max, choices, help, offsetof(scree__options, field), 0, 0, 0, false, rare},
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

static const scree__sized sized = {"scree_options", "SCREE_OPTIONS_INIT", sizeof(scree_options)};

/* A program of an older release has fewer fields. */
static bool has_field(const scree_options *options, const scree_option *row) {
  return row->offset + sizeof(uint64_t) <= options->size;
}

void scree_option_format(const scree_options *options, size_t i, char *text, size_t size) {
  if (!text || !size) return;
  text[0] = 0;
  if (options && i < COUNT_OF_OPTIONS && has_field(options, &rows()[i]))
    scree__option_format(&rows()[i], options, text, size);
}

static void variable_name(const scree_option *row, char *text, size_t size) {
  snprintf(text, size, "SCREE_%s", row->name);
  for (char *p = text; *p; p++) {
    if (*p == '-') *p = '_';
    if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
  }
}

bool scree__option_hint(const char *name, char *text, size_t size) {
  char of_test[2 * NAME_MAX_BYTES], variable[2 * NAME_MAX_BYTES];
  snprintf(of_test, sizeof of_test, "test-%s", name);
  const scree_option *row = scree__option_find(rows(), COUNT_OF_ALL, of_test);
  text[0] = 0;
  if (!row) return false;
  variable_name(row, variable, sizeof variable);
  snprintf(text, size, "only tests of the library set it, by the variable %s", variable);
  return true;
}

int scree_options_set(scree_options *options, const char *name, const char *text, char *why, size_t size) {
  if (!options || !name) {
    snprintf(why, size, "no %s: pass what is not NULL", options ? "name of an option" : "options");
    return -1;
  }
  if (scree__sized_check(&sized, options, why, size)) return -1;
  const scree_option *row = scree__option_find(rows(), COUNT_OF_OPTIONS, name);
  if (row && has_field(options, row)) return scree__option_parse(row, options, text, "", why, size);
  if (row) {
    snprintf(why, size,
             "option '%s': the program was compiled against an older release, whose scree_options (%zu bytes) has no "
             "such field; set the environment variable, or recompile the program",
             row->name, options->size);
    return -1;
  }
  char hint[HINT_MAX_BYTES];
  const scree_option *near = scree__option_nearest(rows(), COUNT_OF_OPTIONS, name);
  if (!scree__option_hint(name, hint, sizeof hint) && near)
    snprintf(hint, sizeof hint, "the nearest is '%s'", near->name);
  snprintf(why, size, "option '%s' is unknown; %s%s'scree --help all' lists all", name, hint, *hint ? "; " : "");
  return -1;
}

/* ---- environment and defaults ---- */

static void warn_of(const char *entry) {
  char name[2 * NAME_MAX_BYTES], known[2 * NAME_MAX_BYTES] = "", small[2 * NAME_MAX_BYTES], hint[HINT_MAX_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
  if (strcmp(name, "SCREE_RANKS") == 0) return;      /* for the command */
  if (strcmp(name, "SCREE_PEERS") == 0) return;      /* for benchmarks */
  if (strncmp(name, "SCREE_TASK_", 11) == 0) return; /* of libscree-task, whose tables this one does not know */
  if (strncmp(name, "SCREE_GLOBAL_", 13) == 0) return;
  snprintf(small, sizeof small, "%s", name + strlen("SCREE_"));
  for (char *p = small; *p; p++)
    if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
  const bool of_test = strncmp(small, "test_", 5) == 0; /* or of the tests' harness, if it is near to none */
  const scree_option *first = rows() + (of_test ? COUNT_OF_OPTIONS : 0);
  const size_t count = of_test ? COUNT_OF_ALL - COUNT_OF_OPTIONS : COUNT_OF_OPTIONS;
  const scree_option *near = scree__option_find(first, count, small);
  if (!near) near = scree__option_nearest(first, count, small);
  if (near) variable_name(near, known, sizeof known);
  if (strcmp(name, known) == 0 || (of_test && !near)) return;
  if (!scree__option_hint(small, hint, sizeof hint) && near) snprintf(hint, sizeof hint, "the nearest is %s", known);
  fprintf(stderr, "scree: warning: the environment variable %s names no option%s%s\n", name, *hint ? "; " : "", hint);
}

static void warn_of_unknown_variables(void) {
  static AO_TS_t done = AO_TS_INITIALIZER;
  if (AO_test_and_set(&done) != AO_TS_CLEAR) return; /* relaxed: only the flag is communicated */
  for (char **entry = environ; entry && *entry; entry++)
    if (strncmp(*entry, "SCREE_", 6) == 0) warn_of(*entry);
}

static int resolve_field(const scree_option *row, void *options, char *from, char *why, size_t size) {
  char variable[NAME_MAX_BYTES + 8], origin[NAME_MAX_BYTES + 24];
  if (!scree__option_is_unset(row, options)) {
    *from = 'f';
    return scree__option_check(row, options, " (field of scree_options)", why, size);
  }
  variable_name(row, variable, sizeof variable);
  const char *text = getenv(variable);
  if (text && !*text) text = NULL; /* an empty variable counts as unset */
  *from = text ? 'e' : 'd';
  snprintf(origin, sizeof origin, " (from %s)", variable);
  if (text) return scree__option_parse(row, options, text, origin, why, size);
  scree__option_set_default(row, options);
  return 0;
}

int scree_options_resolve(scree_options *options, char *from, char *why, size_t size) {
  scree_options filled = SCREE_OPTIONS_INIT;
  if (!options) {
    snprintf(why, size, "no options: pass what is not NULL");
    return -1;
  }
  if (scree__sized_copy(&sized, &filled, options, why, size)) return -1;
  warn_of_unknown_variables();
  size_t bytes = options->size < sizeof filled ? options->size : sizeof filled;
  char origins[COUNT_OF_OPTIONS];
  size_t count = 0;
  for (; count < COUNT_OF_OPTIONS && has_field(options, &rows()[count]); count++)
    if (resolve_field(&rows()[count], &filled, &origins[count], why, size)) return -1;
  if (from) memcpy(from, origins, count);
  memcpy((char *)options + sizeof options->size, (char *)&filled + sizeof filled.size, bytes - sizeof filled.size);
  return 0;
}

/* A program that expects no progress thread must not get one by its environment: its handlers may index arrays by
 * worker->index. */
static int refuse_progress(char *why, size_t size) {
  snprintf(
      why, size,
      "option 'progress': 'full' (from SCREE_PROGRESS) is not for this program: its handlers would also run with the "
      "worker index `threads`; unset the variable or, if they may, set the field progress of scree_options, for "
      "instance by scree_options_resolve");
  return -1;
}

int scree__options_complete(scree__options *all, const scree_options *given, char *why, size_t size) {
  const bool of_test = given && given->size == SCREE__OPTIONS_SIZE;
  char from;
  *all = of_test ? *(const scree__options *)given : (scree__options)SCREE__OPTIONS_INIT;
  all->size = sizeof(scree_options);
  if (scree__sized_copy(&sized, all, of_test ? NULL : given, why, size)) return -1;
  const bool requested = all->progress != SCREE_UNSET;
  if (scree_options_resolve(&all->user, NULL, why, size)) return -1;
  for (size_t i = COUNT_OF_OPTIONS; i < COUNT_OF_ALL; i++)
    if (resolve_field(&rows()[i], all, &from, why, size)) return -1;
  return all->progress == SCREE_PROGRESS_FULL && !requested ? refuse_progress(why, size) : 0;
}
