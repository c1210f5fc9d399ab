/* epoch.c - the epochs of a worker: begin, end, test, hold, release. The counting is in src/detect. */
#include "core/epoch.h"

#include "core/fail.h"
#include "core/holder.h"
#include "core/lane.h"
#include "core/progress.h"

/* The worker that this thread used last, which alone may be in an epoch: one epoch a thread, over all worlds. */
static _Thread_local void *here;

scree__worker *scree__here(void) {
  return here;
}

void **scree__here_slot(void) {
  return &here;
}

#define IN_RUN "called inside scree_run_workers: call it after the workers have returned"
enum { FUNCTION_NAME = SCREE__NAME + 32 };

/* Names the function of the program that the worker is running. */
static const char *function_name(const scree__worker *me, char text[FUNCTION_NAME]) {
  if (scree__in_poll(me)) return "a poll function";
  snprintf(text, FUNCTION_NAME, "the handler of type '%s'", me->world->types[me->in.handler].name);
  return text;
}

/* A loop around such a call never ends, hence the count. */
static __attribute__((noinline)) scree_status inside_function(scree__worker *me, const char *call) {
  char name[FUNCTION_NAME];
  scree__count_busy_turn(me);
  if (me->in.handler)
    return scree__misuse(me, SCREE_ESTATE, call,
                         "called inside %s: handlers and poll functions may send, but not begin, end, test or wait",
                         function_name(me, name));
  return scree__misuse(me, SCREE_ESTATE, call,
                       "called inside a task: tasks may send and wait (scree/task.h), but not begin, end, test, make "
                       "progress, register or close");
}

/* Checks that are common to the calls that are legal only outside handlers, on the owner's thread. */
scree_status scree__outside_handlers(scree__worker *me, const char *call) {
  if (!me) return SCREE_EINVAL;
  if (scree__refused(me, call)) return SCREE_ESTATE;
  return me->on_own_stack || me->in.handler ? inside_function(me, call) : SCREE_OK;
}

scree_status scree__in_idle_world(scree_world *world, const char *call) {
  if (!world) return SCREE_EINVAL;
  scree__worker *me = world->worker[0];
  scree_status refused = scree__outside_handlers(me, call);
  if (refused) return refused;
  if (me->in_epoch) return scree__misuse(me, SCREE_ESTATE, call, "an epoch is open: end it first");
  if (world->running) return scree__misuse(me, SCREE_ESTATE, call, IN_RUN);
  if (world->is_cut_off && world->is_cut_off())
    return scree__misuse(me, SCREE_ESTATE, call, "MPI is finalised: close all worlds before MPI_Finalize");
  return SCREE_OK;
}

/* ---- the thread that calls MPI for the rank: in runs, and in epochs outside of them ---- */

void scree__service_resume(const scree_world *world) {
  scree__service *service = world->worker[0]->transport->service;
  if (service && service->thread) service->resume(service);
}

void scree__service_pause(const scree_world *world) {
  scree__service *service = world->worker[0]->transport->service;
  if (service && service->thread) service->pause(service);
}

/* Release: what this worker did before it began comes before what handlers do in this epoch. */
static void count_begun(scree__worker *me) {
  scree_world *world = me->world;
  me->end.taking = world->taking;
  me->end.progressing = world->progressing;
  me->end.owed += scree__members(&me->end);
  SCREE__INVARIANT(scree__is_member(&me->end, me->head.index));
  me->all_begun = world->endpoints == 1;
  if (me->all_begun) return;
  scree__yield_point(me->transport);
  AO_fetch_and_add1_release(&world->begun);
}

scree_status scree_begin(scree_worker *worker) {
  const char *call = "scree_begin";
  scree__worker *me = scree__worker_of(worker);
  scree_status status = scree__outside_handlers(me, call);
  if (status) return status;
  scree_world *world = me->world;
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
  me->tracer.epoch_begun = scree__is_traced(&me->tracer) ? scree__now(me) : 0;
  scree__pool_reset(&me->out.self_pool, world->min_block);
  for (uint32_t c = 0; c < world->classes; c++) me->path[c]->ops->set_min_block(me->path[c], world->min_block);
  here = me;
  me->in_epoch = true;
  me->end.contributed = false;
  me->watch.idle_turns = me->watch.busy_turns = me->pace.polls = 0;
  SCREE__HOLDERS(h, me, begin)(me, h);
  count_begun(me);
  if (!world->running) scree__service_resume(world);
  scree__notify(me);
  scree__yield_point(me->transport);
  return SCREE_OK;
}

/* True if all workers of this rank that take part have begun the epoch. Until then one of them may still be reading
 * what handlers of this epoch write. Acquire: pairs with count_begun of each, whose additions are one chain. */
bool scree__all_begun(scree__worker *me) {
  if (!me->all_begun) me->all_begun = (int64_t)(AO_load_acquire(&me->world->begun) - me->end.owed) >= 0;
  return me->all_begun;
}

static void read_result(const scree__worker *me, scree_reduce *out) {
  const AO_t *result = me->end.group.page->result; /* ordered by the acquire of `ended` */
  if (!out) return;
  out->sum[0] = AO_load(&result[0]);
  out->sum[1] = AO_load(&result[1]);
  out->min = AO_load(&result[2]);
  out->max = AO_load(&result[3]);
  const scree__node_page *page = me->end.group.page;
  const uint64_t ops = AO_load(&page->ops);
  for (uint32_t i = 0; ops && i < SCREE__VALUES; i++) {
    if (!scree__op_of(ops, i)) continue;
    out->value[i].op = (scree_reduce_op)scree__op_of(ops, i);
    out->value[i].of.integer = (int64_t)AO_load(&page->value[i]);
  }
}

