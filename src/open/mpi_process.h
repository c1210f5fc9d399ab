/* mpi_process.h - MPI as the process has it: who initialised it, which thread level it provides, when it is
 * finalised. */
#ifndef SCREE__MPI_PROCESS_H
#define SCREE__MPI_PROCESS_H
#include <scree/scree.h>

/* The process that had initialised MPI when this one, or one that it descends from, was forked from it: MPI cannot be
 * used here. 0: none. Any thread, any time. */
long scree__mpi_forked_from(void);

/* Adds a user of MPI: a world, or an attempt to open one. Any thread. */
void scree__mpi_use(void);

/* Initialises MPI with the thread level `wanted` if it is not initialised, and adds a user. If MPI provides less, it
 * fails, with the reason and `remedy` on standard error, and adds no user. On the thread that may call MPI. */
scree_status scree__mpi_start(int wanted, const char *remedy);
/* True if scree__mpi_start initialised it. */
bool scree__mpi_is_ours(void);

/* True if it is finalised. */
bool scree__mpi_is_over(void);

/* Removes a user. The last one finalises MPI if scree__mpi_start initialised it; collective then. On the thread that
 * may call MPI. */
void scree__mpi_leave(void);

/* The last user will not finalise MPI: other ranks wait inside MPI for this one, which would wait for them. */
void scree__mpi_abandon(void);

/* Finalises MPI, whose plugins stay loaded: Open MPI 4.1 unloads them while a thread of its own may still run their
 * code, and on a busy machine a program sometimes crashes at its very end. As MPI_Finalize. */
void scree__mpi_finalize(void);

#endif
