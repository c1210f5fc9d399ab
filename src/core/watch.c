/* watch.c - when the hang report is printed: by request, which a signal handler may make, and in silence, when nothing has
 * moved for the hang timeout, in an epoch or in a gather outside of them. */
#include <string.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/progress.h"

/* ns after a requested report until the next one, which answers all requests in between. */
enum { INTERVAL = 1000000000 };

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

/* Relaxed, for hang reports of others on the node. */
static void show(const scree__worker *me, scree__call call) {
  const scree__transport *t = me->transport;
  AO_store(&t->slots[t->topology->node_index].call, call);
}

void scree__show_call(scree__worker *me, scree__call call) {
  me->watch.call = call;
  show(me, call);
}

/* The program has work, or waits for what does not come. It is not waited for here, so that the hook is not called. */
void scree__count_busy_turn(scree__worker *me) {
  if ((me->watch.busy_turns++ & 1023) != 0) return;
  const uint64_t limit = me->world->options.hang_timeout, at = scree__now(me);
  if (me->watch.busy_turns == 1) {
    me->watch.busy_since = at;
    me->watch.hang_reported = false;
  }
  show(me, me->watch.call);
  if (limit == 0 || me->watch.hang_reported || at - me->watch.busy_since < limit) return;
  me->watch.hang_reported = true;
  print_report(me->world);
}

static void check_silence(scree__worker *me) {
  uint64_t limit = me->world->options.hang_timeout, at = scree__now(me);
  show(me, me->watch.call ? me->watch.call : SCREE__CALL_SEND);
  if (me->watch.idle_turns == 1) {
    me->watch.last_progress = at;
    me->watch.hang_reported = false;
  }
  if (limit == 0 || me->watch.hang_reported || at - me->watch.last_progress < limit) return;
  me->watch.hang_reported = true;
  print_report(me->world);
  if (me->world->hang_hook) me->world->hang_hook(me->world, SCREE_EPEER, me->world->hang_arg);
}

/* A turn in which nothing moved. */
void scree__count_idle_turn(scree__worker *me) {
  me->watch.idle_turns++;
  if ((me->watch.idle_turns & 1023) == 1) check_silence(me);
}

void scree_hang_hook(scree_world *world, scree_hang_fn *hook, void *arg) {
  if (scree__dropped(world->worker[0], "scree_hang_hook", SCREE_ALL)) return;
  world->hang_hook = hook;
  world->hang_arg = arg;
}

/* The end of the gather is looked at first, so that who leaves it has noted the failure, which names another rank. Relaxed: see
 * scree__node_fail. */
static bool wait(void *context) {
  scree__worker *me = context;
  scree__scheduler *s = me->transport->scheduler;
  const bool over = me->transport->fault->lost || scree__is_of_gather(AO_load(&me->transport->page->failed));
  scree__check_for_failure(me);
  scree__take_early_notice(me);
  scree__print_requested_report(me);
  scree__count_idle_turn(me);
  s->ops->backoff(s, me->watch.idle_turns);
  return !over;
}

/* Every rank's bytes to every rank, on behalf of `call`. Where it fails, so does the world: ranks that wait for this one learn
 * of it, in the gather or in their next epoch. Collective, as scree__collective_ops says. */
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
  scree_status status = c->ops->gather(c, mine, all, bytes);
  me->watch.idle_turns = 0;
  scree__show_call(me, before);
  if (status == SCREE_OK) return status;
  scree__fail_gather(me, status, call);
  return me->failure.status;
}
