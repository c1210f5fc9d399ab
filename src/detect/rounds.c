/* rounds.c - detection rounds: the reduction of what all leaders have read. With `node` a node has one leader, which reads
 * the counters that the ranks of the node share; with `flat` a rank has one, and no rank reads the counters of another. */
#include "detect/detect.h"

static void start_round(scree__worker *me) {
  scree__transport *t = me->transport;
  if (!scree__all_contributed(me)) return;
  scree__time_round(me);
  scree__round round_sums = scree__read_counters(me);
  scree__read_contributions(me, &round_sums);
  scree_status status = t->collective->ops->round_start(t->collective, &round_sums);
  if (status == SCREE_OK)
    me->round_open = true;
  else
    scree__fail(me, status, "scree_end", "reduction between nodes: %s", t->fault->text);
}

/* No block was created and no work handed over since the round that ended the epoch before, and all had contributed when
 * they were read: then nobody has work, nor can get any. Holds that are balanced are not enough: decision 30. */
static bool nothing_happened(const scree__worker *me, const scree__round *round_sums) {
  return me->has_end_round && round_sums->created == me->end_round.created && round_sums->held == me->end_round.held;
}

/* One balanced round proves nothing, since its counters are read at different times: the epoch has ended when what was
 * completed by round n equals what was created by round n + 1. MPI orders the one before the other. An epoch in which
 * nothing happened ends after one round. */
static bool is_over(const scree__worker *me, const scree__round *round_sums) {
  return (me->has_last_round && scree__balanced(me, &me->last_round, round_sums)) || nothing_happened(me, round_sums);
}

/* Messages are counted as if each leader but the first sent its share to it and got the sums back: what a reduction
 * takes at least, however MPI does it. */
static void judge_round(scree__worker *me, const scree__round *round_sums) {
  bool over = is_over(me, round_sums);
  if (me->transport->topology->leaders[0] != me->endpoint) me->detection_messages += 2;
  me->has_last_round = !over;
  me->last_round = *round_sums;
  scree__record_round(me, SCREE__EVENT_REDUCTION, round_sums, over);
  if (!over) return;
  me->has_end_round = true;
  me->end_round = *round_sums;
  scree__announce(me, round_sums);
}

void scree__step_rounds(scree__worker *me, bool idle) {
  scree__collective *c = me->transport->collective;
  scree__round round_sums;
  if (me->round_open && c->ops->round_test(c, &round_sums)) {
    me->round_open = false;
    judge_round(me, &round_sums);
  }
  if (!me->round_open && idle && !scree__ended(me)) start_round(me);
}
