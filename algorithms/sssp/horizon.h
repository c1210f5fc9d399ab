/* horizon.h - the loop of the variant `horizon`, which `opt` uses too. */
#ifndef SCREE__HORIZON_H
#define SCREE__HORIZON_H
#include "sssp/variants.h"

/* Memory: scree__sssp_of(run)->horizon, and rows sorted by weight. Collective, outside epochs. Freed by
 * scree__horizon_free in any case. */
scree_status scree__horizon_make(scree__run *run);
void scree__horizon_free(scree__run *run);

/* Local v has this distance, and its arcs are to be relaxed. Local. */
void scree__horizon_add(scree__run *run, uint32_t v, double distance);
/* The receiver of relaxations. */
void scree__horizon_take(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* Relaxes what was added, and all that results. Collective, outside epochs. */
scree_status scree__horizon_solve(scree__run *run);

#endif
