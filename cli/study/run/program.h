/* program.h - which scree runs a job, and of which MPI it is. */
#ifndef STUDY_PROGRAM_H
#define STUDY_PROGRAM_H
#include <limits.h>

#include "study/util/fail.h"

typedef struct {
  const char *path; /* lives as long as the process */
  bool mpich;       /* else it is of Open MPI */
} study_program;

/* The program that the axis mpi means: openmpi, mpich, a path, or NULL for this very program. What a program says of
 * itself is asked for once. */
bool study_find_program(const char *mpi, study_program *program, study_why why);

/* The file that a shell would run by that name. */
bool study_find_on_path(const char *name, char path[PATH_MAX]);

#endif
