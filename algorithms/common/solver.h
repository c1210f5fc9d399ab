/* solver.h - how a family of variants hangs in a world: one ops record for each variant, one context, one run.
 *
 * Room: what BFS and SSSP share beside the work itself: registration, choice by name, agreement, timing, counters. */
#ifndef SCREE__SOLVER_H
#define SCREE__SOLVER_H
#include <scree/algorithm.h>
#include <scree/graph.h>

/* One run on one rank. The handlers find it through their context; the fields are the variant's to change. */
typedef struct scree__run {
  scree_worker *worker;
  const scree_graph *graph;
  uint32_t type;    /* message type of the variant */
  bool has_source;  /* the source vertex is on this rank */
  uint32_t source;  /* its local index, if so */
  double *distance; /* of local vertices: SSSP; INFINITY: none yet */
  int64_t *level;   /* of local vertices: BFS; -1: none yet */
  uint64_t *parent; /* of local vertices: a scree_place during the run, a vertex after it; SCREE_NO_VERTEX: none */
  double delta;     /* SSSP: width of a bucket; 0: the variant chooses */
  scree_work work;  /* of this rank */
  void *own;        /* the variant's own state */
} scree__run;

/* A variant. */
typedef struct scree__variant {
  scree_algorithm about;
  const char *type;        /* name of its message type */
  uint32_t item;           /* bytes of its message */
  scree_batch_fn *handler; /* arg: the scree__solver */
  /* Collective, outside epochs. The arrays are empty but for the source. Waits only in epochs. Returns the status of
   * the world, or what all ranks have agreed on by scree_graphs_agree. */
  scree_status (*solve)(scree__run *run);
} scree__variant;

enum { SCREE__VARIANTS_MAX = 8 };

/* The context of a family in one world, and the argument of its handlers. */
typedef struct scree__solver {
  scree_graphs *graphs;
  const scree__variant *const *variants; /* ends with NULL */
  uint32_t types[SCREE__VARIANTS_MAX];   /* message type of each variant */
  scree__run *run;                       /* in progress; NULL: none */
} scree__solver;

/* Makes the context and registers the types. Collective. */
scree_status scree__solver_open(scree_graphs *graphs, const scree__variant *const *variants, scree__solver **solver);

/* The index of the variant of that name; NULL is the first. SCREE_EINVAL: the text lists the names. Collective. */
scree_status scree__solver_find(const scree__solver *solver, const char *name, size_t *index);

/* Runs a variant from vertex `source`. Made by the caller: run->graph, delta and the arrays, any of which may be NULL
 * for lack of memory. Puts the source in place, solves, makes vertices of the parents, sums the work over the ranks;
 * *seconds is the slowest rank's. Collective. */
scree_status scree__solver_solve(scree__solver *solver, size_t index, scree__run *run, uint64_t source,
                                 double *seconds);

/* Takes in all that has come, before more goes out: work on values that are already out of date is work for nothing,
 * and makes more of it elsewhere. Runs handlers. Local, in an epoch. */
static inline void scree__run_drain(const scree__run *run) {
  while (scree_progress(run->worker)) {
  }
}

/* The code of a run whose last epoch ended by scree_test. Local. */
static inline scree_status scree__run_status(const scree__run *run) {
  return scree_error(scree_world_of(run->worker));
}

#endif