/* What the worker contributes; nothing once an operation is none, which fails the world. */
static const scree_reduce *contribution(scree__worker *me, const scree_reduce *in) {
  for (uint32_t i = 0; in && i < SCREE__VALUES; i++) {
    if ((uint32_t)in->value[i].op <= SCREE_MAX_REAL) continue;
    scree__fail(me, SCREE_EINVAL, "scree_end",
                "value[%u].op of scree_reduce is %u, legal: 0..%d: begin with SCREE_REDUCE_INIT", i,
                (unsigned)in->value[i].op, SCREE_MAX_REAL);
    return NULL;
  }
  return in;
}

static void leave(scree__worker *me) {
  if (me->tracer.epoch_begun) {
    scree__resume(me);
    scree__tracer_epoch(&me->tracer, scree__now(me), me->end.epoch - me->end.first);
  }
  SCREE__HOLDERS(h, me, leave)(me, h);
  SCREE__INVARIANT(me->in_epoch && !me->in.handler && !me->on_own_stack);
  SCREE__INVARIANT(me->failed || (!me->lanes.open && !me->out.waiting_count));
  me->in_epoch = false;
  me->end.epoch++;
  me->end.tokens++;
  me->end.epochs++;
  if (!me->world->running) scree__service_pause(me->world);
}

/* If one worker has lost something, such as the result of a detection round, the other workers of its rank would wait
 * for it without end. Relaxed: the flag is all that is communicated. */
static bool is_lost(scree__worker *me) {
  AO_t *lost = &me->world->lost;
  if (AO_load(lost)) return true;
  if (!me->transport->fault->lost) return false;
  AO_store(lost, 1);
  return true;
}

bool scree__has_ended(scree__worker *me) {
  bool ended;
  const scree_status status = scree__detect(&me->end, me->end.contributed && scree__locally_idle(me), &ended);
  if (status) scree__fail(me, status, "scree_end", "reduction between nodes: %s", me->transport->fault->text);
  return ended;
}

/* The failure key with which the epoch ends if it ends now; 0: none. */
static uint64_t verdict(const scree__worker *me) {
  for (const scree__holder *h = me->failed ? NULL : me->holders; h; h = h->next)
    if (h->ops->verdict && h->ops->verdict(me, h, NULL, 0)) return scree__failure_key(SCREE_ESTATE, me->head.rank);
  return 0;
}

/* One step towards the end. True: the worker has left the epoch. */
static bool step(scree__worker *me, bool idle, bool may_postpone, scree_reduce *inout) {
  uint64_t batches = me->in.batches;
  me->pace.polls++;
  bool moved = scree__turn(me);
  if (me->in.batches != batches && may_postpone) idle = false; /* a handler ran after the caller's check */
  idle = idle || me->failed;
  if (is_lost(me)) {
    scree__leave_failed_epoch(me, scree__failure_key(SCREE_EPEER, me->head.rank));
    leave(me);
    return true;
  }
  if (idle && !moved) {
    SCREE__HOLDERS(h, me, empty)(me, h, SCREE_ALL);
    scree__flush_all(me, SCREE__FLUSH_END);
  }
  /* After a failed gather an epoch may end without the other workers of the rank. They must have begun it. */
  if (idle && scree__locally_idle(me) && (!me->failed || scree__all_begun(me))) {
    const scree_reduce *mine = contribution(me, inout);
    scree__contribute(&me->end, mine, verdict(me), me->failed);
    me->settled = scree__causes(me); /* none of these gives it further work */
  }
  if (!scree__has_ended(me)) {
    /* A caller with work gets back to it, except in the simulator, where yielding makes other schedules possible. */
    if (!moved && (idle || me->transport->scheduler->ops->yield_point)) scree__backoff(me);
    if (!moved && !idle) scree__count_busy_turn(me);
    if (!idle) scree__resume(me);
    return false;
  }
  uint64_t outcome = AO_load(&me->end.group.page->outcome); /* ordered by the acquire of `ended`, as the result */
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
  const scree__call before = me->watch.call;
  if (!before) me->watch.call = SCREE__CALL_END;
  while (!step(me, true, false, inout)) {
  }
  scree__show_call(me, before);
  return scree__agreed(me->world);
}

bool scree_test(scree_worker *worker, bool idle, scree_reduce *inout) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__outside_handlers(me, "scree_test") != SCREE_OK) return true;
  if (!me->in_epoch) {
    scree__misuse(me, SCREE_ESTATE, "scree_test", "no epoch is open: call scree_begin first");
    return true;
  }
  me->watch.call = SCREE__CALL_TEST;
  const bool ended = step(me, idle, true, inout);
  me->watch.call = SCREE__CALL_NONE;
  return ended;
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
  me->end.held += n;
  scree__count_held(&me->end);
}

/* An epoch has ended when all its holds are released, which a worker may not have seen yet. What it releases there was
 * held by a worker that is in the next epoch: the acquire pairs with the end that the holder had seen when it passed
 * the work on. */
void scree_release(scree_worker *worker, uint32_t n) {
  scree__worker *me = scree__worker_of(worker);
  if (!may_hold(me, "scree_release")) return;
  if (me->world->checked && scree__ended(&me->end))
    scree__fail(
        me, SCREE_ESTATE, "scree_release",
        "epoch %llu of this worker (from 1) has ended, so the work was held in a later epoch, by a worker that is "
        "ahead: pass the number of the epoch too, and take only work of this worker's epoch",
        (unsigned long long)me->end.epochs + 1);
  else
    me->end.released += n;
}
