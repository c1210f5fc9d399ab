/* progress.h - the progress loop: from arrived blocks to handlers, what idle steps do, and waiting. Each function is
 * described where it is defined. */
#ifndef SCREE__PROGRESS_H
#define SCREE__PROGRESS_H
#include "core/world.h"

/* progress.c */
bool scree__progress(scree__worker *me);
bool scree__turn(scree__worker *me);
bool scree__locally_idle(const scree__worker *me);
void scree__backoff(scree__worker *me);

/* dispatch.c: from an arrived block to handlers */
bool scree__dispatch_batch(scree__worker *me);
void scree__take_early_notice(scree__worker *me);
/* Runs the handler of the segment's type on n records. */
void scree__call_handler(scree__worker *me, const scree__segment *segment, const char *at, uint32_t n);

/* poll.c */
/* In a checked world: true if a poll function has no cause to send or hold. */
bool scree__breaks_poll_rule(const scree__worker *me);
void scree__fail_poll_rule(scree__worker *me, const char *call, const char *what);
bool scree__polls_hold(const scree__worker *me);
void scree__polls_forget(scree_world *world);

/* watch.c */
void scree__count_idle_turn(scree__worker *me);
void scree__count_busy_turn(scree__worker *me);
const char *scree__call_name(uint32_t call);
void scree__show_call(scree__worker *me, scree__call call);
void scree__say_standing(const scree__worker *me, bool send);
void scree__print_requested_report(scree__worker *me);
void scree__ignore_past_requests(scree__worker *me);
scree_status scree__gather(scree_world *world, const char *call, const void *mine, void *all, size_t bytes);

/* Something has moved, or a block was found: the wait ends, if one is traced. */
static inline void scree__resume(scree__worker *me) {
  if (me->tracer.wait_begun) scree__tracer_resume(&me->tracer, scree__now(me), me->watch.idle_turns);
}
#endif
