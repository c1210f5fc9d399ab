/* watch.c - when the hang report is printed: on request, which a signal handler may make, and when nothing has moved
 * for the hang timeout, in an epoch or in a gather outside of them. */
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/progress.h"

/* ns: between a requested report and the next one, which answers all requests in between; for how long a gather is
 * waited for in a failed world. */
enum { INTERVAL = 1000000000, DOOMED = 1000000000 };

static void print_report(const scree_world *world) {
  SCREE__FEATURES(f, world)
  if ((*f)->report) (*f)->report(world, stderr);
}

/* Grows with each request; every world prints once when it has a value that it has not seen. */
static AO_t requests;

/* Relaxed, as are the loads below: the count is all that is communicated. Lock-free, so safe in a signal handler. */
void scree_report_request(void) {
  AO_fetch_and_add1(&requests);
}

/* A new world answers requests from now on. */
void scree__ignore_past_requests(scree__worker *me) {
  me->watch.report_seen = (uint32_t)AO_load(&requests);
}

void scree__print_requested_report(scree__worker *me) {
  uint32_t seen = (uint32_t)AO_load(&requests);
  if (seen == me->watch.report_seen) return;
  uint64_t now = scree__now(me);
  if (now < me->watch.next_report) return;
  me->watch.next_report = now + INTERVAL;
  me->watch.report_seen = seen;
  print_report(me->world);
}

const char *scree__call_name(uint32_t call) {
  static const char *const names[] = {
#define NAME(name, text) text,
      SCREE__CALLS(NAME)
#undef NAME
  };
  return call < SCREE__CALL_KINDS ? names[call] : "unknown";
}

/* Relaxed, for hang reports of others on the node. What is there already is not stored again: the line has the
 * contribution to the reduction too, which others read at the end of each epoch. */
static void show(const scree__worker *me, scree__call call) {
  const scree__transport *t = me->transport;
  AO_t *shown = &t->slots[t->topology->node_index].call;
  SCREE__INVARIANT(call < SCREE__CALL_KINDS);
  if (AO_load(shown) != call) AO_store(shown, call);
}

void scree__show_call(scree__worker *me, scree__call call) {
  me->watch.call = call;
  show(me, call);
}

/* No other call makes progress without being noted. */
static void show_waiting(const scree__worker *me) {
  show(me, me->watch.call ? me->watch.call : SCREE__CALL_SEND);
}

/* Sends the state of this node's ranks, its own rank first, to other nodes, for their reports. `send`: now; else only
 * where this rank waits for long while it closes. */
void scree__say_standing(const scree__worker *me, bool send) {
  const scree__transport *t = me->transport;
  const scree__topology *at = t->topology;
  scree__standing all[SCREE__STANDINGS_MAX];
  uint32_t count = 0;
  if (at->nodes == 1 || me->head.index) return;
  for (uint32_t i = 0; i < at->node_size && count < SCREE__STANDINGS_MAX; i += at->threads) {
    const uint32_t k = (at->node_index + i) % at->node_size;
    all[count++] = (scree__standing){.rank = at->node_endpoints[k] / at->threads,
                                     .call = (uint32_t)AO_load(&t->slots[k].call),
                                     .idle = AO_load(&t->slots[k].contributed) - me->end.first};
  }
  t->collective->ops->say(t->collective, all, count, send);
}

/* Nothing has moved since then. True: it is to be reported, once; what others have sent half of that time ago is
 * known. */
static bool is_overlong(scree__worker *me, uint64_t since) {
  const uint64_t limit = me->world->options.hang_timeout, silent = scree__now(me) - since;
  const bool said = me->watch.said;
  if (limit == 0 || me->watch.hang_reported || silent < limit / 2) return false;
  scree__say_standing(me, true);
  me->watch.said = true;
  return me->watch.hang_reported = said && silent >= limit;
}

/* The program has work, or waits for something that does not arrive. The library does not wait here, so the hook is not
 * called. */
void scree__count_busy_turn(scree__worker *me) {
  if ((me->watch.busy_turns++ & 1023) != 0) return;
  if (me->watch.busy_turns == 1) {
    me->watch.busy_since = scree__now(me);
    me->watch.hang_reported = me->watch.said = false;
  }
  show_waiting(me);
  if (is_overlong(me, me->watch.busy_since)) print_report(me->world);
}

static void check_silence(scree__worker *me) {
  show_waiting(me);
  if (me->watch.idle_turns == 1) {
    me->watch.last_progress = scree__now(me); /* after each message that comes alone: the clock is read once */
    me->watch.hang_reported = me->watch.said = false;
    return;
  }
  if (!is_overlong(me, me->watch.last_progress)) return;
  print_report(me->world);
  if (me->world->hang_hook) me->world->hang_hook(me->world, SCREE_EPEER, me->world->hang_arg);
}

/* A step in which nothing moved. Many of the first ones take less than a microsecond, later ones sleep. */
void scree__count_idle_turn(scree__worker *me) {
  me->watch.idle_turns++;
  if ((me->watch.idle_turns & (me->watch.idle_turns < 2048 ? 1023 : 63)) == 1) check_silence(me);
}

void scree_hang_hook(scree_world *world, scree_hang_fn *hook, void *arg) {
  const char *call = "scree_hang_hook";
  if (!world || scree__dropped(world->worker[0], call, SCREE_ALL)) return;
  if (world->running) { /* its threads read the hook */
    scree__misuse(world->worker[0], SCREE_ESTATE, call, "called inside scree_run_workers: call it before");
    return;
  }
  world->hang_hook = hook;
  world->hang_arg = arg;
}

/* A rank that has failed elsewhere may still reach the gather, which is then valid; the wait is short. A rank may leave
 * alone: the others learn of the failure, in the gather or in an epoch. Relaxed: see scree__node_fail. */
static bool is_doomed(scree__worker *me) {
  const uint64_t key = AO_load(&me->transport->page->failed);
  if (!key || scree__is_of_gather(key)) return key != 0;
  if (!me->watch.doomed) me->watch.doomed = scree__now(me);
  return scree__now(me) - me->watch.doomed > DOOMED;
}

/* The end of the gather is checked first, so that a rank that leaves it has noted the failure, which names another
 * rank. */
static bool wait(void *context) {
  scree__worker *me = context;
  scree__scheduler *s = me->transport->scheduler;
  const bool over = me->transport->fault->lost || is_doomed(me);
  scree__check_for_failure(me);
  scree__take_early_notice(me);
  scree__print_requested_report(me);
  scree__count_idle_turn(me);
  s->ops->backoff(s, me->watch.idle_turns);
  return !over;
}

/* Every rank's bytes to every rank, on behalf of `call`. Where it fails, so does the world: ranks that wait for this
 * one learn of it, in the gather or in their next epoch. Collective, as scree__collective_ops says. */
scree_status scree__gather(scree_world *world, const char *call, const void *mine, void *all, size_t bytes) {
  scree__worker *me = world->worker[0];
  scree__collective *c = me->transport->collective;
  c->wait = wait;
  c->context = me;
  scree__call in = SCREE__CALL_KINDS;
  const scree__call before = me->watch.call;
  while (--in > SCREE__CALL_NONE && strcmp(scree__call_name(in), call) != 0) continue;
  scree__show_call(me, in);
  me->watch.idle_turns = 0;
  me->watch.doomed = 0;
  scree_status status = c->ops->gather(c, mine, all, bytes);
  me->watch.idle_turns = 0;
  scree__show_call(me, before);
  if (status == SCREE_OK) return status;
  scree__fail_gather(me, status, call);
  return me->failure.status;
}
