/* launch.h - from a configuration to a command line.
 *
 * Room: which program, which launcher, which words; checks them by the parser of the command line itself, so that
 * every option of every subcommand is an axis. Starts nothing but `PROGRAM --version`, and `PROGRAM limits` where the
 * eager limit is asked for.
 *
 * Axes with a meaning of their own: kernel (the subcommand), graph or scale (kron:SCALE), ranks, mpi (openmpi, mpich or
 * the path of a scree program), bind (none, core, core:N for N cores a rank), env.NAME (an environment variable). Every
 * other one is `--NAME VALUE`; a flag such as no-pruning takes on and off. */
#ifndef STUDY_LAUNCH_H
#define STUDY_LAUNCH_H
#include "study/plan/plan.h"

typedef struct {
  char **argv; /* launcher and program; ends with NULL */
  char **env;  /* NAME=VALUE to be set; ends with NULL */
  uint64_t ranks;
  bool too_many; /* threads that work exceed the cores that this process may use; false with a template, which may
                  * start ranks on other machines */
} study_command;

/* Makes the command of a run, with --json - and, if `validate`, --validate. NULL with the reason in why[size]: an
 * unknown axis with the nearest name, a value out of range, a program or launcher that was not found, ... `launcher`:
 * a template such as "srun -n {ranks}", or NULL for mpirun or mpiexec of the program's MPI. Local. */
study_command *study_command_make(const study_configuration *c, const char *launcher, bool validate, char *why,
                                  size_t size);
void study_command_free(study_command *command);

/* Checks all configurations of a plan as study_command_make would. How many have too many threads, or -1 with the
 * reason in why[size]. */
int study_check(const study_plan *plan, char *why, size_t size);

#endif
