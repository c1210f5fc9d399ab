/* ring.c - Safra's ring (Dijkstra, EWD 998): a probe visits one rank after the other, adds up what it has read, and is
 * black if it has met a rank that completed something since the visit before. A yardstick for detection rounds.
 *
 * A visit reads the counters as a detection round does. White and balanced means: what each rank had completed at the
 * visit before, it has completed now, and that is all that was created by now. So what was completed by probe n equals
 * what was created by probe n + 1, which is the rule of rounds.c; the visits of a probe all precede those of the next. The
 * visit before may be that of the probe that ended the epoch before: then nothing was completed in this epoch, hence
 * nothing created, and since all workers had contributed when they were read, nothing will be (decision 30).
 *
 * Rank 0 starts probes and judges them, one at a time. When one is white and balanced, rank 0 passes the result round, and
 * each rank passes it on before it leaves the epoch. So in an epoch of n probes P ranks send P n + P - 1 messages. */
#include "detect/detect.h"

static bool is_first(const scree__worker *me) {
  return me->head.rank == 0;
}

/* Tokens are no blocks: each rank has added the same number of them, by formula. */
static void visit(scree__worker *me) {
  scree__probing *p = &me->probing;
  scree__round mine = scree__read_counters(me);
  const uint64_t completed = mine.completed - me->owed;
  scree__read_contributions(me, &mine);
  p->probe.black |= !p->visited || completed != p->completed || mine.released != p->released;
  p->visited = true;
  p->completed = completed;
  p->released = mine.released;
  scree__round_add(&p->probe.sums, &mine);
}

/* The probe stays until all workers of the rank have contributed: until then the rank may send of its own accord. */
static void visit_when_idle(scree__worker *me, bool idle) {
  if (!idle || !scree__all_contributed(me)) return;
  visit(me);
  me->probing.at = SCREE__PROBE_LEAVES;
}

static void start_probe(scree__worker *me, bool idle) {
  me->probing.probe = (scree__probe){.sums.min = UINT64_MAX};
  scree__time_round(me);
  visit_when_idle(me, idle);
}

/* Released and held are compared by the same probe, or all have acknowledged a failure by the one before: see
 * scree__balanced. */
static bool is_over(const scree__worker *me, const scree__probe *probe) {
  scree__round first = probe->sums;
  first.failure_acknowledged = me->has_last_round ? me->last_round.failure_acknowledged : 0;
  return (!probe->black && scree__balanced(me, &first, &probe->sums)) || scree__declared_over(me, &probe->sums);
}

/* By rank 0. A probe that ends nothing is followed by another one. */
static void judge(scree__worker *me) {
  scree__probing *p = &me->probing;
  p->probe.over = is_over(me, &p->probe);
  me->has_last_round = !p->probe.over;
  me->last_round = p->probe.sums;
  scree__record_round(me, SCREE__EVENT_REDUCTION, &p->probe.sums, p->probe.over);
  p->at = p->probe.over ? SCREE__PROBE_LEAVES : SCREE__PROBE_AWAY;
  p->out = false;
}

static void take(scree__worker *me) {
  scree__probing *p = &me->probing;
  scree__collective *c = me->transport->collective;
  if (!c->ops->probe_take(c, &p->probe)) return;
  if (is_first(me))
    judge(me);
  else
    p->at = p->probe.over ? SCREE__PROBE_LEAVES : SCREE__PROBE_HERE;
}

/* The result goes no further than to the last rank. Whoever passes it on has done so before it leaves the epoch: nobody
 * else would. */
static void pass(scree__worker *me) {
  scree__probing *p = &me->probing;
  scree__collective *c = me->transport->collective;
  const bool last = me->head.rank + 1 == me->head.ranks;
  if (!(last && p->probe.over)) {
    if (!c->ops->probe_pass(c, &p->probe)) return;
    me->detection_messages++;
  }
  p->at = SCREE__PROBE_AWAY;
  if (p->probe.over)
    scree__announce(me, &p->probe.sums);
  else
    p->out = is_first(me);
}

static void step(scree__worker *me, bool idle) {
  scree__probing *p = &me->probing;
  if (p->at == SCREE__PROBE_AWAY && is_first(me) && !p->out)
    start_probe(me, idle);
  else if (p->at == SCREE__PROBE_AWAY)
    take(me);
  if (p->at == SCREE__PROBE_HERE) visit_when_idle(me, idle);
  if (p->at == SCREE__PROBE_LEAVES) pass(me);
}

static const char *state(const scree__worker *me) {
  static const char *const texts[] = {[SCREE__PROBE_AWAY] = "",
                                      [SCREE__PROBE_HERE] = ", a probe waits here",
                                      [SCREE__PROBE_LEAVES] = ", a probe is about to leave"};
  return texts[me->probing.at];
}

const scree__detector scree__detector_ring = {.name = "ring", .by_rank = true, .step = step, .state = state};
