#include "core/fail.h"
#include "task/sync/sync.h"

typedef struct {
  scree__object object; /* must be first */
  uint64_t holder;      /* a task's identity; 0: none */
} mutex;

/* A request of another worker may overtake the unlock that its task has sent before: then it waits for that unlock. */
static bool lock(mutex *m, uint64_t who, bool local) {
  if (local && m->holder == who)
    scree__fail(m->object.home->me, SCREE_ESTATE, "scree_mutex_lock",
                "the task holds this mutex already, and would wait for itself: unlock it first");
  if (m->holder) return local && m->holder == who;
  m->holder = who;
  return true;
}

static void unlock(mutex *m, uint64_t who) {
  if (m->holder != who)
    scree__fail(m->object.home->me, SCREE_ESTATE, "scree_mutex_unlock",
                "%s: only the task that has locked it may unlock it",
                m->holder ? "another task holds this mutex" : "no task holds this mutex");
  SCREE__INVARIANT(m->object.home->me->failed || m->holder);
  m->holder = 0;
}

static bool serve(scree__object *object, scree__request *request) {
  switch (request->op) {
  case SCREE__MUTEX_LOCK:
    return lock((mutex *)object, request->who, request->task != NULL);
  case SCREE__MUTEX_UNLOCK:
    unlock((mutex *)object, request->value[0]);
    return true;
  default:
    return scree__sync_wrong(object, request);
  }
}

static const scree__object_ops ops = {.name = "mutex", .serve = serve, .owned = true};

scree_status scree_mutex_open(scree_worker *worker, scree_mutex *handle) {
  scree_status status = SCREE_OK;
  mutex *m = scree__sync_open(worker, handle, sizeof *m, &ops, "scree_mutex_open", &status);
  if (m) handle->number = m->object.number;
  return status;
}

scree_status scree_mutex_lock(scree_task *self, scree_mutex m) {
  uint64_t unused = 0;
  return scree__sync_wait(self, m.number, SCREE__MUTEX_LOCK, &unused, "scree_mutex_lock");
}

void scree_mutex_unlock(scree_task *self, scree_mutex m) {
  const char *call = "scree_mutex_unlock";
  if (!scree__task_is_current(self, call)) return;
  scree__sync_do(scree_task_worker(self), m.number, SCREE__MUTEX_UNLOCK, scree__task_identity(self), call);
}

scree_status scree_mutex_close(scree_worker *worker, scree_mutex m) {
  scree__tasks *t = worker ? scree__tasks_of(scree__worker_of(worker)) : NULL;
  const scree__object *object = t ? scree__object_find(t, m.number) : NULL;
  if (object && object->ops == &ops && ((const mutex *)object)->holder)
    scree__fail(t->me, SCREE_ESTATE, "scree_mutex_close", "a task holds this mutex: close it when it is unlocked");
  return scree__sync_close(worker, m.number, &ops, "scree_mutex_close");
}
