/* sim_mpi_process.c - what belongs to a process: initialisation, communicators, types; the clock and the idle calls of
 * the system, by which time passes and the token moves. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "reduce/caches.h"
#include "sim_mpi.h"
#include "thread/sockets.h"
#include "thread/thread.h"

/* ---- initialisation: by the test, not by the world ---- */

int MPI_Initialized(int *flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)argc, (void)argv;
  sim_mpi_wrong("MPI is initialised twice");
  *provided = required;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  sim_mpi_wrong("MPI is finalised by a world that did not initialise it");
  return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided) {
  *provided = sim_mpi_here->multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length) {
  *length = snprintf(text, MPI_MAX_ERROR_STRING, "simulated error %d", code);
  return MPI_SUCCESS;
}

/* ---- communicators ---- */

sim_mpi_comm *sim_mpi_new_comm(uint32_t size) {
  sim_mpi_comm *c = calloc(1, sizeof *c);
  if (!c) abort();
  c->size = size;
  c->members = calloc(size, sizeof *c->members);
  c->calls = calloc(size, sizeof *c->calls);
  if (!c->members || !c->calls) abort();
  sim_mpi_push(&sim_mpi_here->comms, c);
  return c;
}

MPI_Comm sim_mpi_comm_handle(const sim_mpi_comm *comm) {
  const sim_mpi_list *all = &sim_mpi_here->comms;
  size_t at = 0;
  while (all->at[at] != comm) at++;
  return (MPI_Comm)(intptr_t)(at + 1);
}

sim_mpi_comm *sim_mpi_comm_of(MPI_Comm handle) {
  const sim_mpi_list *all = &sim_mpi_here->comms;
  size_t at = handle == MPI_COMM_WORLD ? 0 : (size_t)(intptr_t)handle - 1;
  if (at >= all->count) {
    sim_mpi_wrong("rank %u uses a communicator that does not exist", sim_mpi_me());
    at = 0;
  }
  return all->at[at];
}

uint32_t sim_mpi_rank_in(const sim_mpi_comm *comm, uint32_t rank) {
  uint32_t low = 0, high = comm->size;
  while (low + 1 < high) {
    uint32_t middle = low + (high - low) / 2;
    if (comm->members[middle] <= rank)
      low = middle;
    else
      high = middle;
  }
  if (comm->members[low] != rank) sim_mpi_wrong("rank %u uses a communicator of others", rank);
  return low;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  *rank = (int)sim_mpi_rank_in(sim_mpi_comm_of(comm), sim_mpi_me());
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  *size = (int)sim_mpi_comm_of(comm)->size;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  (void)comm, (void)handler;
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm) {
  int code = sim_mpi_enter(false);
  if (code != MPI_SUCCESS) return code;
  sim_mpi_comm_of(*comm)->freed++;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/* ---- types ---- */

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *out) {
  int code = sim_mpi_enter(true);
  if (code != MPI_SUCCESS) return code;
  size_t *bytes = malloc(sizeof *bytes);
  if (!bytes) abort();
  *bytes = sim_mpi_bytes(count, type);
  *out = (MPI_Datatype)(intptr_t)(sim_mpi_push(&sim_mpi_here->types, bytes) + 1);
  return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type) {
  (void)type;
  return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type) {
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

size_t sim_mpi_bytes(int count, MPI_Datatype type) {
  size_t one = 0, at = (size_t)(intptr_t)type - 1;
  if (type == MPI_BYTE)
    one = 1;
  else if (type == MPI_INT)
    one = sizeof(int);
  else if (type == MPI_UINT32_T)
    one = 4;
  else if (type == MPI_UINT64_T)
    one = 8;
  else if (at < sim_mpi_here->types.count)
    one = *(const size_t *)sim_mpi_here->types.at[at];
  else
    sim_mpi_wrong("a type that the simulated MPI does not know");
  return one * (size_t)count;
}

/* ---- threads: of the token's ---- */

/* In a run that was given up, a thread that is waited for may have been abandoned: so may be the one that waits. */
static int idle(void) {
  sim_mpi *s = sim_mpi_here;
  scree__token_yield(&s->token);
  if (s->token.hung) sim_mpi_enter(false);
  return 0;
}

/* Any number of threads has cores. */
long scree__thread_cores(void) {
  return LONG_MAX;
}

long scree__thread_allowed(void) {
  return LONG_MAX;
}

int scree__thread_make(pthread_t *thread, void *(*fn)(void *arg), void *arg) {
  *thread = scree__token_start(&sim_mpi_here->token, fn, arg);
  return *thread ? 0 : EAGAIN;
}

void scree__thread_join(pthread_t thread) {
  scree__token_join(&sim_mpi_here->token, (uint32_t)thread);
}

/* Calls of MPI are yield points, so that a thread may find another one of its rank in such a call. */
void scree__thread_lock(pthread_mutex_t *lock) {
  while (pthread_mutex_trylock(lock)) idle();
}

void scree__thread_unlock(pthread_mutex_t *lock) {
  pthread_mutex_unlock(lock);
}

void scree__thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock) {
  (void)changed;
  pthread_mutex_unlock(lock);
  scree__token_sleep(&sim_mpi_here->token);
  if (sim_mpi_here->token.hung) sim_mpi_enter(false);
  pthread_mutex_lock(lock);
}

void scree__thread_wake(pthread_cond_t *changed) {
  (void)changed;
  scree__token_wake_rank(&sim_mpi_here->token);
}

/* ---- the machine: of two sockets, on the first of which all run; and nothing is measured by a simulated clock ---- */

scree__sockets *scree__sockets_find(void) {
  scree__sockets *two = calloc(1, sizeof *two);
  if (two) two->count = 2;
  return two;
}

uint64_t scree__reduce_needed(const scree_world *world, uint32_t item, uint32_t entry, uint32_t entries) {
  (void)world, (void)item, (void)entry, (void)entries;
  return SCREE__REDUCE_WINDOW;
}

/* ---- the system: a step is a microsecond or, where the clock is read again in it, a few nanoseconds more; no time is
 * 0. A worker whose tasks wait for another rank in a loop of yields calls no MPI while it polls shared memory: it is
 * preempted when it has read the clock often ---- */

enum { READS_MAX = 256 };

int sched_yield(void) {
  return sim_mpi_here ? idle() : (int)syscall(SYS_sched_yield);
}

/* No rank sleeps longer than half a millisecond: that long a message may wait for it. */
int nanosleep(const struct timespec *time, struct timespec *left) {
  if (sim_mpi_here && (time->tv_sec || time->tv_nsec > 500000))
    sim_mpi_wrong("a rank sleeps for %ld ns", time->tv_nsec);
  return sim_mpi_here ? idle() : (int)syscall(SYS_nanosleep, time, left);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!sim_mpi_here || clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
  sim_mpi *s = sim_mpi_here;
  s->reads = s->read_at == s->token.steps ? s->reads + 1 : 0;
  if (s->reads == READS_MAX) {
    s->reads = 0;
    idle();
  }
  s->read_at = s->token.steps;
  uint64_t ns = (s->token.steps + 1) * 1000, *last = &s->last_ns;
  *last = ns > *last ? ns : *last + 1;
  *time = (struct timespec){.tv_sec = (time_t)(*last / 1000000000), .tv_nsec = (long)(*last % 1000000000)};
  return 0;
}
