/* resolve.c - takes the values of a world's options from its struct, the environment or the defaults, and warns of
 * variables that name no option. */
#include "open/resolve.h"

#include <atomic_ops.h>
#include <scree/global/heap.h>
#include <scree/task.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_table.h"
#include "io/say.h"

extern char **environ;

/* Options that have variables and are not a world's: of the command, of benchmarks, of the libraries on this one. */
#define NAME(field, ...) #field,
static const char *const others[] = {"ranks", "peers", SCREE_TASKS_OPTIONS(NAME) SCREE_GLOBAL_OPTIONS(NAME)};

static void warn_of(const char *entry) {
  char name[SCREE__VARIABLE_BYTES], hint[SCREE__HINT_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
  if (scree__option_has_variable(name, others, sizeof others / sizeof *others, hint, sizeof hint)) return;
  scree__say("scree: warning: the environment variable %s names no option%s%s\n", name, *hint ? "; " : "", hint);
}

static void warn_of_unknown_variables(void) {
  static AO_TS_t done = AO_TS_INITIALIZER;
  if (AO_test_and_set(&done) != AO_TS_CLEAR) return; /* relaxed: only the flag is communicated */
  for (char **entry = environ; entry && *entry; entry++)
    if (strncmp(*entry, "SCREE_", 6) == 0) warn_of(*entry);
}

static int resolve(size_t i, void *fields, char *from, char *why, size_t size) {
  return scree__option_resolve(scree__option_at(i), scree__options_type.name, fields, from, why, size);
}

int scree_options_resolve(scree_options *options, char *from, char *why, size_t size) {
  scree_options filled = SCREE_OPTIONS_INIT;
  if (!options) {
    snprintf(why, size, "no options: pass what is not NULL");
    return -1;
  }
  if (scree__sized_copy(&scree__options_type, &filled, options, why, size)) return -1;
  warn_of_unknown_variables();
  size_t bytes = options->size < sizeof filled ? options->size : sizeof filled;
  char origins[sizeof(scree_options) / sizeof(uint64_t)];
  size_t count = 0;
  for (; scree_option_at(count) && scree__option_is_in(options, scree_option_at(count)); count++)
    if (resolve(count, &filled, &origins[count], why, size)) return -1;
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
  if (scree__sized_copy(&scree__options_type, all, of_test ? NULL : given, why, size)) return -1;
  const bool requested = all->progress != SCREE_UNSET;
  if (scree_options_resolve(&all->user, NULL, why, size)) return -1;
  for (size_t i = scree_option_count(); scree__option_at(i); i++)
    if (resolve(i, all, &from, why, size)) return -1;
  return all->progress == SCREE_PROGRESS_FULL && !requested ? refuse_progress(why, size) : 0;
}
