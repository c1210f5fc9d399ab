/* launch.h - the command line of a configuration: program, launcher and options.
 *
 * The parser of the command line itself checks the options, so that every option of a kernel is an axis. Starts no
 * process but `PROGRAM --version`.
 *
 * Axes with a meaning of their own: kernel (the subcommand), graph or scale (kron:SCALE), ranks, nodes and
 * ranks-per-node, launcher (local: the job starts its ranks itself; mpirun; a template), mpi (openmpi, mpich or the path of a scree program), bind (none, core, core:N for N cores per rank),
 * env.NAME (an environment variable). Every other axis is `--NAME VALUE`; a flag such as no-pruning takes on and off. */
#ifndef STUDY_LAUNCH_H
#define STUDY_LAUNCH_H
#include "study/plan/plan.h"

typedef struct {
  char **argv; /* launcher and program; ends with NULL */
  char **env;  /* NAME=VALUE; ends with NULL */
  uint64_t ranks;
  bool too_many; /* more busy threads than cores that this process may use; false with a template, which may
                  * start ranks on other machines */
} study_command;

/* Makes the command of a run, with --json - and, if `validate`, --validate. NULL with the reason in why[size]: an
 * unknown axis with the nearest name, a value out of range, a program or launcher that was not found, ... `launcher`: in
 * place of that axis: local, mpirun or NULL (that or mpiexec, of the MPI of the program), or a template such as
 * "srun -n {ranks}". */
study_command *study_command_make(const study_configuration *c, const char *launcher, bool validate, char *why,
                                  size_t size);
void study_command_free(study_command *command);
/* "local", or "mpirun" where a launcher has started this process, the allocation has several nodes, or a configuration asks for
 * MPI by transport, progress, placement, the axis mpi or a variable of MPI. */
const char *study_default_launcher(const study_plan *plan);

/* The i-th axis with a meaning of its own, except env.NAME; NULL past the last. */
const char *study_axis_of_jobs(size_t i);
/* Is an option of a kernel's subcommand an axis? Not those that the sweep itself gives. */
bool study_is_axis(const char *option);

/* Checks all configurations of a plan. Returns the number of those with too many threads, or -1 with the reason in
 * why[size]. */
int study_check(const study_plan *plan, char *why, size_t size);

#endif
