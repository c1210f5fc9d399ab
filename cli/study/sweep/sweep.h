/* sweep.h - what the files of scree sweep share.
 *
 * Room: a sweep that is ready to run. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H
#include <stdio.h>

#include "study/study.h"
#include "study/sweep/progress.h"

typedef struct {
  const study_request *request;
  char *text, *results_name;
  study_word words[3];
  size_t word_count;
  study_plan *plan;
  study_step *steps;
  size_t step_count;
  study_results *results; /* what the file holds already; NULL: there is none */
  bool *done;             /* of each step */
  study_progress *progress;
  size_t too_many; /* configurations with more threads than cores */
} study_sweep_state;

/* Plan, words, earlier results, checks. Starts no run of the plan. False with the reason in why[size]. */
bool study_sweep_prepare(study_sweep_state *s, const study_request *request, char *why, size_t size);
void study_sweep_free(study_sweep_state *s);
/* Marks as done what the results hold. False with the reason in why[size]. */
bool study_sweep_count(study_sweep_state *s, char *why, size_t size);

/* What --dry-run says. 0, or -1: no memory, or standard output is full. */
int study_sweep_print(const study_sweep_state *s, FILE *to);
/* A line if threads exceed cores. */
void study_sweep_warn(const study_sweep_state *s, FILE *to);

#endif
