/* variants.h - the variants of SSSP, their options, and what some of them share. */
#ifndef SCREE__SSSP_VARIANTS_H
#define SCREE__SSSP_VARIANTS_H
#include <math.h>
#include <scree/sssp.h>

#include "kernel/pruning.h"
#include "queue/queue.h"
#include "sssp/relax.h"

/* Chooses the width of buckets if it is 0, checks it, and finds how many buckets can be in use at a time.
 * Collective. */
scree_status scree__choose_delta(scree__run *run, uint64_t *span);

/* Estimates the mean weight, as a share of the largest, from a sample on each rank. Collective. */
scree_status scree__mean_weight(const scree_graph *g, double *mean);

/* The option `queue` is the index. */
extern const scree__queue_kind *const scree__sssp_queues[];

/* Rows of the option tables. */
#define SCREE__SSSP_DELTA                                                                                              \
  {                                                                                                                    \
    .row = {SCREE__ROW("delta", REAL, "auto", "width of a bucket"), .offset = offsetof(scree_sssp_options, delta),     \
            .real_def = SCREE_UNSET_REAL, .real_max = INFINITY, .exclusive = true},                                    \
    .value = "D", .otherwise = "by mean weight and mean degree"                                                        \
  }

/* The options of both variants of Distributed Control. */
#define SCREE__SSSP_QUEUE                                                                                              \
  {                                                                                                                    \
    .row = {SCREE__ROW("queue", CHOICE, "buckets|dary", "queue of each worker"), .def = SCREE_SSSP_QUEUE_BUCKETS,      \
            .max = SCREE_SSSP_QUEUE_DARY, .rare = true, .offset = offsetof(scree_sssp_options, queue)},                \
    .value = "NAME", .tried = "buckets, dary"                                                                          \
  }
#define SCREE__SSSP_FREQUENCY                                                                                          \
  {                                                                                                                    \
    .row = {SCREE__ROW("frequency", COUNT, "", "vertices that a worker relaxes between two polls for messages"),       \
            .def = 32,                                                                                                 \
            .min = 1,                                                                                                  \
            .max = UINT32_MAX,                                                                                         \
            .rare = true,                                                                                              \
            .offset = offsetof(scree_sssp_options, frequency)},                                                        \
    .value = "N", .tried = "32, 8, 128"                                                                                \
  }

extern const scree__variant scree__sssp_auto, scree__sssp_dc, scree__sssp_dc_hybrid, scree__sssp_delta,
    scree__sssp_delta_sort, scree__sssp_kla, scree__sssp_chaotic, scree__sssp_opt, scree__sssp_horizon,
    scree__sssp_dc_tasks, scree__sssp_delta_tasks, scree__sssp_chaotic_tasks;

/* Whether vertices of much more than the mean degree have a large part of the arcs. Collective. */
scree_status scree__sssp_hubs(const scree_graph *g, bool *hubs);

#endif
