/* report.h - the table that a sweep prints. */
#ifndef STUDY_REPORT_H
#define STUDY_REPORT_H
#include <stdio.h>

#include "study/analysis/stats.h"

/* A table for a terminal: one row per configuration with the axes that vary, median and interval, time relative to the
 * best of the problem, and work; then failures with their messages. A sweep prints it when it ends or is stopped. */
void study_print_table(const study_table *table, FILE *to);

#endif
