/* loop.h - the state of loops on a worker. Each function is described where it is defined. */
#ifndef SCREE__LOOP_H
#define SCREE__LOOP_H
#include <scree/task_loop.h>

#include "task/scope.h"
#include "task/task.h"

/* On the wire, followed by the arguments: iterations for one worker, or for all of a rank. */
typedef struct {
  uint64_t scope;      /* must be first */
  uint64_t from, to;   /* to be run; of a mapped loop indices on the rank */
  uint64_t begin, end; /* of the whole loop */
  uint64_t grain;
  uint32_t policy;
  bool spread;            /* over the rank's workers */
  scree_distribution map; /* of a mapped loop */
} scree__loop_item;

/* A worker's copy of a loop of which it has ranges: in one of its two lists. */
struct scree__loop {
  scree__loop *next, **at;
  const scree__task_type *type;
  uint64_t ranges;  /* closures and tasks of it that this worker has, or has exposed */
  AO_t stolen;      /* of these, by thieves, which have copied what they need */
  bool lent;        /* some were exposed */
  uint64_t guess;   /* grain by time */
  uint32_t untimed; /* ranges until one is timed again */
  scree__loop_item of;
  _Alignas(16) char args[];
};

/* Arguments of a closure that runs a part of it. */
typedef struct {
  scree__loop *loop;
  uint64_t from, to;
} scree__range;

void scree__run_range(scree_task *self, const void *args); /* the function of types of loops */
void scree__on_loop(scree_worker *worker, const scree_batch *batch, const void *items, void *type);
/* Closures of loops change their worker: one that was stolen in this rank; false: no memory; one that is sent. */
bool scree__loop_adopt(scree__tasks *t, scree__closure *closure);
void scree__loop_send(scree__tasks *t, uint32_t dest, uint64_t scope, const scree__closure *closure);
void scree__loop_lend(scree__tasks *t, scree__loop *loop);
/* Of loops that were lent those are freed whose last range a thief has. */
void scree__loops_sweep(scree__tasks *t);
void scree__loops_free(scree__tasks *t);
#endif
