/* table.c - prints a table for a terminal: a caption, one row per configuration, the messages of failed runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/report.h"
#include "study/report/text.h"
#include "study/results/provenance.h"
#include "study/util/grid.h"

static size_t bad_runs(const study_table *table) {
  size_t bad = 0;
  for (size_t i = 0; i < table->count; i++) bad += table->groups[i].bad;
  return bad;
}

void study_print_caption(const study_table *table, FILE *to) {
  const study_results *r = table->results;
  size_t bad = bad_runs(table);
  char all[32] = ""; /* a race does not know its number of runs in advance */
  if (r->steps) snprintf(all, sizeof all, " of %" PRIu64, r->steps);
  fprintf(to, "%s%s%s: %zu configuration%s, %zu%s runs", r->title, r->title[0] ? ", " : "", r->name, table->count,
          table->count == 1 ? "" : "s", r->count, all);
  if (bad) fprintf(to, ", %zu without a result", bad);
  fputs("\ncommon settings: ", to);
  study_print_constants(table, to);
  char *where = study_provenance(r);
  fprintf(to, "\nwhere: %s\n", where ? where : "unknown, no memory");
  free(where);
}

static void add_heading(const study_table *table, study_grid *grid) {
  static const char *const names[] = {"n",           "time",   "95 %",   "MTEPS", "cost",
                                      "relaxations", "useful", "epochs", "answer"};
  study_grid_add(grid, " ");
  for (size_t i = 0; i < table->axis_count; i++) study_grid_add(grid, "%s", table->axes[i].name);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) study_grid_add(grid, "%s", names[i]);
  grid->columns = grid->count;
}

static const char *answer_of(const study_group *g) {
  if (g->worst == STUDY_INVALID) return "INVALID";
  return g->ok == 0 ? study_status_word(g->worst) : g->validated ? "valid" : "unchecked";
}

static void add_time(study_grid *grid, const study_group *g) {
  char text[96];
  study_print_interval(text, sizeof text, &g->seconds);
  char *interval = strrchr(text, ' ');
  if (g->seconds.n > 1)
    *interval++ = 0;
  else
    interval = NULL;
  study_grid_add(grid, "%s", text);
  study_grid_add(grid, "%s", interval ? interval : "-");
  study_grid_add(grid, "%.2f", 1e-6 * g->teps.median);
  if (g->best)
    study_grid_add(grid, "%.2f", g->seconds.median / g->best->seconds.median);
  else
    study_grid_add(grid, "-");
}

/* Sent in messages and applied directly. */
static double relaxations_of(const study_group *g) {
  return g->work[STUDY_WORK_messages] + g->work[STUDY_WORK_direct];
}

static void add_work(study_grid *grid, const study_group *g) {
  double relaxations = relaxations_of(g), useful = g->work[STUDY_WORK_useful];
  study_grid_add(grid, "%.0f", relaxations);
  if (useful > 0 && relaxations > 0)
    study_grid_add(grid, "%.0f %%", 100 * useful / relaxations);
  else
    study_grid_add(grid, "-");
  study_grid_add(grid, "%.0f", g->work[STUDY_WORK_epochs]);
}

static void add_row(const study_table *table, const study_group *g, study_grid *grid) {
  study_grid_add(grid, g == g->best ? "*" : " ");
  for (size_t i = 0; i < table->axis_count; i++) {
    const char *value = study_group_value(g, table->axes[i].name);
    study_grid_add(grid, "%s", value ? value : "-");
  }
  if (g->bad)
    study_grid_add(grid, "%zu/%zu", g->ok, g->ok + g->bad);
  else
    study_grid_add(grid, "%zu", g->ok);
  if (g->ok) {
    add_time(grid, g);
    add_work(grid, g);
  } else {
    for (int i = 0; i < 7; i++) study_grid_add(grid, "-");
  }
  study_grid_add(grid, "%s", answer_of(g));
}

/* The first lines of a message. */
static void print_message(const char *message, FILE *to) {
  enum { LINES = 3 };
  int lines = 0;
  while (*message && lines++ < LINES) {
    int length = (int)strcspn(message, "\n");
    fprintf(to, "    %.*s\n", length, message);
    message += length;
    message += *message == '\n';
  }
  if (*message) fputs("    ...\n", to);
}

static void print_failures(const study_table *table, FILE *to) {
  for (size_t i = 0; i < table->count; i++) {
    const study_group *g = &table->groups[i];
    if (g->bad == 0) continue;
    study_print_name(table, g, NULL, g->key, to);
    fprintf(to, ": %s, %zu of %zu runs without a result\n", study_status_word(g->worst), g->bad, g->ok + g->bad);
    print_message(g->message, to);
  }
}

void study_print_table(const study_table *table, FILE *to) {
  study_grid grid = {0};
  study_print_caption(table, to);
  add_heading(table, &grid);
  for (size_t i = 0; i < table->count; i++) add_row(table, &table->groups[i], &grid);
  study_grid_print(&grid, to);
  print_failures(table, to);
}
