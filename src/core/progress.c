/* progress.c - one turn of the progress loop, in which all waiting is done: the order of its steps, what an idle turn
 * does, and the hang timeout. */
#include "core/world.h"

/* ---- what may hold work that is not counted yet ---- */

static bool lanes_are_empty(const scree__worker *me) {
  return !me->open_blocks;
}
static bool caches_are_empty(const scree__worker *me) {
  return scree__caches_held(me) == 0;
}
static bool no_block_waits(const scree__worker *me) {
  return !me->waiting_count;
}
static bool no_own_block(const scree__worker *me) {
  return !me->self[0].queue.head && !me->self[1].queue.head;
}
static bool no_block_at_hand(const scree__worker *me) {
  for (uint32_t c = 0; c < me->world->classes; c++)
    if (me->current[c].block) return false;
  return true;
}

static bool no_poll_function_holds(const scree__worker *me) {
  return me->polling == SCREE__POLLS_IDLE;
}

/* Nothing on this worker can cause another message. A layer that keeps messages, or work that leads to some, adds itself
 * here. */
bool scree__locally_idle(const scree__worker *me) {
  return lanes_are_empty(me) && caches_are_empty(me) && no_block_waits(me) && no_own_block(me) &&
         no_block_at_hand(me) && no_poll_function_holds(me);
}

/* ---- one turn ---- */

static void check_fault(scree__worker *me) {
  scree__fault *fault = me->transport->fault;
  me->handled += fault->written_off;
  fault->written_off = 0;
  if (!fault->status) return;
  scree_status status = fault->status;
  fault->status = SCREE_OK;
  scree__fail(me, status, "progress", "%s", fault->text);
}

/* Overflow first, then always one batch, also while overflow is not empty: a rank that stopped handling until its
 * overflow was published would deadlock with one that does the same. True if anything moved. */
bool scree__progress(scree__worker *me) {
  scree__transport *t = me->transport;
  scree__yield_point(t);
  scree__check_for_failure(me);
  scree__take_requests(me);
  bool moved = scree__publish_waiting(me);
  moved |= scree__dispatch_batch(me);
  moved |= scree__flush_aged(me);
  check_fault(me);
  scree__print_requested_report(me);
  if (moved && me->wait_begun) scree__trace_resume(me);
  if (moved) me->idle_rounds = 0;
  return moved;
}

/* The same, and what poll functions do if nothing moved; not in a send, where no block may be free for what they send. */
bool scree__turn(scree__worker *me) {
  const bool moved = scree__progress(me);
  return me->world->poll_count ? scree__poll(me, moved) : moved;
}

static void check_silence(scree__worker *me) {
  uint64_t limit = me->world->options.hang_timeout, at = scree__now(me);
  if (me->idle_rounds == 1) {
    me->last_progress = at;
    me->hang_reported = false;
  }
  if (limit == 0 || me->hang_reported || at - me->last_progress < limit) return;
  me->hang_reported = true;
  scree_report_print(me->world, stderr);
  if (me->world->hang_hook) me->world->hang_hook(me->world, SCREE_EPEER, me->world->hang_arg);
}

/* A turn in which nothing moved. */
void scree__count_idle_turn(scree__worker *me) {
  me->idle_rounds++;
  if ((me->idle_rounds & 1023) == 1) check_silence(me);
}

/* What a service has moved for others of the rank, as path by path it serves them. */
static uint64_t count_served(const scree__worker *me) {
  uint64_t moved = 0;
  for (uint32_t c = 0; c < me->world->classes; c++)
    if (me->path[c]->service) moved += me->path[c]->service->moved;
  return moved;
}

/* Called instead of waiting, after a turn in which nothing moved. */
void scree__backoff(scree__worker *me) {
  scree__transport *t = me->transport;
  if (scree__is_traced(me) && !me->wait_begun) scree__trace_wait(me, SCREE__EVENT_IDLE);
  if (t->service && count_served(me) != me->served) { /* nothing moved here, but for others of the rank */
    me->served = count_served(me);
    me->idle_rounds = 0;
  }
  scree__count_idle_turn(me);
  t->scheduler->ops->backoff(t->scheduler, me->idle_rounds);
}

bool scree_progress(scree_worker *worker) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__outside_handlers(me, "scree_progress") != SCREE_OK) return false;
  if (!me->in_epoch) {
    scree__misuse(me, SCREE_ESTATE, "scree_progress", "no epoch is open: call scree_begin first");
    return false;
  }
  me->polls++;
  bool moved = scree__turn(me);
  if (!moved) scree__backoff(me);
  return moved;
}
