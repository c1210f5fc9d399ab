/* fence.c - waits for asynchronous operations that a task has begun: for its implicit ones, and for all at one owner,
 * which orders them. */
#include <atomic_ops.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "global/operation.h"

/* How far the tables were searched. The caller begins no operation meanwhile, so each entry is examined until it
 * belongs to another one. */
typedef struct {
  uint64_t issuer;
  uint32_t owner, slot, indexed;
} search;

/* The waiter of an operation that the caller has begun at that owner and that is not complete; of gathers, scatters and
 * copies: at any. */
static scree__waiter *next_of(const scree__globals *own, search *s) {
  for (; s->slot < own->slot_room; s->slot++) {
    const scree__slot_of *slot = &own->slots[s->slot];
    if (slot->waiter && slot->asynchronous && slot->owner == s->owner && slot->waiter->key == s->issuer &&
        slot->waiter->how != SCREE__BY_STEP)
      return slot->waiter;
  }
  scree__waiter *waiter = scree__indexed_of(own, s->issuer, &s->indexed);
  return waiter ? waiter : scree__copy_of(own, s->issuer);
}

static scree__globals *begin(scree_worker *worker, const char *call, scree_address a, search *s) {
  const scree__global_op op = {.call = call, .address = a, .bytes = 1, .kind = SCREE__GLOBAL_GET};
  scree__globals *own = scree__globals_for(worker, call);
  if (!own || !scree__global_check(own, &op)) return NULL;
  *s = (search){.issuer = scree__issuer(own), .owner = scree_global_owner(&own->of->map, a)};
  return own;
}

/* When all that was to be waited for is complete. Full: what the caller, or a copy for it, has accessed directly comes
 * before what follows. */
static scree_status in_order(const scree__globals *own) {
  AO_nop_full();
  return own->me->failed ? own->me->failure.status : SCREE_OK;
}

static scree_status settle(scree__globals *own, scree_task *self, const char *call) {
  scree__words_settle(own);
  scree__waiter *w = scree__implicit_of(own, false);
  SCREE__INVARIANT(!own->granted && (!w || (w->left && !w->sleeper)));
  if (w) w->sleeper = self;
  return w ? scree__task_sleep(self, SCREE__TASK_WAITS, call) : SCREE_OK;
}

scree_status scree_quiet(scree_task *self) {
  const char *call = "scree_quiet";
  scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  scree__globals *own = scree__globals_for(scree_task_worker(self), call);
  if (!own) return SCREE_ESTATE;
  status = settle(own, self, call);
  return status ? status : in_order(own);
}

/* Handlers that run meanwhile issue words by the same record: what they were granted and have not used must not keep it
 * open. */
static void settle_poll(scree__globals *own) {
  for (;;) {
    scree__words_settle(own);
    if (own->me->failed || !scree__implicit_of(own, false)) return;
    scree__wait_a_turn(own->me);
  }
}

scree_status scree_quiet_poll(scree_worker *worker) {
  const char *call = "scree_quiet_poll";
  scree__globals *own = worker ? scree__globals_for(worker, call) : NULL;
  if (!own || scree__outside_handlers(own->me, call)) return worker ? SCREE_ESTATE : SCREE_EINVAL;
  settle_poll(own);
  return in_order(own);
}

scree_status scree_fence(scree_task *self, scree_address a) {
  const char *call = "scree_fence";
  scree_status status = scree__task_may_wait(self, call);
  if (status) return status;
  search s;
  scree__globals *own = begin(scree_task_worker(self), call, a, &s);
  if (!own) return SCREE_EINVAL;
  status = settle(own, self, call);
  for (scree__waiter *w; !status && (w = next_of(own, &s));) {
    w->sleeper = self;
    status = scree__task_sleep(self, SCREE__TASK_WAITS, call);
  }
  return status ? status : in_order(own);
}

scree_status scree_fence_poll(scree_worker *worker, scree_address a) {
  const char *call = "scree_fence_poll";
  if (scree__outside_handlers(scree__worker_of(worker), call)) return SCREE_ESTATE;
  search s;
  scree__globals *own = begin(worker, call, a, &s);
  if (!own) return SCREE_EINVAL;
  settle_poll(own);
  while (!own->me->failed && next_of(own, &s)) scree__wait_a_turn(own->me);
  return in_order(own);
}
