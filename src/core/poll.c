/* poll.c - poll functions: what a worker calls in a step of its progress loop in which nothing moved. They run as
 * handlers do: their sends never wait, and no send calls them. A worker is idle only in a step in which it has called
 * all of them, and each has returned that it holds nothing (docs/decisions/0002-idle.md). */
#include <stdlib.h>

#include "core/epoch.h"
#include "core/fail.h"
#include "core/holder.h"
#include "core/progress.h"
#include "core/send.h"

#define NAME "scree_on_idle"
#define CAUSE                                                                                                          \
  "this worker was idle, no handler has run on it since, and it has released no hold: let the thread that passes "     \
  "work to it "                                                                                                        \
  "call scree_hold first, and the poll function scree_release when it takes the work"

/* What a worker knows of the poll functions, as of its last progress step. */
typedef enum { IDLE, NOT_ASKED, HOLD } polling;
typedef struct {
  scree__holder holder; /* must be first */
  polling state;
} polls;
_Static_assert(sizeof(polls) <= SCREE__LINE, "on a line of its own");

/* In a checked world: true if work of a poll function would be without a cause now. */
static bool has_no_cause(const scree__worker *me) {
  return me->world->checked && me->end.contributed && me->settled == scree__causes(me);
}

bool scree__breaks_poll_rule(const scree__worker *me) {
  return scree__in_poll(me) && has_no_cause(me);
}

void scree__fail_poll_rule(scree__worker *me, const char *call, const char *what) {
  scree__fail(me, SCREE_ESTATE, call, "%s by a poll function, but " CAUSE, what);
}

static bool call_one(scree__worker *me, uint32_t i) {
  const scree__poll_entry *poll = &me->world->polls[i];
  me->in.handler = SCREE__IN_POLL;
  const bool holds = poll->fn(&me->head, poll->arg);
  me->in.handler = 0;
  if (holds && !me->failed && has_no_cause(me))
    scree__fail(me, SCREE_ESTATE, NAME, "poll function %u of %u holds work again, but " CAUSE, i + 1,
                me->world->poll_count);
  return holds;
}

static bool call_all(scree__worker *me) {
  bool holds = false;
  for (uint32_t i = 0; i < me->world->poll_count && !me->failed; i++) holds |= call_one(me, i);
  return holds;
}

static bool hold_work(scree__worker *me, polls *p) {
  p->state = HOLD;
  scree__resume(me);
  scree__count_idle_turn(me); /* nothing moved: if that lasts, there is a report */
  return true;
}

/* True: something moved, or one of them holds work. What they send goes to private memory where no block is free, so
 * while much of it is in use they are not called, just as a send outside handlers waits. */
static bool turn(scree__worker *me, scree__holder *holder, bool moved) {
  polls *p = (polls *)holder;
  SCREE__INVARIANT(!me->in.handler && me->world->poll_count <= SCREE_POLLS_MAX);
  const bool held = p->state == HOLD;
  p->state = me->failed ? IDLE : NOT_ASKED;
  if (moved || me->failed || scree__overflowing(me)) return moved;
  if (call_all(me) && !me->failed) return hold_work(me, p);
  p->state = IDLE;
  if (held) me->watch.idle_turns = 0; /* they have done it */
  return false;
}

static bool held(const scree__worker *me, const scree__holder *holder) {
  (void)me;
  return ((const polls *)holder)->state != IDLE;
}

static void free_polls(scree__holder *holder) {
  free(holder);
}

static const scree__holder_ops ops = {.held = held, .turn = turn, .free = free_polls};

bool scree__polls_hold(const scree__worker *me) {
  const polls *p = (const polls *)scree__holder_of(me, &ops);
  return p && p->state == HOLD;
}

void scree__polls_forget(scree_world *world) {
  world->poll_count = 0;
}

static bool join(scree_world *world) {
  for (uint32_t w = 0; w < world->endpoints; w++) {
    scree__worker *me = world->worker[w];
    if (scree__holder_of(me, &ops)) continue;
    polls *p = aligned_alloc(SCREE__LINE, SCREE__LINE); /* written in each progress step, by one worker */
    if (!p) return false;
    *p = (polls){.holder.ops = &ops};
    scree__holder_join(me, &p->holder);
  }
  return true;
}

scree_status scree_on_idle(scree_world *world, scree_idle_fn *fn, void *arg) {
  scree_status refused = scree__in_idle_world(world, NAME);
  if (refused) return refused;
  scree__worker *me = world->worker[0];
  if (scree__agreed(world)) return scree__agreed(world);
  if (!fn) return scree__misuse(me, SCREE_EINVAL, NAME, "no function: pass one");
  if (world->poll_count == SCREE_POLLS_MAX)
    return scree__misuse(me, SCREE_EINVAL, NAME, "a world has at most %d poll functions: let one of them call others",
                         SCREE_POLLS_MAX);
  if (!join(world)) return scree__misuse(me, SCREE_ENOMEM, NAME, "no memory: free memory on this host");
  world->polls[world->poll_count++] = (scree__poll_entry){fn, arg};
  return SCREE_OK;
}
