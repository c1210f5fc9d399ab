/* plots_series.c - the series of a plot, its scales and its data file. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/report/plots.h"

/* The position on the axis; NAN: it has none. */
static double position_of(const study_plot *p, const study_group *g) {
  const char *value = study_group_value(g, p->axis->name);
  double x;
  if (!p->bars) return value && study_number(value, &x) ? x : NAN;
  for (size_t i = 0; i < p->axis->count && value; i++)
    if (strcmp(value, p->axis->values[i]) == 0) return (double)i;
  return value ? NAN : (double)p->axis->count;
}

static bool drawn(const study_plot *p, const study_group *g) {
  return study_usable(g) && !isnan(position_of(p, g));
}

static int by_time(const void *a, const void *b) {
  double x = (*(const study_group *const *)a)->seconds.median, y = (*(const study_group *const *)b)->seconds.median;
  return (x > y) - (x < y);
}

static int by_table_order(const void *a, const void *b) {
  const study_group *x = *(const study_group *const *)a, *y = *(const study_group *const *)b;
  return (x > y) - (x < y);
}

/* Configurations are sorted by time, so the first one of a series is its fastest. */
static bool find_series(study_plot *p) {
  const study_group **all = calloc(p->table->count + 1, sizeof *all);
  p->series = calloc(p->table->count + 1, sizeof *p->series);
  size_t n = 0;
  for (size_t i = 0; i < p->table->count && all && p->series; i++)
    if (drawn(p, &p->table->groups[i])) all[n++] = &p->table->groups[i];
  if (n > 0) qsort(all, n, sizeof *all, by_time);
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;
    while (k < p->count && !study_alike(p->table, p->axis, p->series[k], all[i])) k++;
    if (k == p->count) p->series[p->count++] = all[i];
  }
  bool good = all && p->series;
  free(all);
  p->shown = p->count < STUDY_SERIES ? p->count : STUDY_SERIES;
  if (p->shown > 0) qsort(p->series, p->shown, sizeof *p->series, by_table_order);
  return good;
}

static bool in_series(const study_plot *p, size_t series, const study_group *g) {
  return drawn(p, g) && study_alike(p->table, p->axis, p->series[series], g);
}

static double figure(const study_group *g, int which) {
  return which == 0 ? g->seconds.median : g->work[STUDY_WORK_messages];
}

/* True if the figures shown span more than a factor of 10. */
static bool is_tall(const study_plot *p, int which) {
  double min = INFINITY, max = 0;
  for (size_t s = 0; s < p->shown; s++)
    for (size_t i = 0; i < p->table->count; i++) {
      const study_group *g = &p->table->groups[i];
      if (in_series(p, s, g)) min = fmin(min, figure(g, which)), max = fmax(max, figure(g, which));
    }
  return min > 0 && max / min > 10;
}

static bool is_wide(const study_axis *axis) {
  double low = INFINITY, high = 0, x;
  for (size_t i = 0; i < axis->count; i++)
    if (study_number(axis->values[i], &x)) low = fmin(low, x), high = fmax(high, x);
  return low > 0 && high / low >= 16;
}

bool study_plot_open(study_plot *p) {
  p->wide = !p->bars && is_wide(p->axis);
  if (!find_series(p)) return false;
  for (int i = 0; i < 2; i++) p->tall[i] = is_tall(p, i);
  for (size_t i = 0; i < p->table->count; i++) p->absent |= !study_group_value(&p->table->groups[i], p->axis->name);
  return true;
}

void study_plot_close(study_plot *p) {
  free(p->series);
}

/* ---- data ---- */

typedef struct {
  double x;
  const study_group *group;
} point;

static int by_place(const void *a, const void *b) {
  double x = ((const point *)a)->x, y = ((const point *)b)->x;
  return (x > y) - (x < y);
}

/* In double quotes, in which gnuplot knows no escape: a double quote of the text becomes a single one, a control
 * character a blank. */
static void put_quoted(const char *text, FILE *to) {
  fputc('"', to);
  for (; *text; text++) fputc(*text == '"' ? '\'' : iscntrl((unsigned char)*text) ? ' ' : *text, to);
  fputc('"', to);
}

static void put_name(const study_plot *p, const study_group *g, FILE *to) {
  char *name = NULL;
  size_t size;
  FILE *text = open_memstream(&name, &size);
  if (text) study_print_name(p->table, g, p->axis, "all", text);
  put_quoted(text && fclose(text) == 0 ? name : "no memory for the name", to);
  free(name);
}

static void put_series(const study_plot *p, size_t series, point *points, FILE *to) {
  size_t n = 0;
  for (size_t i = 0; i < p->table->count; i++) {
    const study_group *g = &p->table->groups[i];
    if (in_series(p, series, g)) points[n++] = (point){position_of(p, g), g};
  }
  if (n > 0) qsort(points, n, sizeof *points, by_place);
  fputs(series ? "\n\n" : "", to);
  put_name(p, p->series[series], to);
  fputs("\n", to);
  double shift = p->bars ? ((double)series - ((double)p->shown - 1) / 2) * 0.8 / (double)p->shown : 0;
  for (size_t i = 0; i < n; i++) {
    const study_group *g = points[i].group;
    const char *value = study_group_value(g, p->axis->name);
    fprintf(to, "%.12g %.9g %.9g %.9g %.12g ", points[i].x + shift, g->seconds.median, g->seconds.low, g->seconds.high,
            g->work[STUDY_WORK_messages]);
    put_quoted(value ? value : "-", to);
    fputs("\n", to);
  }
}

void study_plot_data(const study_plot *p, FILE *to) {
  point *points = calloc(p->table->count + 1, sizeof *points);
  fprintf(
      to,
      "# %s: position on the axis, seconds (median, low and high end of its 95 %% interval), relaxations sent, value\n",
      p->file);
  for (size_t i = 0; i < p->shown && points; i++) put_series(p, i, points, to);
  if (!points) fputs("# no memory for the data\n", to);
  free(points);
}
