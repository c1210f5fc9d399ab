/* text.h - numbers, names and sentences that the forms of a report share. */
#ifndef STUDY_TEXT_H
#define STUDY_TEXT_H
#include <stdio.h>

#include "study/analysis/stats.h"

/* "23.1 ms 22.8..24.0"; without the interval if there was one run. */
void study_print_interval(char *text, size_t size, const study_interval *seconds);
/* "1.32 (1.25..1.40)", likewise. */
void study_print_ratio(char *text, size_t size, const study_interval *ratio);

/* "algorithm=dc ranks=2": the axes that vary, without `but`, which may be NULL. If none is left: `none`. */
void study_print_name(const study_table *table, const study_group *group, const study_axis *but, const char *none,
                      FILE *to);
/* Of those the ones that do not state the problem, or the key if none is left; and the ones that do. */
void study_print_settings(const study_table *table, const study_group *group, const study_axis *but, FILE *to);
void study_print_problem(const study_table *table, const study_group *group, FILE *to);
/* " at scale=19", if there are several problems: that of the table's best. */
void study_print_at(const study_table *table, FILE *to);

/* "kernel=sssp scale=16": the axes that do not vary; and what else is the same in all: "5 runs of each". */
void study_print_constants(const study_table *table, FILE *to);

/* Does a setting take more than one value? */
bool study_varies(const study_table *table, const char *name);

/* What a table is of: title, file, runs; what is the same in all; where. */
void study_print_caption(const study_table *table, FILE *to);

/* Parts of study_print_words: of several problems the best of each; along an axis of numbers that states the problem;
 * along all other axes of numbers; the control, and what to be wary of. */
void study_print_bests(const study_table *table, FILE *to);
void study_print_growth(const study_table *table, const study_axis *axis, FILE *to);
void study_print_curves(const study_table *table, FILE *to);
void study_print_warnings(const study_table *table, FILE *to);
/* Of these those on wrong answers and few runs; `which`: "before, " or such, or "". */
void study_print_doubts(const study_table *table, const char *which, FILE *to);

#endif
