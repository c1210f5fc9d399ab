/* run.h - what the variants of PageRank share: the message, the iterations, the steps in which they differ. */
#ifndef SCREE__PAGERANK_RUN_H
#define SCREE__PAGERANK_RUN_H
#include <scree/pagerank.h>
#include <string.h>

#include "kernel/tasks.h"

/* A contribution or a sum of contributions, a double in 8 bytes that need no alignment, so that a message has 12. The
 * variant knows the vertex. */
typedef struct scree__pr_item {
  uint32_t vertex;
  char value[sizeof(double)];
} scree__pr_item;
SCREE_MESSAGE_ROUTED(pr_item, scree__pr_item);

enum { SCREE__PR_INVERSES = 256 };

/* What all variants share in a run: run->shared. */
typedef struct scree__pagerank {
  double damping;
  double inverse[SCREE__PR_INVERSES]; /* of a degree; that of 0 is 0. To divide takes longer than to read a few arcs */
  double *contribution; /* of local vertices: what each arc carries in this iteration, 0 without arcs; or NULL */
  bool rough; /* the iteration has changed the rank of a local vertex by more than SCREE_PAGERANK_SHARE of it */
} scree__pagerank;

static inline scree__pagerank *scree__pagerank_of(const scree__run *run) {
  return run->shared;
}
static inline double scree__pr_inverse(const double *inverse, uint64_t degree) {
  return degree < SCREE__PR_INVERSES ? inverse[degree] : 1 / (double)degree;
}
static inline bool scree__pr_is_rough(double change, double rank) {
  return change > SCREE_PAGERANK_SHARE * rank;
}
/* The answer, an entry for each local vertex. */
static inline double *scree__rank(const scree__run *run) {
  return run->result[0];
}

/* The steps in which variants differ. Local. */
typedef struct scree__pr_steps {
  /* Before the first epoch: what vertices contribute. Returns the mass, from 0 on, that this iteration does not send,
   * as vertices have no arc, or it is held back; it is then spread over all vertices. */
  double (*divide)(scree__run *run);
  void (*send)(scree__run *run); /* in an epoch: the contributions */
  /* After the epoch: rank of u = base + damping * the sum of what it received, and what `divide` does, for the next
   * iteration. Returns the sum of the changes, and sets `rough`, which is false before. */
  double (*collect)(scree__run *run, double base, double *mass);
} scree__pr_steps;

/* Space for the contributions, and a step that sets them. */
bool scree__pr_contributions(scree__run *run);
double scree__pr_divide(scree__run *run);

/* The iterations; see the slot `solve` of a variant. */
scree_status scree__pagerank_iterate(scree__run *run, const scree__pr_steps *steps);

/* What a solver keeps. */
SCREE_LOOP(scree__spread, uint64_t);
typedef struct {
  scree__run_tasks tasks; /* first */
  scree__spread_type spread;
} scree__pagerank_kept;

extern const scree__variant scree__pagerank_auto, scree__pagerank_pull, scree__pagerank_pull_float,
    scree__pagerank_push, scree__pagerank_tasks;

/* The options of all variants. */
#define SCREE__PAGERANK_OPTIONS                                                                                        \
  {.row = {SCREE__ROW("damping", REAL, "", "the part of its rank that a vertex passes to its neighbours"),             \
           .offset = offsetof(scree_pagerank_options, damping), .real_def = SCREE_PAGERANK_DAMPING, .real_max = 1,     \
           .exclusive = true},                                                                                         \
   .value = "D",                                                                                                       \
   .changes_work = true},                                                                                              \
      {.row = {SCREE__ROW("iterations", COUNT, "", "iterations, at most"), .def = SCREE_UNSET, .min = 1,               \
               .max = 1000000, .offset = offsetof(scree_pagerank_options, iterations)},                                \
       .value = "N",                                                                                                   \
       .otherwise = "100; with a tolerance that is given 1000",                                                        \
       .changes_work = true},                                                                                          \
  {                                                                                                                    \
    .row = {SCREE__ROW("tolerance", REAL, "", "stop when the sum of all changes in an iteration is no more"),          \
            .offset = offsetof(scree_pagerank_options, tolerance), .real_def = SCREE_UNSET_REAL, .real_min = 1e-15,    \
            .real_max = 2},                                                                                            \
    .value = "T", .otherwise = "1e-6, and no rank changes by more than 1e-5 of itself; with --iterations never",       \
    .changes_work = true                                                                                               \
  }
extern const scree_kernel_option scree__pagerank_options[];

static inline double scree__pr_value(const scree__pr_item *item) {
  double value;
  memcpy(&value, item->value, sizeof value);
  return value;
}
static inline void scree__pr_send(scree__run *run, uint32_t owner, uint32_t vertex, double value) {
  const pr_item_type type = {run->types[0]};
  scree__pr_item item = {.vertex = vertex};
  memcpy(item.value, &value, sizeof value);
  pr_item_send(run->worker, type, owner, item);
}

#endif
