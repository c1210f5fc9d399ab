/* text.c - numbers and names as people read them.
 *
 * Room: texts that a table, words, plots and a page have in common. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tell.h"

/* ---- numbers ---- */

typedef struct {
  double factor;
  const char *name;
} unit;

static unit unit_of(double seconds) {
  static const unit units[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}, {1, "s"}};
  size_t i = 0;
  while (i < 3 && seconds * units[i].factor >= 999.5) i++;
  return units[i];
}

/* So that a number of this size shows three digits, and all of its whole part. */
static int decimals_of(double x) {
  return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
}

void study_print_seconds(char *text, size_t size, double seconds) {
  unit u = unit_of(seconds);
  snprintf(text, size, "%.*f %s", decimals_of(seconds * u.factor), seconds * u.factor, u.name);
}

void study_print_interval(char *text, size_t size, const study_interval *seconds) {
  unit u = unit_of(seconds->median);
  double median = seconds->median * u.factor;
  int d = decimals_of(median);
  if (seconds->n > 1)
    snprintf(text, size, "%.*f %s %.*f..%.*f", d, median, u.name, d, seconds->low * u.factor, d,
             seconds->high * u.factor);
  else
    snprintf(text, size, "%.*f %s", d, median, u.name);
}

void study_print_ratio(char *text, size_t size, const study_interval *ratio) {
  if (ratio->n > 1)
    snprintf(text, size, "%.2f (%.2f..%.2f)", ratio->median, ratio->low, ratio->high);
  else
    snprintf(text, size, "%.2f", ratio->median);
}

/* ---- names ---- */

void study_print_name(const study_table *table, const study_group *group, const study_axis *but, const char *none,
                      FILE *to) {
  bool any = false;
  for (size_t i = 0; i < table->axis_count; i++) {
    const char *name = table->axes[i].name, *value = study_group_value(group, name);
    if (!value || (but && strcmp(but->name, name) == 0)) continue;
    fprintf(to, "%s%s=%s", any ? " " : "", name, value);
    any = true;
  }
  if (!any) fputs(none, to);
}

bool study_varies(const study_table *table, const char *name) {
  for (size_t i = 0; i < table->axis_count; i++)
    if (strcmp(table->axes[i].name, name) == 0) return true;
  return false;
}

static size_t most_runs(const study_table *table) {
  size_t most = 0;
  for (size_t i = 0; i < table->count; i++) {
    size_t runs = table->groups[i].ok + table->groups[i].bad;
    if (runs > most) most = runs;
  }
  return most;
}

void study_print_constants(const study_table *table, FILE *to) {
  const study_group *first = table->groups;
  for (size_t i = 0; table->count > 0 && i < first->count; i++)
    if (!study_varies(table, first->settings[i].name))
      fprintf(to, "%s=%s ", first->settings[i].name, first->settings[i].value);
  size_t runs = most_runs(table);
  fprintf(to, "(%zu run%s of each)", runs, runs == 1 ? "" : "s");
}
