/* epoch.c - the epochs of a worker: begin, end, test, hold, release. The counting is in src/detect. */
#include "core/world.h"

/* The worker that this thread used last, which alone may be in an epoch: one epoch a thread, over all worlds. */
static _Thread_local void *here;

scree__worker *scree__here(void) {
  return here;
}

void **scree__here_slot(void) {
  return &here;
}

enum { FUNCTION_NAME = SCREE__NAME + 32 };

/* Of the function of the program that the worker is inside of. */
static const char *function_name(const scree__worker *me, char text[FUNCTION_NAME]) {
  if (scree__in_poll(me)) return "a poll function";
  snprintf(text, FUNCTION_NAME, "the handler of type '%s'", me->world->types[me->in_handler - 1].name);
  return text;
}

/* Checks that are common to the calls that are legal only outside handlers, on the owner's thread. */
scree_status scree__outside_handlers(scree__worker *me, const char *call) {
  if (scree__refused(me, call)) return SCREE_ESTATE;
  char name[FUNCTION_NAME];
  if (me->in_handler)
    return scree__misuse(me, SCREE_ESTATE, call,
                         "called inside %s: handlers and poll functions may send, but not begin, end, test or wait",
                         function_name(me, name));
  return SCREE_OK;
}

/* Release: what this worker did before it began comes before what handlers do in this epoch. */
static void count_begun(scree__worker *me) {
  scree_world *world = me->world;
  me->taking = world->taking;
  me->progressing = world->progressing;
  me->owed += scree__members(me);
  me->all_begun = world->endpoints == 1;
  if (me->all_begun) return;
  scree__yield_point(me->transport);
  AO_fetch_and_add1_release(&world->begun);
}

scree_status scree_begin(scree_worker *worker) {
  const char *call = "scree_begin";
  scree__worker *me = scree__worker_of(worker);
  scree_world *world = me->world;
  scree_status status = scree__outside_handlers(me, call);
  if (status) return status;
  if (scree__agreed(world)) return scree__agreed(world);
  if (here && scree__here()->in_epoch)
    return scree__misuse(me, SCREE_ESTATE, call,
                         "this thread has an open epoch%s: end it first (one epoch a thread, over all worlds)",
                         here == me ? "" : " in another world");
  if (me->head.index >= world->taking && !(world->progressing && scree__is_progress(me)))
    return scree__misuse(me, SCREE_ESTATE, call,
                         "worker %u takes no part: epochs have workers 0..%u here (scree_run_workers)", me->head.index,
                         world->taking - 1);
  if (!scree__bind(me, call)) return SCREE_ESTATE;
  scree__take_requests(me);
  me->epoch_begun = scree__is_traced(me) ? scree__now(me) : 0;
  scree__pool_reset(&me->self_pool, world->min_block);
  for (uint32_t c = 0; c < world->classes; c++) me->path[c]->ops->set_min_block(me->path[c], world->min_block);
  here = me;
  me->in_epoch = true;
  me->contributed = false;
  me->idle_rounds = me->polls = 0;
  if (me->cache_types) scree__caches_open(me);
  count_begun(me);
  if (!world->running) scree__service_resume(world);
  scree__notify(me);
  scree__yield_point(me->transport);
  return SCREE_OK;
}

/* Has all of this rank that takes part begun the epoch? Until then one may still be reading what handlers of this
 * epoch write. Acquire: pairs with count_begun of each, whose additions are one chain. */
bool scree__all_begun(scree__worker *me) {
  if (!me->all_begun) me->all_begun = AO_load_acquire(&me->world->begun) >= me->owed;
  return me->all_begun;
}

static void read_result(const scree__worker *me, scree_reduce *out) {
  const AO_t *result = me->group.page->result; /* ordered by the acquire of `ended` */
  if (!out) return;
  out->sum[0] = AO_load(&result[0]);
  out->sum[1] = AO_load(&result[1]);
  out->min = AO_load(&result[2]);
  out->max = AO_load(&result[3]);
}

