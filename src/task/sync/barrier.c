#include "core/fail.h"
#include "task/sync/sync.h"

typedef struct {
  scree__object object; /* must be first */
  uint64_t tasks, here; /* of each round; that have arrived */
  uint64_t round;       /* never 0 */
} barrier;

/* A request carries the round in which it arrived, 0 on arrival. */
static bool serve(scree__object *object, scree__request *request) {
  barrier *b = (barrier *)object;
  if (request->op != SCREE__BARRIER_WAIT) return scree__sync_wrong(object, request);
  if (!request->value[0]) {
    request->value[0] = b->round;
    if (++b->here == b->tasks) {
      b->here = 0;
      if (++b->round == 0) b->round = 1;
    }
  }
  SCREE__INVARIANT(b->here < b->tasks && b->round);
  return request->value[0] != b->round;
}

static const scree__object_ops ops = {.name = "barrier", .serve = serve, .owned = true};

scree_status scree_barrier_open(scree_worker *worker, uint64_t tasks, scree_barrier *handle) {
  const char *call = "scree_barrier_open";
  scree_status status = SCREE_OK;
  if (!tasks) {
    scree__fail(scree__worker_of(worker), SCREE_EINVAL, call, "a barrier of 0 tasks; legal: 1 or more");
    return SCREE_EINVAL;
  }
  barrier *b = scree__sync_open(worker, handle, sizeof *b, &ops, call, &status);
  if (!b) return status;
  b->tasks = tasks;
  b->round = scree__first_count(&scree__worker_of(worker)->world->options, SCREE__COUNTS_WAITERS);
  if (!b->round) b->round = 1;
  handle->number = b->object.number;
  return SCREE_OK;
}

scree_status scree_barrier_wait(scree_task *self, scree_barrier b) {
  uint64_t round = 0;
  return scree__sync_wait(self, b.number, SCREE__BARRIER_WAIT, &round, "scree_barrier_wait");
}

scree_status scree_barrier_close(scree_worker *worker, scree_barrier b) {
  return scree__sync_close(worker, b.number, &ops, "scree_barrier_close");
}
