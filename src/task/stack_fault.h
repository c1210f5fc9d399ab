/* stack_fault.h - names the task whose stack has ended, before the fault of its guard page ends the process. */
#ifndef SCREE__STACK_FAULT_H
#define SCREE__STACK_FAULT_H
#include "task/stacks.h"

/* A worker's stacks; set by their owner. */
typedef struct scree__fault_watch {
  const scree__stacks *stacks;
  const char *who;                             /* "rank 3, worker 0" */
  const char *(*task)(const scree__stack *of); /* the type of the task that is on a stack; called in a signal handler */
  bool installed;                              /* it has a share in the handler of the process */
  struct scree__fault_watch *next;
} scree__fault_watch;

/* Until scree__stack_faults_forget a fault of the calling thread in a guard page of these stacks prints a line on
 * standard error, with the task, the size of the stack, the option, and the deepest use so far. Then the fault is
 * passed to the previous handler of SIGSEGV, as all other faults are. The first watch of the process installs the
 * handler. The first watch of a thread gives the thread an alternate signal stack, unless it has one; it keeps it until
 * it ends, so that a worker that begins an epoch makes no system call. With a sanitizer, whose handler names the place,
 * nothing is done. Returns false without memory. */
bool scree__stack_faults_watch(scree__fault_watch *watch);
/* By the same thread. */
void scree__stack_faults_forget(scree__fault_watch *watch);
/* Ends the use of a watch, by any thread, after the last forget. The last one removes the handler; a thread that
 * watches nothing more gets rid of its alternate stack. */
void scree__stack_faults_close(scree__fault_watch *watch);
#endif
