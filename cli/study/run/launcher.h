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
  uint64_t nodes, ranks_per_node; /* 0: as the launcher chooses */
} study_launch;

/* Appends the command of the launcher to words. env: the variables of the job, NAME=VALUE; the launcher's own are
 * appended. */
bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why);

#endif
