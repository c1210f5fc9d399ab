/* rounds.c - detection rounds: the reduction of what all leaders have read. With `node` a node has one leader, which
 * reads the counters that the ranks of the node share; with `flat` a rank has one, and no rank reads the counters of
 * another. */
#include <string.h>

#include "base/invariant.h"
#include "detect/detect.h"

static scree_status start_round(scree__detection *d) {
  scree__collective *c = d->transport->collective;
  if (!scree__all_contributed(d)) return SCREE_OK;
  scree__time_round(d);
  scree__round round_sums;
  scree__read_counters(d, &round_sums);
  memset(round_sums.value, 0, sizeof round_sums.value);
  scree__read_contributions(d, &round_sums);
  const scree_status status = c->ops->round_start(c, &round_sums);
  d->rounds.open = status == SCREE_OK;
  return status;
}

/* No block was created and no work passed on since the round that ended the previous epoch, and all workers had
 * contributed when their counters were read: then no worker has work, or can get any. Holds that are balanced are not
 * enough: decision 30. */
static bool nothing_happened(const scree__detection *d, const scree__round *round_sums) {
  return d->rounds.has_end && round_sums->created == d->rounds.end.created && round_sums->held == d->rounds.end.held;
}

/* One balanced round proves nothing, since its counters are read at different times: the epoch has ended when what was
 * completed by round n equals what was created by round n + 1. MPI orders the former before the latter. An epoch in
 * which nothing happened ends after one round. */
static bool is_over(const scree__detection *d, const scree__round *round_sums) {
  return (d->rounds.has_last && scree__balanced(d, &d->rounds.last, round_sums)) || nothing_happened(d, round_sums);
}

enum { DELAY_MAX = 32 };

/* A round that was not balanced by itself has found work, which the next one, if it came at once, would find again: a
 * reduction takes time from those that wait for a reply. Delays double, so they are short beside the time that the
 * epoch has taken. */
static void delay_next(scree__detection *d, bool balanced) {
  d->rounds.delay = balanced ? 0 : d->rounds.delay ? 2 * d->rounds.delay : 1;
  if (d->rounds.delay > DELAY_MAX) d->rounds.delay = DELAY_MAX;
  d->rounds.idle_steps = 0;
}

static bool is_time(scree__detection *d) {
  if (d->handled != d->rounds.handled) d->rounds.idle_steps = 0;
  d->rounds.handled = d->handled;
  return d->rounds.idle_steps++ >= d->rounds.delay;
}

/* Messages are counted as if each leader but the first sent its share to it and got the sums back: what a reduction
 * takes at least, however MPI does it. A node whose failure notice was lost, because a call of MPI failed, learns of
 * the failure here: work that is held by a failed worker is never released, so that the epoch would not end without
 * it. */
static void judge_round(scree__detection *d, const scree__round *round_sums) {
  bool over = is_over(d, round_sums);
  SCREE__INVARIANT(!d->rounds.open && d->group.index == 0 && !scree__ended(d));
  SCREE__INVARIANT(!d->rounds.has_last || (int64_t)(round_sums->created - d->rounds.last.created) >= 0);
  if (!over && d->rounds.has_last) scree__check_releases(d, &d->rounds.last, round_sums);
  if (d->transport->topology->leaders[0] != d->transport->topology->endpoint) d->rounds.messages += 2;
  d->rounds.has_last = !over;
  d->rounds.last = *round_sums;
  delay_next(d, over || scree__balanced(d, round_sums, round_sums));
  scree__record_round(d, SCREE__EVENT_REDUCTION, round_sums, over);
  if (!over) {
    scree__node_fail(d->transport->page, round_sums->failed);
    return;
  }
  d->rounds.has_end = true;
  d->rounds.end = *round_sums;
  scree__announce(d, round_sums);
}

scree_status scree__step_rounds(scree__detection *d, bool idle) {
  scree__collective *c = d->transport->collective;
  scree__round round_sums;
  if (d->rounds.open && c->ops->round_test(c, &round_sums)) {
    d->rounds.open = false;
    judge_round(d, &round_sums);
  }
  return !d->rounds.open && idle && !scree__ended(d) && is_time(d) ? start_round(d) : SCREE_OK;
}
