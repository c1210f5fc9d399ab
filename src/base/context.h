/* context.h - user-level contexts: functions with stacks of their own that take turns in one thread. */
#ifndef SCREE__CONTEXT_H
#define SCREE__CONTEXT_H
#include <stddef.h>

typedef struct scree__context scree__context;

/* A context whose first turn calls fn(arg) on a new stack of about `stack` bytes, which ends in a page that faults. fn
 * must not return: its last act is scree__context_exit. NULL: no memory. */
scree__context *scree__context_new(size_t stack, void (*fn)(void *arg), void *arg);
/* The calling thread's own stack, as a context to come back to. NULL: no memory. */
scree__context *scree__context_adopt(void);
/* Not of one that is running, nor of an adopted one while others may switch to it. NULL is legal. */
void scree__context_free(scree__context *context);

/* Gives the turn from the running context to another; returns when somebody gives it back. Both belong to the thread
 * that calls. What is per thread (errno, thread-local variables, the signal mask) is not switched. */
void scree__context_switch(scree__context *from, scree__context *to);
/* The same for the last time: `from` never has a turn again. */
_Noreturn void scree__context_exit(scree__context *from, scree__context *to);
#endif
