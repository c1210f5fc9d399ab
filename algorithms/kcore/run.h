/* run.h - the variants of k-cores: an upper bound of each vertex's coreness falls to it. */
#ifndef SCREE__KCORE_RUN_H
#define SCREE__KCORE_RUN_H
#include "kernel/near.h"

extern const scree__variant scree__kcore_peel, scree__kcore_hindex;

/* Whether all vertices have their coreness. Collective; the verdict is the same on all ranks. */
scree_status scree__kcore_validate(const scree_graph *g, uint64_t source, const void *options,
                                   const scree_answer *answer, scree_verdict *verdict);

#endif
