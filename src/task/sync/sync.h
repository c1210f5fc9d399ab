/* sync.h - what the objects of task_sync.h share. Programs know them only by their numbers. */
#ifndef SCREE__SYNC_H
#define SCREE__SYNC_H
#include <scree/task_sync.h>

#include "task/object.h"

/* Operations differ between kinds: a number of another kind is noticed. */
enum {
  SCREE__SEMAPHORE_WAIT = 0x100,
  SCREE__SEMAPHORE_POST,
  SCREE__MUTEX_LOCK = 0x200,
  SCREE__MUTEX_UNLOCK,
  SCREE__CONDITION_ENTER = 0x300,
  SCREE__CONDITION_WAIT,
  SCREE__CONDITION_SIGNAL,
  SCREE__CONDITION_BROADCAST,
  SCREE__FULL_EMPTY_READ_FF = 0x400,
  SCREE__FULL_EMPTY_READ_FE,
  SCREE__FULL_EMPTY_WRITE_EF,
  SCREE__FULL_EMPTY_PURGE,
  SCREE__BARRIER_WAIT = 0x500
};

/* An object of that many bytes, zero but for the scree__object that it begins with. NULL: the world has failed, or
 * fails; *status is its status. */
void *scree__sync_open(scree_worker *worker, const void *handle, size_t bytes, const scree__object_ops *ops,
                       const char *call, scree_status *status);
scree_status scree__sync_close(scree_worker *worker, uint64_t number, const scree__object_ops *ops, const char *call);
/* The end of each `serve`: the operation is none of this kind. */
bool scree__sync_wrong(scree__object *object, const scree__request *request);

/* The operation with one word in, and out. */
scree_status scree__sync_wait(scree_task *self, uint64_t number, uint32_t op, uint64_t *word, const char *call);
void scree__sync_do(scree_worker *worker, uint64_t number, uint32_t op, uint64_t word, const char *call);
#endif
