#include "core/fail.h"
#include "task/sync/sync.h"

typedef struct {
  scree__object object; /* must be first */
  uint64_t count;
} semaphore;

static void post(semaphore *s, uint64_t n) {
  if (n <= UINT64_MAX - s->count)
    s->count += n;
  else
    scree__fail(s->object.home->me, SCREE_EINVAL, "scree_semaphore_post",
                "%llu beside a count of %llu is more than 64 bits", (unsigned long long)n,
                (unsigned long long)s->count);
}

static bool serve(scree__object *object, scree__request *request) {
  semaphore *s = (semaphore *)object;
  switch (request->op) {
  case SCREE__SEMAPHORE_WAIT:
    if (!s->count) return false;
    s->count--;
    SCREE__INVARIANT(s->count < UINT64_MAX);
    return true;
  case SCREE__SEMAPHORE_POST:
    post(s, request->value[0]);
    return true;
  default:
    return scree__sync_wrong(object, request);
  }
}

static const scree__object_ops ops = {.name = "semaphore", .serve = serve, .owned = true};

scree_status scree_semaphore_open(scree_worker *worker, uint64_t count, scree_semaphore *handle) {
  scree_status status = SCREE_OK;
  semaphore *s = scree__sync_open(worker, handle, sizeof *s, &ops, "scree_semaphore_open", &status);
  if (!s) return status;
  s->count = count;
  handle->number = s->object.number;
  return SCREE_OK;
}

scree_status scree_semaphore_wait(scree_task *self, scree_semaphore s) {
  uint64_t unused = 0;
  return scree__sync_wait(self, s.number, SCREE__SEMAPHORE_WAIT, &unused, "scree_semaphore_wait");
}

void scree_semaphore_post(scree_worker *worker, scree_semaphore s, uint64_t n) {
  scree__sync_do(worker, s.number, SCREE__SEMAPHORE_POST, n, "scree_semaphore_post");
}

scree_status scree_semaphore_close(scree_worker *worker, scree_semaphore s) {
  return scree__sync_close(worker, s.number, &ops, "scree_semaphore_close");
}
