/* range.h - whether distances are in the range of doubles. */
#ifndef SCREE__SSSP_RANGE_H
#define SCREE__SSSP_RANGE_H
#include "kernel/kernel.h"

/* Refuses an answer that has a rounded sum of integers, or that calls a vertex unreached whose distance exceeds the
 * largest double. Collective; returns what all ranks have agreed on. */
scree_status scree__sssp_check_range(const scree__run *run);

#endif
