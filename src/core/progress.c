/* progress.c - one step of the progress loop, in which all waiting is done: the order of its parts, what an idle step
 * does, and when a worker is idle. */
#include "core/progress.h"

#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/lane.h"
#include "core/send.h"

/* ---- what may hold work that is not counted yet ---- */

static bool no_block_at_hand(const scree__worker *me) {
  for (uint32_t c = 0; c < me->world->classes; c++)
    if (me->in.current[c].block) return false;
  return true;
}

static bool no_holder_holds(const scree__worker *me) {
  for (const scree__holder *h = me->holders; h; h = h->next)
    if (h->ops->held && h->ops->held(me, h)) return false;
  return true;
}

/* Nothing on this worker can cause another message. A feature that keeps messages, or work that leads to some, joins
 * the list of holders. */
bool scree__locally_idle(const scree__worker *me) {
  return !me->lanes.open && !me->out.waiting_count && !me->out.self[0].queue.head && !me->out.self[1].queue.head &&
         no_block_at_hand(me) && no_holder_holds(me);
}

/* ---- one step ---- */

static void check_fault(scree__worker *me) {
  scree__fault *fault = me->transport->fault;
  SCREE__INVARIANT(!fault->written_off || fault->text[0]);
  me->end.handled += fault->written_off;
  fault->written_off = 0;
  me->end.doubtful += fault->doubtful;
  fault->doubtful = 0;
  if (!fault->status) return;
  const scree_status status = fault->status;
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
  if (!moved) return false;
  scree__resume(me);
  me->watch.idle_turns = me->watch.busy_turns = 0;
  return true;
}

/* The same, followed by the work of holders; not in a send, where no block may be free for what they send. */
bool scree__turn(scree__worker *me) {
  bool moved = scree__progress(me);
  for (scree__holder *h = me->holders; h; h = h->next)
    if (h->ops->turn) moved = h->ops->turn(me, h, moved);
  return moved;
}

/* How much a service has moved for other endpoints of the rank, which it serves one path after another. */
static uint64_t count_served(const scree__worker *me) {
  uint64_t moved = 0;
  for (uint32_t c = 0; c < me->world->classes; c++)
    if (me->path[c]->service) moved += me->path[c]->service->moved;
  return moved;
}

/* Called instead of waiting, after a step in which nothing moved. */
void scree__backoff(scree__worker *me) {
  scree__transport *t = me->transport;
  if (scree__is_traced(&me->tracer) && !me->tracer.wait_begun)
    scree__tracer_wait(&me->tracer, SCREE__EVENT_IDLE, scree__now(me), me->watch.idle_turns);
  if (t->service && count_served(me) != me->watch.served) { /* nothing moved, but for others of the rank */
    me->watch.served = count_served(me);
    me->watch.idle_turns = 0;
  }
  scree__count_idle_turn(me);
  t->scheduler->ops->backoff(t->scheduler, me->watch.idle_turns);
}

bool scree_progress(scree_worker *worker) {
  scree__worker *me = scree__worker_of(worker);
  if (scree__outside_handlers(me, "scree_progress") != SCREE_OK) return false;
  if (!me->in_epoch) {
    scree__misuse(me, SCREE_ESTATE, "scree_progress", "no epoch is open: call scree_begin first");
    return false;
  }
  me->pace.polls++;
  me->watch.call = SCREE__CALL_PROGRESS;
  bool moved = scree__turn(me);
  if (!moved) scree__backoff(me);
  if (me->watch.idle_turns % 64 == 63) scree__has_ended(me); /* an open round may tell of a failure: decision 3 */
  me->watch.call = SCREE__CALL_NONE;
  return moved;
}
