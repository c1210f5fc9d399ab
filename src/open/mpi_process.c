/* mpi_process.c - initialises and finalises MPI for the worlds of the process. */
#include "open/mpi_process.h"

#include <mpi.h>
#include <stdatomic.h>

static atomic_uint users;
static atomic_bool initialised_here;

static const char *level_name(int level) {
  switch (level) {
  case MPI_THREAD_SINGLE:
    return "single";
  case MPI_THREAD_FUNNELED:
    return "funneled";
  case MPI_THREAD_SERIALIZED:
    return "serialized";
  case MPI_THREAD_MULTIPLE:
    return "multiple";
  default:
    return "unknown";
  }
}

const char *scree__mpi_thread_level(void) {
  int level = -1;
  MPI_Query_thread(&level);
  return level_name(level);
}

void scree__mpi_use(void) {
  atomic_fetch_add(&users, 1);
}

void scree__mpi_leave(void) {
  int over = 0;
  if (atomic_fetch_sub(&users, 1) > 1 || !atomic_exchange(&initialised_here, false)) return;
  MPI_Finalized(&over);
  if (!over) MPI_Finalize();
}

scree_status scree__mpi_start(void) {
  int there = 0, level = -1;
  MPI_Initialized(&there);
  scree__mpi_use();
  if (there) return SCREE_OK;
  int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  if (code == MPI_SUCCESS) atomic_store(&initialised_here, true);
  if (code == MPI_SUCCESS && level >= MPI_THREAD_FUNNELED) return SCREE_OK; /* the levels ascend, by the standard */
  if (code == MPI_SUCCESS)
    fprintf(stderr,
            "scree: scree_open: MPI was asked for thread level " SCREE_THREAD_LEVEL " and gives %s: use an MPI library "
            "that was built with support for threads\n",
            level_name(level));
  else
    fprintf(stderr, "scree: scree_open: MPI_Init_thread failed with code %d\n", code);
  scree__mpi_leave();
  return SCREE_EMPI;
}
