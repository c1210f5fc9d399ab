/* provenance.h - where and with what a record was made. */
#ifndef STUDY_PROVENANCE_H
#define STUDY_PROVENANCE_H
#include "study/results/results.h"

/* A line on where results were made, by the first record that knows: machine, cores, kernel, governor, MPI, thread
 * level, binding. The caller frees. NULL: no memory. */
char *study_provenance(const study_results *results);

/* A fact on where a record was made, by its name in the job's JSON, as "host"; NULL if it is not there. A number is
 * put into text. */
const char *study_fact(const study_record *record, const char *name, char text[64]);

#endif
