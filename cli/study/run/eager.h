/* eager.h - the eager limit of an MPI, measured. */
#ifndef STUDY_EAGER_H
#define STUDY_EAGER_H
#include <stddef.h>
#include <stdint.h>

/* The largest message that an MPI sends at once between two ranks of this machine, before its receive is known (the
 * eager limit), in bytes: by `scree limits` with two ranks. `mpi`: a value of that axis; NULL: this program's. 0, or -1
 * with the reason in why[size]. */
int study_eager(const char *mpi, const char *launcher, uint64_t *bytes, char *why, size_t size);

#endif
