/* pruning.h - the options of BFS and SSSP that determine whether, and by which table, a rank checks if a relaxation can
 * improve a vertex. Their fields in `options`, a struct, are `no_pruning` and `pruning`. */
#ifndef SCREE__PRUNING_H
#define SCREE__PRUNING_H
#include "kernel/kernel.h"

#define SCREE__NO_PRUNING(options)                                                                                     \
  {                                                                                                                    \
    .row = {                                                                                                           \
      .name = "no-pruning",                                                                                            \
      .kind = SCREE_KIND_FLAG,                                                                                         \
      .choices = "",                                                                                                   \
      .help = "also send relaxations that the sender knows cannot improve a vertex",                                   \
      .rare = true,                                                                                                    \
      .offset = offsetof(options, no_pruning)                                                                          \
    }                                                                                                                  \
  }

#define SCREE__PRUNING(options)                                                                                        \
  {                                                                                                                    \
    .row = {.name = "pruning",                                                                                         \
            .kind = SCREE_KIND_CHOICE,                                                                                 \
            .def = SCREE_PRUNING_TABLE,                                                                                \
            .max = SCREE_PRUNING_OFF,                                                                                  \
            .choices = "table|cache|off",                                                                              \
            .help = "table by which a rank checks if a relaxation can improve a vertex before it is sent",             \
            .rare = true,                                                                                              \
            .offset = offsetof(options, pruning)},                                                                     \
    .value = "NAME"                                                                                                    \
  }

#endif
