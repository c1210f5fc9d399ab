/* options.c - reading, checking and printing the options.
 *
 * Room: the functions of options.h, all driven by its one table. Knows nothing of worlds and of MPI. */
#include <scree/options.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

extern char **environ;

enum { NAME_MAX_BYTES = 48, COUNT_OF_OPTIONS = sizeof(scree_options) / sizeof(uint64_t) };

#define OPTION(field, kind, def, min, max, choices, help) {#field, SCREE_KIND_##kind, def, min, max, choices, help},
static scree_option table[] = {SCREE_OPTIONS(OPTION)};
#undef OPTION
_Static_assert(sizeof table / sizeof table[0] == COUNT_OF_OPTIONS, "a row of the table for each field");

/* The table's names with '-' for '_', made once: the preprocessor cannot. */
static char dashed[COUNT_OF_OPTIONS][NAME_MAX_BYTES];

static void make_names(void) {
  for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
    size_t n = strlen(table[i].name);
    for (size_t k = 0; k < n && k + 1 < NAME_MAX_BYTES; k++) {
      char c = table[i].name[k];
      dashed[i][k] = c == '_' ? '-' : c;
    }
    table[i].name = dashed[i];
  }
}

size_t scree_option_count(void) {
  return COUNT_OF_OPTIONS;
}

const scree_option *scree_option_at(size_t i) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_names);
  return i < COUNT_OF_OPTIONS ? &table[i] : NULL;
}

static uint64_t *field_of(scree_options *options, size_t i) {
  return (uint64_t *)(void *)((char *)options + i * sizeof(uint64_t));
}

static uint64_t value_of(const scree_options *options, size_t i) {
  uint64_t value;
  memcpy(&value, (const char *)options + i * sizeof value, sizeof value);
  return value;
}

/* ---- units ---- */

typedef struct {
  const char *suffix;
  uint64_t factor;
} unit;

/* Largest first, the bare number last: the order in which a value is printed. */
static const unit size_units[] = {
    {"G", UINT64_C(1) << 30}, {"M", UINT64_C(1) << 20}, {"K", UINT64_C(1) << 10}, {"", 1}};
static const unit time_units[] = {
    {"s", UINT64_C(1000000000)}, {"ms", UINT64_C(1000000)}, {"us", UINT64_C(1000)}, {"ns", 1}, {"", 1}};
static const unit no_units[] = {{"", 1}};

typedef struct {
  const unit *unit;
  size_t count;
  const char *what, *remedy;
} notation;

static const notation notations[] = {
    [SCREE_KIND_COUNT] = {no_units, sizeof no_units / sizeof no_units[0], "a whole number",
                          "give a whole number without a unit"},
    [SCREE_KIND_SIZE] = {size_units, sizeof size_units / sizeof size_units[0], "a size",
                         "give whole bytes, or a whole number with K, M or G, as in 16K"},
    [SCREE_KIND_TIME] = {time_units, sizeof time_units / sizeof time_units[0], "a time",
                         "give whole nanoseconds, or a whole number with ns, us, ms or s, as in 50us"},
    [SCREE_KIND_CHOICE] = {no_units, 0, "a known word", "give one of these words"},
};

static void format_value(const scree_option *option, uint64_t value, char *text, size_t size) {
  if (option->kind == SCREE_KIND_CHOICE) {
    const char *word = option->choices;
    for (uint64_t k = 0; k < value && word; k++) word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL;
    snprintf(text, size, "%.*s", word ? (int)strcspn(word, "|") : 0, word ? word : "");
    return;
  }
  if (value == 0 && option->choices[0]) {
    snprintf(text, size, "%s", option->choices);
    return;
  }
  const notation *form = &notations[option->kind];
  size_t u = 0;
  while (u + 1 < form->count && (value == 0 || value % form->unit[u].factor != 0)) u++;
  if (value == 0) u = form->count - 1;
  snprintf(text, size, "%llu%s", (unsigned long long)(value / form->unit[u].factor), form->unit[u].suffix);
}

void scree_option_format(const scree_options *options, size_t i, char *text, size_t size) {
  const scree_option *option = scree_option_at(i);
  if (size) text[0] = 0;
  if (option && value_of(options, i) != SCREE_UNSET) format_value(option, value_of(options, i), text, size);
}

/* ---- parsing ---- */

static bool parse_choice(const scree_option *option, const char *text, uint64_t *value) {
  const char *word = option->choices;
  for (uint64_t k = 0;; k++) {
    size_t n = strcspn(word, "|");
    if (strlen(text) == n && strncmp(text, word, n) == 0) return *value = k, true;
    if (!word[n]) return false;
    word += n + 1;
  }
}

/* A number too large for 64 bits becomes SCREE_UNSET, which no range holds. */
static bool parse_number(const notation *form, const char *text, uint64_t *value) {
  if (text[0] < '0' || text[0] > '9') return false;
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  for (size_t u = 0; u < form->count; u++)
    if (strcmp(end, form->unit[u].suffix) == 0) {
      bool fits = errno == 0 && n <= UINT64_MAX / form->unit[u].factor;
      *value = fits ? (uint64_t)n * form->unit[u].factor : SCREE_UNSET;
      return true;
    }
  return false;
}

static bool parse_value(const scree_option *option, const char *text, uint64_t *value) {
  if (option->choices[0] && parse_choice(option, text, value)) return true; /* its only word stands for 0 */
  if (option->kind == SCREE_KIND_CHOICE) return false;
  return parse_number(&notations[option->kind], text, value);
}

