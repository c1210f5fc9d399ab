/* changes.c - compares two tables: faster, slower, missing in one of them, and the control configurations. */
#include <stdlib.h>

#include "study/report/report.h"
#include "study/report/text.h"
#include "study/util/grid.h"

static void add_change(const study_table *after, const study_change *c, study_grid *grid) {
  char before_text[96], after_text[96], ratio[96], *name = NULL;
  size_t size;
  FILE *to = open_memstream(&name, &size);
  if (to) study_print_name(after, c->after, NULL, c->after->key, to);
  if (!to || fclose(to) != 0) grid->lost = true;
  study_print_interval(before_text, sizeof before_text, &c->before->seconds);
  study_print_interval(after_text, sizeof after_text, &c->after->seconds);
  study_print_ratio(ratio, sizeof ratio, &c->ratio);
  study_grid_add(grid, "%s", name ? name : "");
  study_grid_add(grid, "%s", before_text);
  study_grid_add(grid, "%s", after_text);
  study_grid_add(grid, "%s", ratio);
  free(name);
}

/* Prints the changes beyond the noise on one side of 1. Returns their number. */
static size_t print_side(const study_table *after, const study_change *changes, size_t n, bool slower, FILE *to) {
  static const char *const heads[] = {"configuration", "before", "after", "after / before"};
  study_grid grid = {.columns = 4};
  size_t count = 0;
  for (int i = 0; i < 4; i++) study_grid_add(&grid, "%s", heads[i]);
  for (size_t i = 0; i < n; i++)
    if (changes[i].beyond_noise && (changes[i].ratio.median > 1) == slower) {
      add_change(after, &changes[i], &grid);
      count++;
    }
  fprintf(to, "%s: %zu\n", slower ? "slower" : "faster", count);
  if (count == 0)
    while (grid.count > 0) free(grid.cells[--grid.count]); /* no rows: no heading either */
  study_grid_print(&grid, to);
  return count;
}

static void print_controls(const study_table *before, const study_table *after, FILE *to) {
  if (before->controls == 0 || after->controls == 0) {
    fputs("One of them has no control runs, so that changes of the machine between the two are unknown.\n", to);
    return;
  }
  char text[96];
  study_interval r = study_ratio(after->control, after->controls, before->control, before->controls);
  study_print_ratio(text, sizeof text, &r);
  fprintf(to, "Control configuration: after / before is %s; its spread was %.0f %% before and %.0f %% after.\n", text,
          100 * before->control_spread, 100 * after->control_spread);
  if (r.n > 1 && (r.low > 1 || r.high < 1))
    fputs("If its code did not change, then the machine did, and the differences below include that change.\n", to);
}

/* Configurations that `other` lacks, or has without a time or with a wrong answer. */
static void print_only(const study_table *t, const study_table *other, const char *which, FILE *to) {
  const study_group **list = study_keyed(other);
  size_t only = 0;
  for (size_t i = 0; i < t->count && list; i++) {
    const study_group *g = &t->groups[i], *twin = study_find(other, list, g);
    if (twin && (study_usable(twin) || !study_usable(g))) continue;
    if (only++ == 0) fprintf(to, "only in %s:\n", which);
    fputs("  ", to);
    study_print_name(t, g, NULL, g->key, to);
    if (twin) fprintf(to, " (the other has: %s)", study_status_word(twin->worst));
    fputs("\n", to);
  }
  if (!list) fputs("no memory to list configurations that only one of them has\n", to);
  free(list);
}

void study_print_changes(const study_table *before, const study_table *after, FILE *to) {
  study_change *changes;
  size_t n = study_compare(before, after, &changes);
  fprintf(to, "before: %s\nafter:  %s\n", before->results->name, after->results->name);
  print_controls(before, after, to);
  if (n == 0) {
    fputs("No configuration has a time in both.\n", to);
  } else {
    size_t changed = print_side(after, changes, n, false, to);
    changed += print_side(after, changes, n, true, to);
    size_t few = 0;
    for (size_t i = 0; i < n; i++) few += changes[i].ratio.n < STUDY_MIN_RUNS;
    fprintf(to, "no difference beyond the noise: %zu\n", n - changed - few);
    if (few) fprintf(to, "too few runs (fewer than three) to compare: %zu\n", few);
  }
  free(changes);
  print_only(before, after, "before", to);
  print_only(after, before, "after", to);
  study_warn_runs(before, "before, ", to);
  study_warn_runs(after, "after, ", to);
}
