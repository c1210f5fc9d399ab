/* poll.c - poll functions: what a worker calls in a turn of its progress loop in which nothing moved. They run as handlers
 * do: their sends never wait, and they are entered from no send. A worker is idle only in a turn in which it has asked all
 * of them, and each has said that it holds nothing (docs/decisions/0043-poll-functions.md). */
#include "core/world.h"

#define NAME "scree_on_idle"
#define CAUSE                                                                                                          \
  "this worker was idle, no handler has run on it since, and it has released no hold: have whoever hands work to it "  \
  "call scree_hold first, and the poll function scree_release when it takes the work"

static uint64_t count_causes(const scree__worker *me) {
  return me->batches + me->released;
}

/* The worker is idle, and has contributed: what has happened so far is no cause of further work. */
void scree__polls_settle(scree__worker *me) {
  me->poll_causes = count_causes(me);
}

/* In a checked world: would work of a poll function be without a cause now? */
static bool has_no_cause(const scree__worker *me) {
  return me->world->checked && me->contributed && me->poll_causes == count_causes(me);
}

bool scree__breaks_poll_rule(const scree__worker *me) {
  return scree__in_poll(me) && has_no_cause(me);
}

void scree__fail_poll_rule(scree__worker *me, const char *call, const char *what) {
  scree__fail(me, SCREE_ESTATE, call, "%s by a poll function, but " CAUSE, what);
}

static bool ask(scree__worker *me, uint32_t i) {
  const scree__poll_entry *poll = &me->world->polls[i];
  me->in_handler = SCREE__IN_POLL;
  const bool holds = poll->fn(&me->head, poll->arg);
  me->in_handler = 0;
  if (holds && !me->failed && has_no_cause(me))
    scree__fail(me, SCREE_ESTATE, NAME, "poll function %u of %u holds work again, but " CAUSE, i + 1,
                me->world->poll_count);
  return holds;
}

static bool ask_all(scree__worker *me) {
  bool holds = false;
  for (uint32_t i = 0; i < me->world->poll_count && !me->failed; i++) holds |= ask(me, i);
  return holds;
}

static bool hold_work(scree__worker *me) {
  me->polling = SCREE__POLLS_HOLD;
  if (me->wait_begun) scree__trace_resume(me);
  scree__count_idle_turn(me); /* nothing moved: if that lasts, there is a report */
  return true;
}

/* Behind a turn, in a world with poll functions. True: something moved, or one of them holds work. What they send goes to
 * private memory where no block is free, so as long as there is much of that they are not asked, as a send outside
 * handlers waits. */
bool scree__poll(scree__worker *me, bool moved) {
  const bool held = me->polling == SCREE__POLLS_HOLD;
  me->polling = me->failed ? SCREE__POLLS_IDLE : SCREE__POLLS_NOT_ASKED;
  if (moved || me->failed || scree__overflowing(me)) return moved;
  if (ask_all(me) && !me->failed) return hold_work(me);
  me->polling = SCREE__POLLS_IDLE;
  if (held) me->idle_rounds = 0; /* they have done it */
  return false;
}

scree_status scree_on_idle(scree_world *world, scree_idle_fn *fn, void *arg) {
  scree__worker *me = world->worker[0];
  scree_status refused = scree__in_idle_world(world, NAME);
  if (refused) return refused;
  if (scree__agreed(world)) return scree__agreed(world);
  if (!fn) return scree__misuse(me, SCREE_EINVAL, NAME, "no function: pass one");
  if (world->poll_count == SCREE_POLLS_MAX)
    return scree__misuse(me, SCREE_EINVAL, NAME, "a world has at most %d poll functions: let one of them call others",
                         SCREE_POLLS_MAX);
  world->polls[world->poll_count++] = (scree__poll_entry){fn, arg};
  return SCREE_OK;
}