static void leave(scree__worker *me) {
  if (me->epoch_begun) scree__trace_epoch(me);
  if (me->cache_types) scree__caches_close(me);
  me->in_epoch = false;
  me->epoch++;
  me->tokens++;
  me->epochs++;
  if (!me->world->running) scree__service_pause(me->world);
}

/* What one worker has lost, such as the result of a detection round, the others of its rank would wait for without end.
 * Relaxed: the flag is all that is communicated. */
static bool is_lost(scree__worker *me) {
  AO_t *lost = &me->world->lost;
  if (AO_load(lost)) return true;
  if (!me->transport->fault->lost) return false;
  AO_store(lost, 1);
  return true;
}

/* One step towards the end. True: the worker has left the epoch. */
static bool step(scree__worker *me, bool idle, bool may_postpone, scree_reduce *inout) {
  uint64_t batches = me->batches;
  me->polls++;
  bool moved = scree__turn(me);
  if (me->batches != batches && may_postpone) idle = false; /* a handler ran since the caller looked */
  idle = idle || me->failed;
  if (is_lost(me)) {
    scree__leave_failed_epoch(me, scree__failure_key(SCREE_EPEER, me->head.rank));
    leave(me);
    return true;
  }
  if (idle && !moved) {
    scree__caches_empty(me);
    scree__flush_all(me, SCREE__FLUSH_END);
  }
  if (idle && scree__locally_idle(me)) {
    scree__contribute(me, inout);
    scree__polls_settle(me);
  }
  if (!scree__detect(me)) {
    /* A caller with work gets back to it, except in the simulator, where yielding makes other schedules possible. */
    if (!moved && (idle || me->transport->scheduler->ops->yield_point)) scree__backoff(me);
    if (!idle && me->wait_begun) scree__trace_resume(me);
    return false;
  }
  uint64_t outcome = AO_load(&me->group.page->outcome); /* ordered by the acquire of `ended`, as the result */
  read_result(me, inout);
  if (outcome) scree__leave_failed_epoch(me, outcome);
  leave(me);
  return true;
}

scree_status scree_end(scree_worker *worker, scree_reduce *inout) {
  scree__worker *me = scree__worker_of(worker);
  scree_status status = scree__outside_handlers(me, "scree_end");
  if (status) return status;
  if (!me->in_epoch) return scree__misuse(me, SCREE_ESTATE, "scree_end", "no epoch is open: call scree_begin first");
  while (!step(me, true, false, inout)) {
  }
  return scree__agreed(me->world);
}

bool scree_test(scree_worker *worker, bool idle, scree_reduce *inout) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__outside_handlers(me, "scree_test") != SCREE_OK) return true;
  if (!me->in_epoch) {
    scree__misuse(me, SCREE_ESTATE, "scree_test", "no epoch is open: call scree_begin first");
    return true;
  }
  return step(me, idle, true, inout);
}

static bool may_hold(scree__worker *me, const char *call) {
  if (scree__dropped(me, call, SCREE_ALL)) return false;
  if (me->in_epoch) return true;
  scree__fail(me, SCREE_ESTATE, call, "no epoch is open: hold and release belong to an open epoch");
  return false;
}

/* A hold counts at once, so that the epoch cannot end before the release; a release counts when the releasing worker
 * is idle. */
void scree_hold(scree_worker *worker, uint32_t n) {
  scree__worker *me = scree__worker_of(worker);
  if (!may_hold(me, "scree_hold")) return;
  if (scree__breaks_poll_rule(me)) {
    scree__fail_poll_rule(me, "scree_hold", "called");
    return;
  }
  me->held += n;
  scree__count_held(me);
}

void scree_release(scree_worker *worker, uint32_t n) {
  scree__worker *me = scree__worker_of(worker);
  if (may_hold(me, "scree_release")) me->released += n;
}
