/* report.h - the forms of a report: a table and sentences for a terminal, CSV, plots, an HTML page. */
#ifndef STUDY_REPORT_H
#define STUDY_REPORT_H
#include <stdio.h>

#include "study/analysis/stats.h"

/* Rows for a terminal: a configuration each, by the axes that vary, with median and interval, cost against the best of
 * the problem, work; failures below with their messages. Also what a sweep prints when it ends or is stopped. */
void study_print_table(const study_table *table, FILE *to);

/* The answers in words, a line each: what was run and where; the best configuration; which axis matters most, by share
 * of variance within a problem; what the others cost against the best; where a curve is flat; U or not, with the work that explains it;
 * the control's drift; warnings (threads exceed cores, answers unchecked, runs that failed). */
void study_print_words(const study_table *table, FILE *to);

/* Two tables, before and after: which differences exceed the noise. */
void study_print_changes(const study_table *before, const study_table *after, FILE *to);

/* 0, or -1 with the reason in why[size]. csv: one line a record, all axes and figures. html: one page that needs
 * nothing else. plots: SVG and PNG files in directory `name`, by gnuplot. */
int study_write_csv(const char *name, const study_table *const *tables, size_t count, char *why, size_t size);
int study_write_html(const char *name, const study_table *const *tables, size_t count, char *why, size_t size);
int study_write_plots(const char *name, const study_table *table, char *why, size_t size);

#endif
