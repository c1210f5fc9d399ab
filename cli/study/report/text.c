/* text.c - numbers and names as all forms of a report print them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/text.h"
#include "study/util/format.h"

/* ---- numbers ---- */

void study_print_interval(char *text, size_t size, const study_interval *seconds) {
  if (seconds->n > 1)
    study_print_range(text, size, seconds->median, seconds->low, seconds->high);
  else
    study_print_seconds(text, size, seconds->median);
}

void study_print_ratio(char *text, size_t size, const study_interval *ratio) {
  if (ratio->n > 1)
    snprintf(text, size, "%.2f (%.2f..%.2f)", ratio->median, ratio->low, ratio->high);
  else
    snprintf(text, size, "%.2f", ratio->median);
}

/* ---- names ---- */

enum { SETTINGS = 1, PROBLEM = 2 }; /* PROBLEM: axes that state the problem; SETTINGS: the others */

static bool print_axes(const study_table *table, const study_group *group, int which, const char *but, FILE *to) {
  bool any = false;
  for (size_t i = 0; i < table->axis_count; i++) {
    const char *name = table->axes[i].name, *value = study_group_value(group, name);
    if (!value || !(which & (study_states_problem(name) ? PROBLEM : SETTINGS)) || (but && strcmp(but, name) == 0))
      continue;
    fprintf(to, "%s%s=%s", any ? " " : "", name, value);
    any = true;
  }
  return any;
}

void study_print_name(const study_table *table, const study_group *group, const study_axis *but, const char *none,
                      FILE *to) {
  if (!print_axes(table, group, SETTINGS | PROBLEM, but ? but->name : NULL, to)) fputs(none, to);
}

void study_print_settings(const study_table *table, const study_group *group, const study_axis *but, FILE *to) {
  if (!print_axes(table, group, SETTINGS, but ? but->name : NULL, to)) fputs(group->key, to);
}

void study_print_problem(const study_table *table, const study_group *group, FILE *to) {
  if (print_axes(table, group, PROBLEM, NULL, to)) return;
  const char *before = "";
  for (size_t i = 0; i < table->axis_count; i++)
    if (study_states_problem(table->axes[i].name)) fprintf(to, "%sno %s", before, table->axes[i].name), before = ", ";
}

void study_print_at(const study_table *table, FILE *to) {
  if (table->problems < 2 || !table->best) return;
  fputs(" at ", to);
  study_print_problem(table, table->best, to);
}

bool study_varies(const study_table *table, const char *name) {
  for (size_t i = 0; i < table->axis_count; i++)
    if (strcmp(table->axes[i].name, name) == 0) return true;
  return false;
}

static size_t most_runs(const study_table *table) {
  size_t max = 0;
  for (size_t i = 0; i < table->count; i++) {
    size_t runs = table->groups[i].ok + table->groups[i].bad;
    if (runs > max) max = runs;
  }
  return max;
}

void study_print_constants(const study_table *table, FILE *to) {
  const study_group *first = table->groups;
  for (size_t i = 0; table->count > 0 && i < first->count; i++)
    if (!study_varies(table, first->settings[i].name))
      fprintf(to, "%s=%s ", first->settings[i].name, first->settings[i].value);
  size_t runs = most_runs(table);
  fprintf(to, "(%zu run%s of each)", runs, runs == 1 ? "" : "s");
}