/* One line: the option, the value, what is wrong, the legal range, the remedy. `origin` is "" or " (from X)". */
static int reject(const scree_option *option, const char *text, const char *origin, bool understood, char *why,
                  size_t size) {
  const notation *form = &notations[option->kind];
  char min[32], max[32];
  if (option->kind == SCREE_KIND_CHOICE) {
    snprintf(why, size, "option '%s': '%s'%s is not %s; legal: %s; %s", option->name, text, origin, form->what,
             option->choices, form->remedy);
    return -1;
  }
  format_value(option, option->min, min, sizeof min);
  format_value(option, option->max, max, sizeof max);
  snprintf(why, size, "option '%s': '%s'%s is %s%s; legal: %s%s%s to %s; %s", option->name, text, origin,
           understood ? "out of range" : "not ", understood ? "" : form->what, option->choices,
           option->choices[0] ? ", " : "", min, max, form->remedy);
  return -1;
}

static bool is_legal(const scree_option *option, uint64_t value) {
  bool has_word = option->kind != SCREE_KIND_CHOICE && option->choices[0];
  return (has_word && value == 0) || (value >= option->min && value <= option->max);
}

static int set_field(scree_options *options, size_t i, const char *text, const char *origin, char *why, size_t size) {
  const scree_option *option = scree_option_at(i);
  uint64_t value = 0;
  bool understood = parse_value(option, text, &value);
  if (!understood || !is_legal(option, value)) return reject(option, text, origin, understood, why, size);
  *field_of(options, i) = value;
  return 0;
}

/* ---- names ---- */

static void dash(const char *name, char *text, size_t size) {
  snprintf(text, size, "%s", name);
  for (char *p = text; *p; p++)
    if (*p == '_') *p = '-';
}

static void variable_name(size_t i, char *text, size_t size) {
  snprintf(text, size, "SCREE_%s", scree_option_at(i)->name);
  for (char *p = text; *p; p++) {
    if (*p == '-') *p = '_';
    if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
  }
}

static size_t find(const char *name) {
  for (size_t i = 0; i < COUNT_OF_OPTIONS; i++)
    if (strcmp(scree_option_at(i)->name, name) == 0) return i;
  return COUNT_OF_OPTIONS;
}

static size_t nearest(const char *name, bool variable) {
  size_t best = 0, best_distance = SIZE_MAX;
  for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
    char candidate[NAME_MAX_BYTES + 8];
    if (variable)
      variable_name(i, candidate, sizeof candidate);
    else
      snprintf(candidate, sizeof candidate, "%s", scree_option_at(i)->name);
    size_t distance = scree__edit_distance(name, candidate);
    if (distance < best_distance) best = i, best_distance = distance;
  }
  return best;
}

int scree_options_set(scree_options *options, const char *name, const char *text, char *why, size_t size) {
  char dashes[2 * NAME_MAX_BYTES];
  dash(name, dashes, sizeof dashes);
  size_t i = find(dashes);
  if (i < COUNT_OF_OPTIONS) return set_field(options, i, text, "", why, size);
  snprintf(why, size, "option '%s' is unknown; the nearest is '%s'; 'scree --help' lists all", name,
           scree_option_at(nearest(dashes, false))->name);
  return -1;
}

/* ---- environment and defaults ---- */

static void warn_of(const char *entry) {
  char name[2 * NAME_MAX_BYTES], near[NAME_MAX_BYTES + 8];
  size_t n = strcspn(entry, "=");
  snprintf(name, sizeof name, "%.*s", (int)n, entry);
  for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
    variable_name(i, near, sizeof near);
    if (strcmp(near, name) == 0) return;
  }
  variable_name(nearest(name, true), near, sizeof near);
  fprintf(stderr, "scree: warning: the environment variable %s names no option; the nearest is %s\n", name, near);
}

static void warn_of_unknown_variables(void) {
  static atomic_flag done = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&done)) return;
  for (char **entry = environ; entry && *entry; entry++)
    if (strncmp(*entry, "SCREE_", 6) == 0 && strncmp(*entry, "SCREE_TEST_", 11) != 0) warn_of(*entry);
}

static int resolve_field(scree_options *options, size_t i, char *from, char *why, size_t size) {
  const scree_option *option = scree_option_at(i);
  uint64_t *field = field_of(options, i);
  char variable[NAME_MAX_BYTES + 8], origin[NAME_MAX_BYTES + 24];
  if (*field != SCREE_UNSET) {
    *from = 'f';
    if (is_legal(option, *field)) return 0;
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)*field);
    return reject(option, text, " (field of scree_options)", true, why, size);
  }
  variable_name(i, variable, sizeof variable);
  const char *text = getenv(variable);
  *from = text ? 'e' : 'd';
  snprintf(origin, sizeof origin, " (from %s)", variable);
  if (text) return set_field(options, i, text, origin, why, size);
  *field = option->def;
  return 0;
}

int scree_options_resolve(scree_options *options, char *from, char *why, size_t size) {
  scree_options filled = *options;
  warn_of_unknown_variables();
  for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
    char origin;
    if (resolve_field(&filled, i, &origin, why, size)) return -1;
    if (from) from[i] = origin;
  }
  *options = filled;
  return 0;
}
