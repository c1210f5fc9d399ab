/* plan.h - scree info --plan: what a graph will take, before it is loaded.
 *
 * Room: one function. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H
#include "args/args.h"

/* Collective. */
scree_status cli_plan(const cli_args *args, scree_graphs *graphs);

#endif
