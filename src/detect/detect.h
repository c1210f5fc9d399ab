/* detect.h - how the end of an epoch is found. The option detector says whose counters (counters.c) one leader reads: those
 * of a node (`node`), or of a rank (`flat`). Leaders find out by detection rounds (rounds.c) what the others have read. */
#ifndef SCREE__DETECT_H
#define SCREE__DETECT_H
#include "core/world.h"

/* rounds.c: one step of a group's leader, where there are several groups; `idle`: the leader is. Never blocks. */
void scree__step_rounds(scree__worker *me, bool idle);

/* counters.c */
bool scree__all_contributed(const scree__worker *me);
scree__round scree__read_counters(scree__worker *me);
void scree__read_contributions(const scree__worker *me, scree__round *sums);
uint64_t scree__expected_tokens(const scree__worker *me);
bool scree__balanced(const scree__worker *me, const scree__round *first, const scree__round *later);
void scree__announce(const scree__worker *me, const scree__round *sums);

/* Acquire: pairs with scree__announce. */
static inline bool scree__ended(const scree__worker *me) {
  return AO_load_acquire(&me->group.page->ended) > me->epoch;
}

static inline void scree__time_round(scree__worker *me) {
  me->round_begun = scree__is_traced(me) ? scree__now(me) : 0;
}
static inline void scree__record_round(scree__worker *me, scree__event_kind kind, const scree__round *sums, bool over) {
  if (me->round_begun) scree__trace_round(me, kind, sums, scree__expected_tokens(me), over);
}
#endif
