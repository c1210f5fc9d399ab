/* launched.h - what the environment reveals of a job: how many ranks a launcher started, and what MPICH does in
 * each. */
#ifndef SCREE__LAUNCHED_H
#define SCREE__LAUNCHED_H

/* How many ranks the launcher of this process announces; 1 also if there is none. *variable: the environment variable
 * that it is read from; NULL for 1. A shell that a launcher started as its only process, as `srun --pty bash` does, is
 * one rank. Local. */
long scree__launched_ranks(const char **variable);
/* The variable by which a launcher has started this process, whatever its value; NULL: none has. Local. */
const char *scree__launched(void);

/* The variable by which MPICH, if it is the MPI, makes a thread of its own in each process that makes progress; NULL:
 * none. `value` gives the value of a variable in the environment of the job, or NULL. Local. */
const char *scree__mpich_thread(const char *(*value)(const void *context, const char *name), const void *context);

#endif
