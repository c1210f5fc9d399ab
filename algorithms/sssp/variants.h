/* variants.h - the variants of SSSP.
 *
 * Room: one line for each file that holds a variant. */
#ifndef SCREE__SSSP_VARIANTS_H
#define SCREE__SSSP_VARIANTS_H
#include "common/queue.h"
#include "sssp/relax.h"

/* Chooses run->delta if it is 0, checks it, and tells how many buckets can be in use at a time. Collective. */
scree_status scree__choose_delta(scree__run *run, uint64_t *span);

/* The queue of that name; NULL is the first. SCREE_EINVAL: the text lists the names. Collective. */
scree_status scree__queue_find(const scree__run *run, const char *name, const scree__queue_kind **kind);

extern const scree__variant scree__sssp_dc, scree__sssp_delta, scree__sssp_delta_sort, scree__sssp_kla,
    scree__sssp_chaotic, scree__sssp_opt;

#endif
