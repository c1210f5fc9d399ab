/* report.h - the forms of a report: a table and sentences for a terminal, CSV, plots, an HTML page. */
#ifndef STUDY_REPORT_H
#define STUDY_REPORT_H
#include <stdio.h>

#include "study/analysis/stats.h"

/* A table for a terminal: one row per configuration with the axes that vary, median and interval, time relative to the
 * best of the problem, and work; then failures with their messages. A sweep prints it when it ends or is stopped. */
void study_print_table(const study_table *table, FILE *to);

/* The findings in sentences, one per line: what was run and where; the best configuration; which axis matters most, by
 * share of variance within a problem; how much slower other values are; where curves are flat and whether they are
 * U-shaped, with the work that explains it; the drift of the control; warnings. */
void study_print_summary(const study_table *table, FILE *to);

/* Compares two tables: which differences exceed the noise. */
void study_print_changes(const study_table *before, const study_table *after, FILE *to);

/* 0, or -1 with the reason in why[size]. csv: one line per record with all axes and figures; `all`: also of
 * warm-ups and control runs. html: one self-contained
 * page. plots: SVG, PNG and PDF files in directory `name`, by gnuplot. */
int study_write_csv(const char *name, bool all, const study_table *const *tables, size_t count, char *why, size_t size);
int study_write_html(const char *name, const study_table *const *tables, size_t count, char *why, size_t size);
int study_write_plots(const char *name, const study_table *table, char *why, size_t size);

#endif
