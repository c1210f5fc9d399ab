/* text.h - numbers, names and sentences that the forms of a report share. */
#ifndef STUDY_TEXT_H
#define STUDY_TEXT_H
#include <stdio.h>

#include "study/analysis/stats.h"

/* What a sentence says instead of a conclusion; see study_too_few. */
#define STUDY_CANNOT_TELL(what) "; fewer than three runs of a configuration cannot tell whether " what

/* "23.1 ms 22.8..24.0"; without the interval if there was one run. */
void study_print_interval(char *text, size_t size, const study_interval *seconds);
/* "1.32 (1.25..1.40)", likewise. */
void study_print_ratio(char *text, size_t size, const study_interval *ratio);

/* "algorithm=dc ranks=2": the axes that vary except `but`, which may be NULL. Without any: `none`. */
void study_print_name(const study_table *table, const study_group *group, const study_axis *but, const char *none,
                      FILE *to);
/* The same for the axes that do not state the problem (without any: the key), and for those that do. */
void study_print_settings(const study_table *table, const study_group *group, const study_axis *but, FILE *to);
void study_print_problem(const study_table *table, const study_group *group, FILE *to);
/* " at scale=19": the problem of the best, if there are several problems. */
void study_print_at(const study_table *table, FILE *to);

/* "kernel=sssp scale=16 (5 runs of each)": the axes that do not vary and the number of runs. */
void study_print_constants(const study_table *table, FILE *to);

/* True if the axis has more than one value. */
bool study_varies(const study_table *table, const char *name);

/* Title, file, number of runs; common settings; where the runs were made. */
void study_print_caption(const study_table *table, FILE *to);

/* Parts of study_print_summary: the best of each problem; growth along a numeric axis that states the problem; curves
 * along the other numeric axes; the control and warnings. */
void study_print_bests(const study_table *table, FILE *to);
void study_print_growth(const study_table *table, const study_axis *axis, FILE *to);
void study_print_curves(const study_table *table, FILE *to);
void study_print_warnings(const study_table *table, FILE *to);
/* The warnings on wrong results and few runs; `which`: a prefix such as "before, ", or "". */
void study_warn_runs(const study_table *table, const char *which, FILE *to);

#endif
