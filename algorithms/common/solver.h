/* solver.h - how a family of variants hangs in a world: one ops record for each variant, one context, one run.
 *
 * Room: what BFS and SSSP share beside the work itself: registration, choice by name, agreement, timing, counters. */
#ifndef SCREE__SOLVER_H
#define SCREE__SOLVER_H
#include <scree/algorithm.h>
#include <scree/graph.h>

#include "base/clock.h"

/* One run on one rank. The handlers find it through their context; the fields are the variant's to change. */
typedef struct scree__run {
  scree_worker *worker;
  const scree_graph *graph;
  const uint32_t *types; /* of the variant's messages, in their order */
  bool has_source;       /* the source vertex is on this rank */
  uint32_t source;       /* its local index, if so */
  double *distance;      /* of local vertices: SSSP; INFINITY: none yet */
  int64_t *level;        /* of local vertices: BFS; -1: none yet */
  uint64_t *parent;      /* of local vertices; SCREE_NO_VERTEX: none */
  const void *options;   /* of the family, all set */
  double delta;          /* SSSP: width of a bucket; 0: the variant chooses */
  float *bound;          /* SSSP, by packed place: no less than what the vertex has or was offered; NULL: no pruning */
  scree_watch watch;
  scree_work work;  /* of this rank */
  uint64_t batches; /* handled */
  uint64_t handler_ticks, queue_ticks, watched;
  void *own; /* the variant's own state */
} scree__run;

/* A message of a variant, and who takes a batch of them from `sender`. */
typedef struct scree__message {
  const char *name;
  uint32_t item; /* bytes */
  void (*take)(scree__run *run, uint32_t sender, const void *items, uint32_t count);
} scree__message;

enum { SCREE__VARIANTS_MAX = 12, SCREE__MESSAGES_MAX = 3 };

/* A variant. */
typedef struct scree__variant {
  scree_algorithm about;
  scree__message messages[SCREE__MESSAGES_MAX]; /* those without a name are none */
  /* Collective, outside epochs and before the clock runs: memory and what is made of the graph. Sets run->own, whose
   * memory `leave` frees, called in any case. Returns what all ranks have agreed on. */
  scree_status (*enter)(scree__run *run);
  /* Collective, outside epochs. The arrays are empty but for the source. Waits only in epochs. Returns the status of
   * the world, or what all ranks have agreed on by scree_graphs_agree. */
  scree_status (*solve)(scree__run *run);
  void (*leave)(scree__run *run); /* local */
} scree__variant;

/* The context of a family in one world. */
typedef struct scree__solver scree__solver;

/* Makes the context and registers the types of `variants`, which ends with NULL. Collective. */
scree_status scree__solver_open(scree_graphs *graphs, const scree__variant *const *variants, scree__solver **solver);
void scree__solver_close(scree__solver *solver);

/* The index of the variant of that name; NULL is the first. SCREE_EINVAL: the text lists the names. Collective. */
scree_status scree__solver_find(const scree__solver *solver, const char *name, size_t *index);

/* Runs a variant from vertex `source`. Made by the caller: run->graph, options, watch and the arrays, any of which may
 * be NULL for lack of memory. Puts the source in place, solves, sums the work over the ranks; *seconds is the slowest
 * rank's. Collective. */
scree_status scree__solver_solve(scree__solver *solver, size_t index, scree__run *run, uint64_t source,
                                 double *seconds);

/* Makes what a run of the variant would make of run->graph at first. Made by the caller: run->graph and options.
 * Collective. */
scree_status scree__solver_prepare(scree__solver *solver, size_t index, scree__run *run);

/* Agrees that all ranks have the memory for `what`. Collective. */
scree_status scree__run_ready(const scree__run *run, bool ready, const char *what);

/* One step of the epoch of a run: as scree_test, but takes in all that has come before more goes out: work on values
 * that are already out of date is work for nothing, and makes more of it elsewhere. Runs handlers. */
static inline bool scree__run_test(scree__run *run, bool idle) {
  if (idle) return scree_test(run->worker, true, NULL);
  uint64_t before;
  do {
    before = run->batches;
    if (scree_test(run->worker, false, NULL)) return true;
  } while (run->batches != before);
  return false;
}

/* The code of a run whose last epoch ended by scree_test. Local. */
static inline scree_status scree__run_status(const scree__run *run) {
  return scree_error(scree_world_of(run->worker));
}

/* Around a rank's own work: what passes between the two, but for handlers, counts as queue_seconds. */
static inline uint64_t scree__work_begin(const scree__run *run) {
  return scree__ticks() - run->handler_ticks;
}
static inline void scree__work_end(scree__run *run, uint64_t begun) {
  run->queue_ticks += scree__ticks() - run->handler_ticks - begun;
}

/* Tells the watcher. `_often` is for loops: it does so now and then. */
void scree__run_watch(scree__run *run);
static inline void scree__run_watch_often(scree__run *run) {
  if (run->watch.fn && scree__ticks() - run->watched > 1 << 23) scree__run_watch(run);
}

#endif
