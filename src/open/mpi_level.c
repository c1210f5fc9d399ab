/* mpi_level.c - the option thread_level: from the option to MPI's level, and the texts. */
#include "open/mpi_level.h"

#include <mpi.h>

#include "base/options.h"

/* Threads of a rank that may call MPI. */
static uint32_t callers(const scree_options *o) {
  return scree__options_endpoints(o);
}

int scree__level_wanted(const scree_options *o) {
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

static bool is_auto(const scree_options *o) {
  return o->thread_level == SCREE_THREAD_LEVEL_AUTO;
}

/* A program of one thread may have initialised MPI without a thread level. */
static int needed(const scree_options *o) {
  return is_auto(o) && callers(o) == 1 ? MPI_THREAD_SINGLE : scree__level_wanted(o);
}

/* The levels ascend, by the standard. */
bool scree__level_suffices(const scree_options *o, char *why, size_t size) {
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

bool scree__level_allows_nodes(const scree_options *o) {
  return o->thread_level != SCREE_THREAD_LEVEL_FUNNELED || callers(o) == 1;
}

void scree__level_refuse_nodes(const scree_options *o, scree__fault *fault) {
  bool progress = o->progress == SCREE_PROGRESS_FULL;
  scree__fault_raise(
      fault, SCREE_EINVAL,
      "thread_level=funneled with threads=%llu%s: blocks travel by MPI here, which each thread calls for "
      "its own: set thread_level to auto, serialized or multiple, or threads to 1%s",
      (unsigned long long)o->threads, progress ? " and progress=full" : "", progress ? " and progress to none" : "");
}

void scree__level_record(scree_world *world, bool ours) {
  const scree_options *o = &world->options;
  const char *who = ours ? "scree" : "the program";
  int asked = ours ? scree__level_wanted(o) : needed(o);
  world->thread_level = scree__level_name(given());
  world->level_asked = scree__level_name(asked);
  if (!is_auto(o))
    snprintf(world->level_reason, sizeof world->level_reason, "the option thread_level; %s initialised MPI", who);
  else if (callers(o) == 1)
    snprintf(world->level_reason, sizeof world->level_reason, "one thread of each rank calls MPI; %s initialised MPI",
             who);
  else
    snprintf(world->level_reason, sizeof world->level_reason,
             "%u threads of each rank call MPI, one at a time; %s initialised MPI", callers(o), who);
}
