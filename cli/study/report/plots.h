/* plots.h - one plot: an axis, and one series for each combination of the other axes. */
#ifndef STUDY_PLOTS_H
#define STUDY_PLOTS_H
#include "study/report/text.h"

enum { STUDY_SERIES = 8 }; /* at most, in a plot */

typedef struct {
  const study_table *table;
  const study_axis *axis; /* of a plot of numbers: with its numbers alone */
  const char *file;       /* base name of its files */
  bool bars;              /* the values are words: bars side by side */
  /* Set by study_plot_open: */
  const study_group *
      *series;         /* one configuration of each series: those shown in the order of the table, then the rest */
  size_t count, shown; /* number of series; number of those shown, the fastest */
  bool absent;         /* bars only: some configurations lack the axis */
  bool wide, tall[2];  /* logarithmic scale for the axis; for times and messages */
} study_plot;

/* Finds the series and scales of a plot whose first fields are set. False: no memory. */
bool study_plot_open(study_plot *plot);
void study_plot_close(study_plot *plot);

/* Writes one line per configuration, series separated by two empty lines. */
void study_plot_data(const study_plot *plot, FILE *to);
/* Writes a script that makes FILE.svg, FILE.png, FILE-messages.svg and FILE-messages.png from FILE.dat. */
void study_plot_script(const study_plot *plot, FILE *to);

#endif
