/* progress.h - how far a sweep has come.
 *
 * Room: what is done, what is left and for how long, and telling it while it goes on. */
#ifndef STUDY_PROGRESS_H
#define STUDY_PROGRESS_H
#include "study/results/results.h"

typedef struct study_progress study_progress;

/* Of the steps of a plan; both must outlive it. NULL: no memory. */
study_progress *study_progress_make(const study_plan *plan, const study_step *steps, size_t count);
void study_progress_free(study_progress *p);

/* Counts a run that is done, or one (done: false) that only says how long such runs take. */
void study_progress_count(study_progress *p, size_t step, const cJSON *record, bool done);

/* Seconds that the runs left will take, by the mean of each configuration's runs, or of all; `measured`: how many runs
 * that rests on; 0: on STUDY_ROUGH_SECONDS each. */
#define STUDY_ROUGH_SECONDS 1.5
double study_progress_left(const study_progress *p, size_t *measured);

/* Around a run: a line on standard error that is drawn again and again if it is a terminal, else a line for each run.
 * Runs that fail get a line of their own on either. */
void study_progress_begin(study_progress *p);
void study_progress_tick(void *p);
void study_progress_end(study_progress *p, size_t step, const cJSON *record);
/* Leaves the terminal's line empty. */
void study_progress_clear(const study_progress *p);

#endif
