/* sweep.h - a sweep that is ready to run. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H
#include <stdio.h>

#include "study/study.h"
#include "study/sweep/progress.h"
#include "study/sweep/refused.h"

typedef struct {
  const study_request *request;
  char *text, *results_name;
  study_constant constants[3];
  size_t constant_count;
  study_plan *plan;
  study_step *steps;
  size_t step_count;
  study_results *results; /* of the existing file; NULL: there is none */
  bool *done;             /* of each step */
  study_progress *progress;
  study_refusals *refusals;
  size_t too_many; /* configurations with more threads than cores */
} study_sweep_state;

/* Makes the plan and its constants, reads earlier results, checks everything. Starts no run of the plan. False with the
 * reason in why[size]. */
bool study_sweep_prepare(study_sweep_state *s, const study_request *request, char *why, size_t size);
void study_sweep_free(study_sweep_state *s);
/* Marks the steps that the results contain as done. False with the reason in why[size]. */
bool study_sweep_count(study_sweep_state *s, char *why, size_t size);

/* The output of --dry-run. 0, or -1: no memory, or the write failed. */
int study_sweep_print(const study_sweep_state *s, FILE *to);
/* Prints a warning if threads exceed cores. */
void study_sweep_warn(const study_sweep_state *s, FILE *to);

#endif
