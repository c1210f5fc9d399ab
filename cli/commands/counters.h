/* counters.h - what a job's world has counted: summed over the ranks, then a part of the record. */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H
#include <cjson/cJSON.h>

#include "base/counters.h"
#include "commands/report.h"

/* Collective. */
scree_status cli_sum_counters(scree_graphs *graphs, cli_counters *counters);
/* NULL: no memory. */
cJSON *cli_add_counts(cJSON *to, const scree__counter *rows, const void *counts);
cJSON *cli_add_counters(cJSON *root, const scree_world *world, const cli_counters *counters);

#endif
