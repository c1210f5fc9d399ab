/* object.h - what tasks wait for: objects that live on one worker, with a queue of requests that are served in order as
 * soon as the object's state allows. A request comes from a task of this worker, or by a message from one of another
 * worker, and is answered in the same way. Each kind of object is one function, `serve`; each function here is
 * described where it is defined. */
#ifndef SCREE__OBJECT_H
#define SCREE__OBJECT_H
#include "task/task.h"

/* Begins the numbers of a worker's objects and tasks. */
void scree__objects_open(scree__tasks *t);

/* False: the world has failed, or fails. */
bool scree__object_open(scree_worker *worker, scree__object *object, const scree__object_ops *ops, const char *call);
/* False: some still wait, and the world fails; or it has failed. */
bool scree__object_close(scree__object *object, const char *call);
/* Its number for other workers, a value that may be sent. 0: no memory, or no number is left; the world fails. */
uint64_t scree__object_number(scree__object *object);

/* By its number, on its worker; NULL: it has been closed, or never was. */
scree__object *scree__object_find(scree__tasks *t, uint64_t number);

/* The task waits until the object has served the operation; value: SCREE__OBJECT_WORDS words, in and out. */
scree_status scree__object_wait(scree_task *self, scree__object *object, uint32_t op, uint64_t *value,
                                const char *call);
scree_status scree__object_wait_at(scree_task *self, uint64_t number, uint32_t op, uint64_t *value, const char *call);
/* An operation that never waits is served at once, and then those in the queue as far as they can be. */
void scree__object_do(scree_worker *worker, scree__object *object, uint32_t op, const uint64_t *value,
                      const char *call);
void scree__object_do_at(scree_worker *worker, uint64_t number, uint32_t op, const uint64_t *value, const char *call);
/* The request after that one, if there is one, becomes the first; NULL: nothing changes. */
void scree__object_advance(scree__object *object, scree__request *before);
/* Serves the queue, after something else than a request has changed the state. */
void scree__object_serve(scree__object *object);

/* Identity of a task among all of the world; never 0. The same one returns after 2^42 tasks of its worker. */
uint64_t scree__task_identity(const scree_task *task);
/* The workers of a world that have numbers in these words. */
enum { SCREE__TASK_WORKERS_MAX = (1 << 22) - 1 };

void scree__on_request(scree_worker *worker, const scree_batch *batch, const void *items, void *of);
void scree__on_answer(scree_worker *worker, const scree_batch *batch, const void *items, void *of);
void scree__objects_free(scree__tasks *t);

/* future.c: closures of this worker that wait for futures; *type: of the oldest, if there is one. */
uint32_t scree__count_parked(const scree__tasks *t, const char **type);

/* On the wire; in an answer, object is 0. */
typedef struct {
  uint64_t object, who;
  uint64_t op; /* place of the task in the table of its worker << 32 | operation */
  uint64_t value[SCREE__OBJECT_WORDS];
} scree__object_item;
#endif
