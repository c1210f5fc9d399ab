/* launcher.h - what starts the ranks of a job: mpirun, mpiexec, a template, or the program itself. */
#ifndef STUDY_LAUNCHER_H
#define STUDY_LAUNCHER_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "study/run/program.h"
#include "study/util/words.h"

typedef struct {
  study_program program;
  const char *template; /* or NULL for mpirun or mpiexec; study_is_local: none */
  const char *bind;     /* none, core, core:N; NULL: core if the cores suffice, else none */
  uint64_t ranks;
  uint64_t nodes, ranks_per_node; /* 0: as the launcher chooses */
} study_launch;

/* Two words name no command: `local`, the program starts its ranks itself, and `mpirun`, that of its MPI. */
static inline bool study_is_local(const char *launcher) {
  return launcher && strcmp(launcher, "local") == 0;
}
static inline const char *study_template(const char *launcher) {
  return launcher && strcmp(launcher, "mpirun") ? launcher : NULL;
}

/* Appends the command of the launcher to words. env: the variables of the job, NAME=VALUE; the launcher's own are
 * appended. */
bool study_add_launcher(const study_launch *launch, study_words *words, study_words *env, study_why why);

#endif
