/* output.h - a file that a report or tune writes: it gets its name when it is complete; "-" is standard output. */
#ifndef STUDY_OUTPUT_H
#define STUDY_OUTPUT_H
#include <stdio.h>

#include "io/output_file.h"
#include "study/util/fail.h"

typedef struct {
  const char *option, *name;
  FILE *to;
  scree__output_file file;
} study_output;

/* Opens `name` for writing; `option` is the one that named it. False with the reason. */
bool study_output_open(study_output *out, const char *option, const char *name, study_why why);
/* Closes it. False with the reason: it was not written in full, and a file that was there before is as it was. */
bool study_output_close(study_output *out, study_why why);
bool study_is_standard_output(const char *name);

#endif
