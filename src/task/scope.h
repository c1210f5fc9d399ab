/* scope.h - scopes: how a task is notified that all that was spawned in one has returned, on all workers. Each function
 * is described where it is defined. */
#ifndef SCREE__SCOPE_H
#define SCREE__SCOPE_H
#include "task/task.h"

/* An item on the wire: so many messages of the scope are acknowledged. */
typedef struct {
  uint64_t scope, count;
} scree__acknowledgement;

/* One more task in a part; it has returned. */
void scree__scope_enter(scree_scope *scope);
void scree__scope_leave(scree_scope *scope);
/* True if code of this worker may spawn in it. Else the world fails. NULL is legal. */
bool scree__scope_is_here(scree__tasks *t, const scree_scope *scope, const char *call, const char *type);

/* Messages of one scope from one worker, that are to be acknowledged. */
typedef struct {
  uint64_t id, count;
  uint32_t sender;
} scree__due;
/* The part of a worker to which a task of the scope is sent: one message more that is due. NULL: no memory. */
scree_scope *scree__scope_arrive(scree__tasks *t, uint64_t id, scree__due *due);
void scree__scope_acknowledge(scree__tasks *t, scree__due *due);
void scree__on_acknowledged(scree_worker *worker, const scree_batch *batch, const void *items, void *of);

/* The result of a range, of value_bytes of the type, becomes part of the scope's result, which finish_reduced combines
 * into `out` unless that is NULL. */
void scree__scope_combine(scree_scope *scope, const scree__task_type *type, const uint64_t *value);
scree_status scree__finish_reduced(scree_task *self, scree_scope *scope, void *out);
/* On the wire: an acknowledgement of one message, with the result of the part. */
typedef struct {
  uint64_t scope, type;
  uint64_t value[SCREE__OBJECT_WORDS];
} scree__scope_result;
void scree__on_result(scree_worker *worker, const scree_batch *batch, const void *items, void *of);

/* Begins the identities of a worker's scopes. */
void scree__scopes_open(scree__tasks *t);
/* With no task and no operation; opener NULL: a completion. NULL: no memory, the world fails. */
scree_scope *scree__scope_open(scree__tasks *t, scree_task *opener);
/* Until it has none, or somebody else makes the task ready. */
scree_status scree__scope_wait(scree_task *self, scree_scope *scope, const char *why);
void scree__scope_check_end(scree_scope *scope);
void scree__scope_put_back(scree_scope *scope);

void scree__scopes_forget(scree__tasks *t);
#endif
