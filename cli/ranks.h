/* ranks.h - how many ranks a command has, and who starts them. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H
#include "args/args.h"

/* *ranks: how many the command starts itself; 0: a launcher has started them, or MPI itself is the subject. Prints a
 * warning where they take turns on cores. False: args->why has the reason. Local. */
bool cli_choose_ranks(cli_args *args, uint32_t *ranks);
/* True if --ranks agrees with the number that a launcher started. False: args->why has the reason. Local. */
bool cli_check_launched(cli_args *args, uint32_t ranks);
#endif
