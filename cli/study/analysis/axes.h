/* axes.h - finds and orders the axes of a table while the table is made. */
#ifndef STUDY_AXES_H
#define STUDY_AXES_H
#include "study/analysis/stats.h"

/* Finds the axes of the groups and sorts the groups. False: no memory. */
bool study_axes_make(study_table *table);

#endif
