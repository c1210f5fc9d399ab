/* progress.h - progress of a sweep: runs done, runs left, estimated time, and its display. */
#ifndef STUDY_PROGRESS_H
#define STUDY_PROGRESS_H
#include "study/results/results.h"

typedef struct study_progress study_progress;

/* Of the steps of a plan; both must outlive it. quiet: only runs that fail are
 * displayed. NULL: no memory. */
study_progress *study_progress_make(const study_plan *plan, const study_step *steps, size_t count, bool quiet);
void study_progress_free(study_progress *p);

/* Counts a completed run, or with done = false one that only contributes its duration to the estimate. */
void study_progress_count(study_progress *p, size_t step, const cJSON *record, bool done);

/* The estimated seconds of the remaining runs, from the mean of each configuration, or of all runs. `measured`: the
 * number of runs behind the estimate; 0: it assumes STUDY_ROUGH_SECONDS per run. */
#define STUDY_ROUGH_SECONDS 1.5
double study_progress_left(const study_progress *p, size_t *measured);

/* Called around each run. On a terminal, standard error shows one line that is redrawn, and a line for each failed run;
 * elsewhere it shows one line per run. */
void study_progress_begin(study_progress *p);
void study_progress_tick(void *p);
void study_progress_end(study_progress *p, size_t step, const cJSON *record);
/* Clears the line of the terminal. */
void study_progress_clear(const study_progress *p);

#endif
