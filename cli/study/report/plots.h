/* plots.h - one plot: an axis, and one series for each combination of the other axes. */
#ifndef STUDY_PLOTS_H
#define STUDY_PLOTS_H
#include "study/report/text.h"

enum { STUDY_SERIES = 8 }; /* at most, in a plot */

typedef struct {
  const study_table *table;
  const study_axis *axis; /* of a plot of numbers: with its numbers alone */
  const char *file;       /* its files' names, without an ending */
  bool bars;              /* values of the axis are words, side by side */
  /* Below: by study_plot_open. */
  const study_group *
      *series;         /* a configuration of each series: those in the plot in the table's order, then the rest */
  size_t count, shown; /* series, and how many of them are in the plot: the fastest */
  bool absent;         /* of bars: some configurations do not have the axis */
  bool wide, tall[2];  /* the axis, the times, the messages are better on a logarithmic scale */
} study_plot;

/* Finds series and scales of a plot whose first fields are set. False: no memory. */
bool study_plot_open(study_plot *plot);
void study_plot_close(study_plot *plot);

/* A line for each configuration, series apart by two empty lines. */
void study_plot_data(const study_plot *plot, FILE *to);
/* Makes FILE.svg, FILE.png, FILE-messages.svg and FILE-messages.png of FILE.dat. */
void study_plot_script(const study_plot *plot, FILE *to);

#endif
