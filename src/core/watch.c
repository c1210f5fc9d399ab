/* watch.c - when the hang report is printed: by request, which a signal handler may make, and in silence, when nothing has
 * moved for the hang timeout. */
#include "core/epoch.h"
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

static void check_silence(scree__worker *me) {
  uint64_t limit = me->world->options.hang_timeout, at = scree__now(me);
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
