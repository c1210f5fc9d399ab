/* task_contexts.h - what is below tasks: contexts on stacks of tasks, that switch in a ring without a scheduler. */
#ifndef TASK_CONTEXTS_H
#define TASK_CONTEXTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds of `switches` switches of so many contexts, each of which reads and writes 3 lines of its own in each turn;
 * with or without the prefetch of the scheduler. Infinity: no memory. */
double task_contexts_run(uint64_t contexts, size_t stack, bool prefetch, uint64_t switches);
/* Gives the stacks back, which are kept from run to run. */
void task_contexts_close(void);
#endif
