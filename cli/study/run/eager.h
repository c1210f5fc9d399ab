/* eager.h - the eager limit of an MPI, measured. */
#ifndef STUDY_EAGER_H
#define STUDY_EAGER_H
#include <stddef.h>
#include <stdint.h>

/* The eager limit in bytes: the largest message between two ranks of this machine that completes before its receive is
 * posted. Starts `scree limits` with two ranks. `mpi`: a value of that axis; NULL: the MPI of this program. 0, or -1 with
 * the reason in why[size]. */
int study_eager(const char *mpi, const char *launcher, uint64_t *bytes, char *why, size_t size);

#endif
