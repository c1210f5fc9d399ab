/* mpi_level.c - the option thread_level: from the option to MPI's level, and the texts. */
#include "open/mpi_level.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/launched.h"
#include "base/options.h"

static bool has_comm_thread(const scree__options *o) {
  return o->progress == SCREE_PROGRESS_COMM;
}

/* Threads of a rank that may call MPI: with a communication thread that one and, between epochs, worker 0's. */
static uint32_t callers(const scree__options *o) {
  return has_comm_thread(o) ? 2 : scree__options_endpoints(o);
}

int scree__level_wanted(const scree__options *o) {
  switch (o->thread_level) {
  case SCREE_THREAD_LEVEL_FUNNELED:
    return MPI_THREAD_FUNNELED;
  case SCREE_THREAD_LEVEL_SERIALIZED:
    return MPI_THREAD_SERIALIZED;
  case SCREE_THREAD_LEVEL_MULTIPLE:
    return MPI_THREAD_MULTIPLE;
  default:
    return callers(o) > 1 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
  }
}

const char *scree__level_name(int level) {
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

static int given(void) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level;
}

static bool is_auto(const scree__options *o) {
  return o->thread_level == SCREE_THREAD_LEVEL_AUTO;
}

/* A program of one thread may have initialised MPI without a thread level. */
static int needed(const scree__options *o) {
  return is_auto(o) && callers(o) == 1 ? MPI_THREAD_SINGLE : scree__level_wanted(o);
}

/* The levels ascend, by the standard. */
bool scree__level_suffices(const scree__options *o, char *why, size_t size) {
  const char *wanted = scree__level_name(needed(o)), *has = scree__level_name(given());
  if (given() >= needed(o)) return true;
  if (is_auto(o))
    snprintf(why, size,
             "%u %s need MPI's thread level %s or higher, it is %s: initialise MPI with that level, or set the option "
             "threads to 1%s",
             callers(o), o->progress ? "threads of a rank" : "workers", wanted, has,
             o->progress ? " and progress to none" : "");
  else
    snprintf(
        why, size,
        "the option thread_level=%s needs MPI's thread level %s or higher, it is %s: initialise MPI with that level, "
        "or set the option to auto",
        wanted, wanted, has);
  return false;
}

bool scree__level_allows_nodes(const scree__options *o) {
  return o->thread_level != SCREE_THREAD_LEVEL_FUNNELED || o->progress == SCREE_PROGRESS_NONE;
}

void scree__level_refuse_nodes(const scree__options *o, scree__fault *fault) {
  scree__fault_raise(
      fault, SCREE_EINVAL,
      "thread_level=funneled with progress=%s: blocks travel by MPI here, which worker 0 alone may call, "
      "so the other thread would wait for it: set thread_level to auto, serialized or multiple, or "
      "progress to none",
      has_comm_thread(o) ? "comm" : "full");
}

bool scree__level_allows_one_node(const scree__options *o) {
  return !has_comm_thread(o);
}

void scree__level_refuse_one_node(scree__fault *fault, uint32_t ranks) {
  scree__fault_raise(
      fault, SCREE_EINVAL,
      "progress=comm with %s: nothing travels by MPI, so a communication thread has nothing to move: set "
      "progress to none%s",
      ranks == 1 ? "one rank" : "all ranks on one node and shared memory", ranks == 1 ? "" : ", or transport to mpi");
}

static const char *variable(const void *unused, const char *name) {
  (void)unused;
  return getenv(name);
}

/* The variable by which MPICH makes a progress thread of its own in each process; NULL: it makes none, or MPI is not
 * MPICH. */
static const char *thread_of_mpich(void) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length;
  MPI_Get_library_version(library, &length);
  return strstr(library, "MPICH") ? scree__mpich_thread(variable, NULL) : NULL;
}

void scree__level_record(scree_world *world, bool ours) {
  const scree__options *o = &world->options;
  const char *who = ours ? "scree" : "the program";
  int requested = ours ? scree__level_wanted(o) : needed(o);
  world->thread_level = scree__level_name(given());
  world->level_requested = scree__level_name(requested);
  if (!is_auto(o))
    snprintf(world->level_reason, sizeof world->level_reason, "the option thread_level; %s initialised MPI", who);
  else if (has_comm_thread(o))
    snprintf(world->level_reason, sizeof world->level_reason,
             "a communication thread calls MPI, and worker 0 between epochs; %s initialised MPI", who);
  else if (callers(o) == 1)
    snprintf(world->level_reason, sizeof world->level_reason, "one thread of each rank calls MPI; %s initialised MPI",
             who);
  else
    snprintf(world->level_reason, sizeof world->level_reason,
             "%u threads of each rank call MPI, one at a time; %s initialised MPI", callers(o), who);
  const char *variable = thread_of_mpich();
  const size_t used = strlen(world->level_reason);
  if (variable)
    snprintf(world->level_reason + used, sizeof world->level_reason - used, "; MPICH has a progress thread (%s)",
             variable);
}
