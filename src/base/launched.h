/* launched.h - what launchers tell their processes: how many ranks they started. */
#ifndef SCREE__LAUNCHED_H
#define SCREE__LAUNCHED_H

/* How many ranks the launcher of this process announces; 1 also if there is none. *variable: the one of the environment
 * that says so; NULL for 1. A shell that a launcher started as its only process, as `srun --pty bash` does, is one
 * rank. Local. */
long scree__launched_ranks(const char **variable);

#endif
