/* program.h - which scree runs a job, and of which MPI it is. */
#ifndef STUDY_PROGRAM_H
#define STUDY_PROGRAM_H
#include <limits.h>

#include "study/util/fail.h"

typedef struct {
  const char *path; /* valid until the process ends */
  bool mpich;       /* else Open MPI */
  bool prrte;       /* Open MPI from version 5 on, whose launcher is PRRTE, not ORTE */
} study_program;

/* The program for a value of the axis mpi: openmpi, mpich, a path, or NULL for this program. Each program is started
 * with --version only once. */
bool study_find_program(const char *mpi, study_program *program, study_why why);

/* The file that a shell would execute for that name. */
bool study_find_on_path(const char *name, char path[PATH_MAX]);

#endif
