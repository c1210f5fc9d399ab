/* race.h - the parts of a race: one job, the rungs, the last rung. */
#ifndef TUNE_RACE_H
#define TUNE_RACE_H
#include "study/tune/tune.h"

typedef struct {
  uint64_t sources;
  size_t repetition; /* of the record: the rung, 0: it does not count */
  bool validate;
} tune_task;

/* Sets t->why, unless text is t->why. Always TUNE_BROKEN. */
tune_end tune_broken(tune *t, const char *text);
/* Runs one job of a candidate. Records its time if the repetition is not 0, or its failure. */
tune_end tune_run_job(tune *t, tune_candidate *c, const tune_task *k);

/* True if the budget allows one more job of so many sources and then `reserve` seconds. */
bool tune_fits(const tune *t, uint64_t sources, double reserve);
/* Fisher-Yates shuffle. */
void tune_shuffle(tune_candidate **list, size_t n, uint64_t seed);
/* Sets the median and the rung of all candidates that ran in it. */
void tune_settle(tune_candidate **list, size_t n, size_t rung);

/* The last rung: list[0] is the default, the others are the finalists. */
tune_end tune_final(tune *t, tune_candidate **list, size_t n);

#endif
