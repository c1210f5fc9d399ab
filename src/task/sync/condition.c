/* condition.c - a task takes a ticket while it holds the mutex, unlocks it, and then waits until its ticket was called:
 * a signal between the two is not lost, and mutex and condition need not know each other. */
#include "task/sync/sync.h"

typedef struct {
  scree__object object;     /* must be first */
  uint64_t tickets, called; /* issued so far; those before it were called. Both wrap around */
} condition;

static bool was_called(const condition *c, const scree__request *request) {
  return (int64_t)(request->value[0] - c->called) < 0;
}

/* Requests by messages may arrive in another order than their tickets: one whose ticket was called is moved to the
 * front. */
static void call_first(condition *c, uint64_t tickets) {
  c->called += tickets;
  scree__request *before = NULL;
  for (scree__request *r = c->object.first; r && !was_called(c, r); r = r->next) before = r;
  scree__object_advance(&c->object, before);
}

static bool serve(scree__object *object, scree__request *request) {
  condition *c = (condition *)object;
  SCREE__INVARIANT((int64_t)(c->tickets - c->called) >= 0);
  switch (request->op) {
  case SCREE__CONDITION_ENTER:
    request->value[0] = c->tickets++;
    return true;
  case SCREE__CONDITION_WAIT:
    return was_called(c, request);
  case SCREE__CONDITION_SIGNAL:
    if (c->called != c->tickets) call_first(c, 1);
    return true;
  case SCREE__CONDITION_BROADCAST:
    c->called = c->tickets;
    return true;
  default:
    return scree__sync_wrong(object, request);
  }
}

static const scree__object_ops ops = {.name = "condition", .serve = serve, .owned = true};

scree_status scree_condition_open(scree_worker *worker, scree_condition *handle) {
  scree_status status = SCREE_OK;
  condition *c = scree__sync_open(worker, handle, sizeof *c, &ops, "scree_condition_open", &status);
  if (!c) return status;
  c->tickets = c->called = scree__first_count(&scree__worker_of(worker)->world->options, SCREE__COUNTS_WAITERS);
  handle->number = c->object.number;
  return status;
}

scree_status scree_condition_wait(scree_task *self, scree_condition c, scree_mutex m) {
  const char *call = "scree_condition_wait";
  uint64_t ticket = 0;
  scree_status status = scree__sync_wait(self, c.number, SCREE__CONDITION_ENTER, &ticket, call);
  if (status) return status;
  scree_mutex_unlock(self, m);
  status = scree__sync_wait(self, c.number, SCREE__CONDITION_WAIT, &ticket, call);
  return status ? status : scree_mutex_lock(self, m);
}

void scree_condition_signal(scree_worker *worker, scree_condition c) {
  scree__sync_do(worker, c.number, SCREE__CONDITION_SIGNAL, 0, "scree_condition_signal");
}

void scree_condition_broadcast(scree_worker *worker, scree_condition c) {
  scree__sync_do(worker, c.number, SCREE__CONDITION_BROADCAST, 0, "scree_condition_broadcast");
}

scree_status scree_condition_close(scree_worker *worker, scree_condition c) {
  return scree__sync_close(worker, c.number, &ops, "scree_condition_close");
}
