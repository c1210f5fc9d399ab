/* refused.h - does a sweep go on? Not once its inputs themselves are refused: further runs could not end otherwise. */
#ifndef STUDY_REFUSED_H
#define STUDY_REFUSED_H
#include "study/results/results.h"

typedef struct study_refusals study_refusals;

/* Of a plan, which must outlive it. NULL: no memory. */
study_refusals *study_refusals_make(const study_plan *plan);
void study_refusals_free(study_refusals *r);

/* Counts a run of the configuration. A job refuses its input or its options by exit code 2. */
void study_refusals_count(study_refusals *r, size_t configuration, const cJSON *record);

/* The reason, in the first line of a job's message, if every graph of the plan is refused; else NULL. A graph is refused
 * when three configurations on it, or all where there are fewer, were refused for the same reason, and no run on it
 * ended otherwise. A configuration that is refused for its own values has a reason of its own. */
const char *study_refusals_reason(const study_refusals *r);

#endif
