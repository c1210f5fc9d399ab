/* pruning.h - the options of BFS and SSSP that determine whether, and by which table, a rank checks if a relaxation can
 * improve a vertex. Their fields in `options`, a struct, are `no_pruning` and `pruning`. */
#ifndef SCREE__PRUNING_H
#define SCREE__PRUNING_H
#include "kernel/kernel.h"

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

#endif
