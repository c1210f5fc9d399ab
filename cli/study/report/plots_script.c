/* plots_script.c - gnuplot scripts: titles, units, scales, styles.
 *
 * Texts are in single quotes, where gnuplot neither substitutes nor escapes: only the quote itself is doubled, and a
 * control character, which might end the line, becomes a blank. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <scree/options.h>

#include "study/report/plots.h"
#include "study/results/provenance.h"

enum {
  LINE = 130, /* characters per line of the caption */
  MANY = 24   /* values of an axis: above this, the axis shows plain numbers instead of the values of the plan */
};

static void put_quoted(const char *text, size_t length, FILE *to) {
  fputc('\'', to);
  for (size_t i = 0; i < length; i++)
    fputs(text[i] == '\'' ? "''" : iscntrl((unsigned char)text[i]) ? " " : (char[]){text[i], 0}, to);
  fputc('\'', to);
}

/* The unit of an axis, or NULL. */
static const char *unit_of(const study_axis *axis) {
  for (size_t i = 0; i < scree_option_count(); i++) {
    const scree_option *o = scree_option_at(i);
    if (strcmp(o->name, axis->name) == 0)
      return o->kind == SCREE_KIND_SIZE   ? "bytes"
             : o->kind == SCREE_KIND_TIME ? (axis->count > MANY ? "ns" : "time")
                                          : NULL;
  }
  return strcmp(axis->name, "scale") == 0 ? "log2 of the number of vertices" : NULL;
}

/* ---- the caption ---- */

static void write_rest(const study_plot *p, FILE *to) {
  if (p->shown == p->count) return;
  fprintf(to, "; %zu of %zu series, the fastest; the others: ", p->shown, p->count);
  enum { NAMED = 12 };
  for (size_t i = p->shown; i < p->count && i < p->shown + NAMED; i++) {
    fputs(i > p->shown ? ", " : "", to);
    study_print_name(p->table, p->series[i], p->axis, "all", to);
  }
  if (p->count > p->shown + NAMED) fprintf(to, " and %zu more", p->count - p->shown - NAMED);
}

static void write_words(const study_plot *p, FILE *to) {
  bool any = false;
  for (size_t i = 0; i < p->table->axis_count; i++) {
    const study_axis *axis = &p->table->axes[i];
    if (p->bars || strcmp(axis->name, p->axis->name) != 0) continue;
    double x;
    for (size_t k = 0; k < axis->count; k++)
      if (!study_number(axis->values[k], &x)) {
        fprintf(to, "%s%s", any ? ", " : "; not on this axis: ", axis->values[k]);
        any = true;
      }
  }
}

/* Machine and settings. The caller frees. */
static char *caption_of(const study_plot *p) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  char *where = study_provenance(p->table->results);
  fprintf(to, "where: %s; ", where ? where : "unknown, no memory");
  study_print_constants(p->table, to);
  fputs("; median and its 95 % interval", to);
  write_words(p, to);
  write_rest(p, to);
  free(where);
  if (fclose(to) == 0) return text;
  free(text);
  return NULL;
}

/* The length of the first line when the text is broken between words. */
static size_t line_of(const char *text) {
  size_t n = strlen(text);
  if (n <= LINE) return n;
  for (n = LINE; n > 0 && text[n] != ' '; n--) continue;
  return n ? n : LINE;
}

static void put_caption(const study_plot *p, FILE *to) {
  char *text = caption_of(p);
  if (!text) return;
  int lines = 0, at = 0;
  for (const char *c = text; *c; c += line_of(c), c += *c == ' ') lines++;
  fprintf(to, "set bmargin at screen %.3f\n", 0.12 + 0.025 * lines);
  for (const char *c = text; *c; c += line_of(c), c += *c == ' ') {
    fprintf(to, "set label %d ", ++at);
    put_quoted(c, line_of(c), to);
    fprintf(to, " at screen 0.02, %.3f font ',10' noenhanced\n", 0.025 * (lines - at) + 0.02);
  }
  free(text);
}

/* ---- scales ---- */

/* Labels the axis with the values of the plan unless there are too many. */
static void put_tics(const study_plot *p, FILE *to) {
  const char *before = "set xtics noenhanced (";
  for (size_t i = 0; i < p->axis->count && (p->bars || p->axis->count <= MANY); i++) {
    double x = (double)i;
    if (!p->bars) study_number(p->axis->values[i], &x);
    fputs(before, to);
    put_quoted(p->axis->values[i], strlen(p->axis->values[i]), to);
    fprintf(to, " %.12g", x);
    before = ", ";
  }
  if (p->bars && p->absent) fprintf(to, ", 'without' %zu", p->axis->count);
  if (p->bars || p->axis->count <= MANY) fputs(")\n", to);
  if (p->bars)
    fprintf(to, "boxes = %.4g\nset boxwidth boxes\nset style fill solid 0.6\nset xrange [-0.5:%zu.5]\n",
            0.7 / (double)p->shown, p->axis->count - !p->absent);
}

static void put_head(const study_plot *p, FILE *to) {
  const char *unit = unit_of(p->axis), *title = p->table->results->title;
  fprintf(to,
          "# Made by scree report. Edit it as you like, then run: gnuplot %s.gp\n"
          "set encoding utf8\nset key outside right top noenhanced\nset grid\nset offsets graph 0.03, graph 0.03, "
          "graph 0, graph 0\n",
          p->file);
  char *axis = NULL;
  if (asprintf(&axis, unit ? "%s (%s)" : "%s%s", p->axis->name, unit ? unit : "") > 0) {
    fputs("set xlabel ", to);
    put_quoted(axis, strlen(axis), to);
    fputs(" noenhanced\n", to);
    free(axis);
  }
  fputs("set title ", to);
  put_quoted(title, strcspn(title, "\n"), to);
  fputs(" noenhanced\n", to);
  put_tics(p, to);
  put_caption(p, to);
  if (p->wide) fputs("set logscale x 2\n", to);
}

/* One picture, as SVG, PNG and PDF, with engineering units on its axis; which: 0 times, 1 messages. */
static void put_picture(const study_plot *p, int which, FILE *to) {
  const char *ending = which ? "-messages" : "", *style = p->bars ? "boxes" : "linespoints";
  const char *columns = "1:5";
  if (which == 0) style = p->bars ? "boxerrorbars" : "yerrorlines", columns = p->bars ? "1:2:3:4:(boxes)" : "1:2:3:4";
  fprintf(to, "\nset ylabel '%s'\nset format y '%%.%ds %%c%s'\n%s\n%s\n", which ? "relaxations sent" : "time",
          !p->tall[which], which ? "" : "s", p->tall[which] ? "set logscale y" : "unset logscale y",
          p->tall[which] ? "set yrange [*:*]" : "set yrange [0:*]");
  static const char *const terminals[][2] = {{"svg size 960,600 dynamic background '#ffffff' font 'sans,12'", "svg"},
                                             {"pngcairo size 1440,900 fontscale 1.4 font 'sans,12'", "png"},
                                             {"pdfcairo size 8in,5in font 'sans,12'", "pdf"}};
  for (int i = 0; i < 3; i++)
    fprintf(to,
            "set terminal %s\nset output '%s%s.%s'\n"
            "plot for [i=0:%zu] '%s.dat' index i using %s with %s linewidth 2 title columnheader(1)\nunset output\n",
            terminals[i][0], p->file, ending, terminals[i][1], p->shown - 1, p->file, columns, style);
}

void study_plot_script(const study_plot *p, FILE *to) {
  put_head(p, to);
  for (int which = 0; which < 2; which++) put_picture(p, which, to);
}
