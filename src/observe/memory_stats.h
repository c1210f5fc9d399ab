/* memory_stats.h - the memory that a world holds on this rank: for the statistics, the benchmark of memory and
 * tests. */
#ifndef SCREE__MEMORY_STATS_H
#define SCREE__MEMORY_STATS_H
#include <stdio.h>

#include "transport/transport.h"

/* Local; owner's thread, any time. */
void scree__memory_read(const scree_world *world, scree__memory *out);
uint64_t scree__memory_sum(const scree__memory *m);
/* One line of the table, or one member of the JSON object. */
void scree__memory_print(const scree_world *world, FILE *to, bool json);
#endif
