/* scree_mpi.h - a world on an MPI communicator.
 *
 * This is the only public header that includes mpi.h. In C++ it leaves out MPI's C++ bindings, which MPI 3.0 removed
 * and whose library pkg-config does not name: a program that uses them includes mpi.h before. */
#ifndef SCREE_MPI_H
#define SCREE_MPI_H
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Opens a world on a duplicate of `comm`, which isolates it from the program's own messages on comm and from the worlds
 * of other libraries. Collective over comm. MPI must be initialised with the level that the options thread_level and
 * threads need, MPI_THREAD_FUNNELED at least if the process has threads (scree_thread_level states the level obtained),
 * and the calling thread must be the one that may call MPI. scree finalises MPI only if scree_open initialised it, and
 * does not change comm's error handler. `options` may be NULL; it is copied and must be equal on all ranks. Sets *world
 * only on success; else the reason is on standard error, the same code on all ranks. Errors: SCREE_EINVAL,
 * SCREE_ENOMEM, SCREE_EMPI, SCREE_ESTATE (MPI is not initialised, or is finalised; the process was forked after MPI was
 * initialised). */
scree_status scree_open_mpi(MPI_Comm comm, const scree_options *options, scree_world **world);

#ifdef __cplusplus
}
#endif
#endif
