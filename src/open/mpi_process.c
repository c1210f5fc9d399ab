/* mpi_process.c - initialises and finalises MPI for the worlds of the process. */
#include "open/mpi_process.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "io/say.h"
#include "open/mpi_level.h"
#include "thread/thread.h"

/* Worlds may be opened and closed by several threads where MPI allows it. The lock is held while MPI is initialised and
 * finalised: a thread that opens a world meanwhile finds MPI initialised, with a user, or finalised. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t users;
static bool initialised_here;

/* The process whose MPI this one shares since a fork; 0: none. Written only while this process has one thread. */
static pid_t forked_from;

/* In a new child. MPI reports there that it is initialised, but its connections, and the launcher's, are the
 * parent's. */
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
  scree__thread_lock(&lock);
  users++;
  scree__thread_unlock(&lock);
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
    scree__say("scree: process %ld: MPI_Finalize failed with code %d: the other ranks may wait for this one\n",
               (long)getpid(), code);
}

/* ---- users ---- */

void scree__mpi_leave(void) {
  int over = 0;
  scree__thread_lock(&lock);
  if (--users == 0 && initialised_here) {
    initialised_here = false;
    MPI_Finalized(&over);
    if (!over) scree__mpi_finalize();
  }
  scree__thread_unlock(&lock);
}

bool scree__mpi_is_over(void) {
  int over = 0;
  return MPI_Finalized(&over) == MPI_SUCCESS && over;
}

void scree__mpi_abandon(void) {
  scree__thread_lock(&lock);
  initialised_here = false;
  scree__thread_unlock(&lock);
}

bool scree__mpi_is_ours(void) {
  scree__thread_lock(&lock);
  const bool ours = initialised_here;
  scree__thread_unlock(&lock);
  return ours;
}

/* Adds a user. Returns the code of MPI; *there: it was already initialised. */
static int start(int wanted, int *there, int *level) {
  int code = MPI_SUCCESS;
  scree__thread_lock(&lock);
  users++;
  MPI_Initialized(there);
  if (!*there) {
    code = MPI_Init_thread(NULL, NULL, wanted, level);
    initialised_here = code == MPI_SUCCESS;
  }
  scree__thread_unlock(&lock);
  return code;
}

scree_status scree__mpi_start(int wanted, const char *remedy) {
  int there = 0, level = -1;
  const int code = start(wanted, &there, &level);
  if (there) return SCREE_OK;
  if (code == MPI_SUCCESS && level >= wanted) return SCREE_OK; /* the levels ascend, by the standard */
  if (code == MPI_SUCCESS)
    scree__say(
        "scree: scree_open: MPI was requested to provide thread level %s and provides %s: use an MPI library that "
        "was built with "
        "support for threads%s\n",
        scree__level_name(wanted), scree__level_name(level), remedy);
  else
    scree__say("scree: process %ld: scree_open: MPI_Init_thread failed with code %d: end the job\n", (long)getpid(),
               code);
  scree__mpi_leave();
  return SCREE_EMPI;
}
