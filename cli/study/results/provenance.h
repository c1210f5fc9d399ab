/* provenance.h - where and with what a record was made. */
#ifndef STUDY_PROVENANCE_H
#define STUDY_PROVENANCE_H
#include "study/results/results.h"

/* One line on where the results were made: machine, cores, kernel, governor, MPI, thread level, binding, from the first
 * record that has them. The caller frees it. NULL: no memory. */
char *study_provenance(const study_results *results);

/* A fact such as "host" from the JSON of a record; NULL if it is absent. Numbers are printed to text. */
const char *study_fact(const study_record *record, const char *name, char text[64]);

#endif
