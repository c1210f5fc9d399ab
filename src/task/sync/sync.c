#include "task/sync/sync.h"

#include "core/epoch.h"
#include "core/fail.h"

void *scree__sync_open(scree_worker *worker, const void *handle, size_t bytes, const scree__object_ops *ops,
                       const char *call, scree_status *status) {
  scree__worker *me = scree__worker_of(worker);
  scree__tasks *t = scree__tasks_for(worker, call);
  *status = me && me->failed ? me->failure.status : SCREE_EINVAL;
  if (!t || !scree__is_given(t, handle, call, ops->name)) return NULL;
  scree__object *object = calloc(1, bytes);
  if (!object)
    scree__fail(me, SCREE_ENOMEM, call, "no memory for one more %s: free memory on this host", ops->name);
  else if (scree__object_open(worker, object, ops, call) && scree__object_number(object)) {
    *status = SCREE_OK;
    return object;
  }
  free(object);
  *status = me->failed ? me->failure.status : SCREE_ESTATE;
  return NULL;
}

scree_status scree__sync_close(scree_worker *worker, uint64_t number, const scree__object_ops *ops, const char *call) {
  scree__worker *me = scree__worker_of(worker);
  if (!me) return SCREE_EINVAL;
  scree__tasks *t = scree__tasks_of(me);
  scree__object *object = t ? scree__object_find(t, number) : NULL;
  if (me->failed) return me->failure.status;
  if (!object || object->ops != ops || object->first) {
    scree__fail(me, SCREE_ESTATE, call, "%s %llx %s", ops->name, (unsigned long long)number,
                !object              ? "is none of this worker's, or was closed: close it once, where it was opened"
                : object->ops != ops ? "is an object of another kind"
                                     : "has tasks that wait: close it when they have continued");
    return SCREE_ESTATE;
  }
  scree__object_close(object, call);
  free(object);
  return SCREE_OK;
}

bool scree__sync_wrong(scree__object *object, const scree__request *request) {
  scree__fail(object->home->me, SCREE_EINVAL, "task", "operation %x of another kind of object on %s %llx", request->op,
              object->ops->name, (unsigned long long)object->number);
  return true;
}

scree_status scree__sync_wait(scree_task *self, uint64_t number, uint32_t op, uint64_t *word, const char *call) {
  uint64_t value[SCREE__OBJECT_WORDS] = {*word};
  const scree_status status = scree__object_wait_at(self, number, op, value, call);
  *word = value[0];
  return status;
}

void scree__sync_do(scree_worker *worker, uint64_t number, uint32_t op, uint64_t word, const char *call) {
  const uint64_t value[SCREE__OBJECT_WORDS] = {word};
  scree__object_do_at(worker, number, op, value, call);
}
