/* plan.h - scree info --plan: estimates the memory of a graph without loading it. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H
#include "args/args.h"

/* Collective. */
scree_status cli_plan(const cli_args *args, scree_graphs *graphs);

#endif
