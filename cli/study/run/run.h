/* run.h - one run of a configuration: the command, the job, and the record of its result. Writes no file. */
#ifndef STUDY_RUN_H
#define STUDY_RUN_H
#include "study/results/results.h"
#include "study/run/child.h"
#include "study/run/launch.h"

typedef struct {
  const char *launcher; /* template, or NULL */
  double timeout;       /* seconds */
  bool validate;
  const volatile bool *stop; /* set: end the job, and make no record; NULL: nobody stops it */
  void (*tick)(void *arg);   /* called some ten times a second; NULL */
  void *arg;
} study_terms;

/* Runs it. The record as results.h has it, but for step, repetition and control, which the caller adds. NULL: it was
 * stopped (*terms->stop is set), or there is no memory. A run that fails is a record with another status than ok. The
 * caller deletes it. */
cJSON *study_run(const study_configuration *c, const study_terms *terms);

/* The record's status, and its seconds (0 unless ok). */
study_status study_run_status(const cJSON *record);
double study_run_seconds(const cJSON *record);

#endif
