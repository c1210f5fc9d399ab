/* axes.h - the axes of a table that is being made.
 *
 * Room: between table.c and axes.c. */
#ifndef STUDY_AXES_H
#define STUDY_AXES_H
#include "study/analysis/stats.h"

/* Finds the axes of the table's groups, and puts the groups in their order. False: no memory. */
bool study_axes_make(study_table *table);

#endif
