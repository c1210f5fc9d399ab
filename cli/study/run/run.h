/* run.h - one run of a configuration: the command, the job, and the record of its result. Writes no file. */
#ifndef STUDY_RUN_H
#define STUDY_RUN_H
#include <signal.h>

#include "study/results/results.h"
#include "study/run/child.h"
#include "study/run/launch.h"

typedef struct {
  const char *launcher; /* where there is no such axis */
  double timeout;       /* seconds */
  bool validate;
  const volatile sig_atomic_t *stop; /* not 0: end the job and make no record; NULL: never */
  void (*tick)(void *arg);           /* called about ten times per second, or NULL */
  void *arg;
} study_terms;

/* Runs the configuration. Returns a record without step, repetition and control, which the caller adds. A failed run is
 * a record whose status is not ok. NULL: it was stopped (*terms->stop is set), or no memory. The caller deletes it. */
cJSON *study_run(const study_configuration *c, const study_terms *terms);

/* The status and the seconds (0 unless ok) of a record. */
study_status study_run_status(const cJSON *record);
double study_run_seconds(const cJSON *record);

#endif
