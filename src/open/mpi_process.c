/* mpi_process.c - initialises and finalises MPI for the worlds of the process. */
#include "open/mpi_process.h"

#include <atomic_ops.h>
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "open/mpi_level.h"

/* Worlds may be opened and closed by several threads where MPI allows it. Full in the two of `users`: what each user did
 * with MPI comes before the finalisation by the last one, as does its store to initialised_here. */
static AO_t users, initialised_here;

/* The process whose MPI this one shares since a fork; 0: none. Written only while this process has one thread. */
static pid_t forked_from;

/* In a new child. MPI says there that it is initialised, but its connections, and the launcher's, are the parent's. */
static void note_fork(void) {
  int there = 0;
  MPI_Initialized(&there);
  if (there && !forked_from) forked_from = getppid();
}

/* When the library is loaded, since a program may initialise MPI and fork before it calls scree. */
__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(NULL, NULL, note_fork);
}

long scree__mpi_forked_from(void) {
  return forked_from;
}

void scree__mpi_use(void) {
  AO_fetch_and_add1_full(&users);
}

/* ---- finalising ---- */

enum { PLUGINS_MAX = 256 };

typedef struct {
  const char *name[PLUGINS_MAX];
  int count;
} plugins;

static int note_plugin(struct dl_phdr_info *info, size_t size, void *arg) {
  plugins *p = arg;
  (void)size;
  if (strstr(info->dlpi_name, "/mca_") && p->count < PLUGINS_MAX) p->name[p->count++] = info->dlpi_name;
  return 0;
}

void scree__mpi_finalize(void) {
  plugins loaded = {.count = 0};
  dl_iterate_phdr(note_plugin, &loaded);
  for (int i = 0; i < loaded.count; i++) (void)dlopen(loaded.name[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  const int code = MPI_Finalize();
  if (code != MPI_SUCCESS)
    fprintf(stderr, "scree: process %ld: MPI_Finalize failed with code %d: the other ranks may wait for this one\n",
            (long)getpid(), code);
}

/* ---- users ---- */

void scree__mpi_leave(void) {
  int over = 0;
  if (AO_fetch_and_sub1_full(&users) > 1 || !AO_compare_and_swap_full(&initialised_here, 1, 0)) return;
  MPI_Finalized(&over);
  if (!over) scree__mpi_finalize();
}

bool scree__mpi_is_over(void) {
  int over = 0;
  return MPI_Finalized(&over) == MPI_SUCCESS && over;
}

void scree__mpi_abandon(void) {
  AO_store(&initialised_here, 0);
}

bool scree__mpi_is_ours(void) {
  return AO_load(&initialised_here) != 0;
}

scree_status scree__mpi_start(int wanted, const char *remedy) {
  int there = 0, level = -1;
  MPI_Initialized(&there);
  scree__mpi_use();
  if (there) return SCREE_OK;
  int code = MPI_Init_thread(NULL, NULL, wanted, &level);
  if (code == MPI_SUCCESS) AO_store_release(&initialised_here, 1);
  if (code == MPI_SUCCESS && level >= wanted) return SCREE_OK; /* the levels ascend, by the standard */
  if (code == MPI_SUCCESS)
    fprintf(stderr,
            "scree: scree_open: MPI was asked for thread level %s and gives %s: use an MPI library that was built with "
            "support for threads%s\n",
            scree__level_name(wanted), scree__level_name(level), remedy);
  else
    fprintf(stderr, "scree: process %ld: scree_open: MPI_Init_thread failed with code %d: end the job\n",
            (long)getpid(), code);
  scree__mpi_leave();
  return SCREE_EMPI;
}
