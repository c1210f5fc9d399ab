/* launcher.h - the command that starts the ranks of a job: mpirun, mpiexec or a template. */
#ifndef STUDY_LAUNCHER_H
#define STUDY_LAUNCHER_H
#include <stdint.h>

#include "study/run/program.h"
#include "study/util/words.h"

typedef struct {
  study_program program;
  const char *template; /* or NULL for mpirun or mpiexec */
  const char *bind;     /* none, core, core:N; NULL: core if the cores suffice, else none */
  uint64_t ranks;
} study_launch;

/* Adds the launcher's words for a job with these variables, NAME=VALUE, to which it adds its own. */
bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why);

#endif
