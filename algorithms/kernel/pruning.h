/* pruning.h - the options of BFS and SSSP that determine whether, and by which table, a rank checks if a relaxation can
 * improve a vertex. Their fields in `options`, a struct, are `no_pruning` and `pruning`. */
#ifndef SCREE__PRUNING_H
#define SCREE__PRUNING_H
#include "kernel/kernel.h"
#include "kernel/whole.h"

#define SCREE__NO_PRUNING(options)                                                                                     \
  {                                                                                                                    \
    .row = {                                                                                                           \
      SCREE__ROW("no-pruning", FLAG, "", "also send relaxations that the sender knows cannot improve a vertex"),       \
      .rare = true,                                                                                                    \
      .offset = offsetof(options, no_pruning)                                                                          \
    }                                                                                                                  \
  }

#define SCREE__PRUNING(options)                                                                                        \
  {                                                                                                                    \
    .row = {SCREE__ROW("pruning", CHOICE, "table|cache|off",                                                           \
                       "table by which a rank checks if a relaxation can improve a vertex before it is sent"),         \
            .def = SCREE_PRUNING_TABLE, .max = SCREE_PRUNING_OFF, .rare = true, .offset = offsetof(options, pruning)}, \
    .value = "NAME"                                                                                                    \
  }

/* Records which table prunes, and why it is not the requested one, and switches on the cache if it prunes: without a
 * table, unless pruning is off. *cached says whether it does. Returns false if there is no memory for the cache. Local;
 * idle world. */
static inline bool scree__run_prune(scree__run *run, uint64_t requested, bool table, bool *cached) {
  *cached = requested != SCREE_PRUNING_OFF && !table;
  run->pruning = table ? "table" : *cached ? "cache" : "off";
  if (*cached && requested == SCREE_PRUNING_TABLE) run->saving_reason = SCREE__WHOLE_DOES_NOT_PAY;
  return !*cached || scree__run_reduce(run, true);
}

#endif
