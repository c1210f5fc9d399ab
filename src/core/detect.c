/* detect.c - the end of an epoch: the counters, the workers' contributions, the detector of a node and the detection
 * rounds between nodes.
 *
 * An epoch has ended when sum(completed) == sum(created) + the tokens owed by all workers so far: each worker that takes
 * part adds one extra completion per epoch, its epoch token, when it is first idle, so no epoch ends before all of them
 * have begun it (Mattern, Distributed Computing 2 (1987); Sinha, Kale & Ramkumar 1993). All ranks know the number of
 * workers of every epoch, so the sum is a formula.
 *
 * Memory order. A block that a completed count includes was counted in created (release), then published (release,
 * acquire: inbox.h), handled, and counted in completed (release), which the detector reads (acquire) before it reads
 * created: it sees the creation. So created, as read, covers all that completed covers; if the sums match, it covers
 * nothing else. Suppose that a block is created and not covered. Its creator made it after the contribution that the
 * detector read, so because of another block or hold that is not covered either; follow these back. The first was made
 * before its creator's contribution, so the detector sees its creation: the sums do not match. Holds are counted in the
 * same way, by held and released; hence released is a release of its own: the detector may read it from a later
 * contribution than completed, and must then see what that worker received, and what it created, before that
 * contribution. */
#include "core/world.h"

static scree__node_slot *slot_of(const scree__worker *me) {
  const scree__transport *t = me->transport;
  return &t->slots[t->topology->node_index];
}

/* Pairs with the detector's acquire. The publication follows, a release too (inbox.h) or an MPI message: so a rank that
 * sees a block sees the count that includes it. */
void scree__count_created(scree__worker *me) {
  scree__yield_point(me->transport);
  AO_store_release(&slot_of(me)->created, me->world->options.counter_start + me->created);
  scree__yield_point(me->transport);
}

/* The same, where the caller publishes by handing the work to another worker. */
void scree__count_held(scree__worker *me) {
  scree__yield_point(me->transport);
  AO_store_release(&slot_of(me)->held, me->held);
  scree__yield_point(me->transport);
}

static bool store_contribution(scree__worker *me, const scree_reduce *contribution) {
  const scree_reduce neutral = {{0, 0}, UINT64_MAX, 0};
  if (!contribution) contribution = &neutral;
  const uint64_t words[4] = {contribution->sum[0], contribution->sum[1], contribution->min, contribution->max};
  bool changed = false;
  for (int i = 0; i < 4; i++) {
    if (words[i] == me->contribution[i]) continue;
    AO_store(&slot_of(me)->contribution[i], words[i]); /* relaxed: the releases below follow */
    me->contribution[i] = words[i];
    changed = true;
  }
  return changed;
}

/* Only when the worker is locally idle and holds no postponed work: a count that rose when a handler returned would end
 * epochs early, since what that handler postponed is not counted yet. Three releases, since a detector in between may
 * see one without those behind it: whichever it sees, it sees what this worker created, and its contribution to the
 * reduction. The loads are of words that only this worker writes. `contributed` is a release of its own, for
 * all_contributed. */
void scree__contribute(scree__worker *me, const scree_reduce *contribution) {
  scree__node_slot *slot = slot_of(me);
  AO_t acknowledged = me->failed;
  uint64_t tokens = me->tokens + 1;
  uint64_t completed = me->world->options.counter_start + me->handled + tokens;
  if (!store_contribution(me, contribution) && me->contributed && completed == me->completed &&
      AO_load(&slot->released) == me->released && AO_load(&slot->failure_acknowledged) == acknowledged)
    return; /* does not touch the cache line */
  me->contributed = true;
  me->completed = completed;
  scree__yield_point(me->transport);
  AO_store_release(&slot->released, me->released);
  AO_store_release(&slot->failure_acknowledged, acknowledged);
  AO_store_release(&slot->completed, completed);
  AO_store_release(&slot->contributed, me->epoch + 1);
  scree__yield_point(me->transport);
}

/* The endpoint with that index on the node. One that takes no part may have acknowledged a failure of this epoch all the
 * same, while it left an earlier one. */
static bool takes_part(const scree__worker *me, uint32_t i) {
  const uint32_t endpoints = me->world->endpoints;
  return endpoints == 1 || scree__is_member(me, i % endpoints);
}

/* All completed first, then all created: the other order misses blocks created in between. The acquires of the first
 * loop pair with scree__contribute and order the second loop after it; those of the second order read_contributions
 * after it. */
static scree__round read_counters(scree__worker *me) {
  scree__transport *t = me->transport;
  scree__round round_sums = {.min = UINT64_MAX};
  for (uint32_t i = 0; i < t->topology->node_size; i++) {
    round_sums.completed += AO_load_acquire(&t->slots[i].completed);
    round_sums.released += AO_load_acquire(&t->slots[i].released);
    if (takes_part(me, i)) round_sums.failure_acknowledged += AO_load_acquire(&t->slots[i].failure_acknowledged);
    scree__yield_point(t);
  }
  for (uint32_t i = 0; i < t->topology->node_size; i++) {
    round_sums.created += AO_load_acquire(&t->slots[i].created);
    round_sums.held += AO_load_acquire(&t->slots[i].held);
    scree__yield_point(t);
  }
  me->detection_rounds++;
  return round_sums;
}

/* Once the sums match no contribution changes any more: a worker that changes its own is busy. Those that take no part
 * have left theirs of an earlier epoch. Relaxed: they were stored
 * before the releases that read_counters acquired, as was any failure that a rank knew of when it contributed. */
static void read_contributions(const scree__worker *me, scree__round *round_sums) {
  const scree__transport *t = me->transport;
  for (uint32_t i = 0; i < t->topology->node_size; i++) {
    if (!takes_part(me, i)) continue;
    const AO_t *contribution = t->slots[i].contribution;
    scree__round one = {.sum = {AO_load(&contribution[0]), AO_load(&contribution[1])},
                        .min = AO_load(&contribution[2]),
                        .max = AO_load(&contribution[3])};
    scree__round_add(round_sums, &one);
  }
  round_sums->failed = AO_load(&t->page->failed);
}

/* Release: a rank that sees the epoch ended (acquire) sees its result; so the words are relaxed. */
static void announce(const scree__worker *me, const scree__round *round_sums) {
  scree__node_page *page = me->transport->page;
  const uint64_t words[4] = {round_sums->sum[0], round_sums->sum[1], round_sums->min, round_sums->max};
  for (int i = 0; i < 4; i++) AO_store(&page->result[i], words[i]);
  AO_store(&page->outcome, round_sums->failed);
  AO_store_release(&page->ended, me->epoch + 1);
}

static uint64_t expected_tokens(const scree__worker *me) {
  return (uint64_t)me->head.ranks * me->owed;
}

/* All that was created by `later` has been completed by `first`, the tokens of this epoch included. Work that is still
 * held no longer counts when all workers have acknowledged a failure. */
static bool balanced(const scree__worker *me, const scree__round *first, const scree__round *later) {
  if (first->completed != later->created + expected_tokens(me)) return false;
  return first->released == later->held || first->failure_acknowledged == (uint64_t)me->head.ranks * scree__members(me);
}

/* Acquire: pairs with announce. */
static bool ended(const scree__worker *me) {
  return AO_load_acquire(&me->transport->page->ended) > me->epoch;
}

/* Has every worker of the node that takes part added its token? Acquire, pairs with scree__contribute: what is read behind
 * this was read after they had contributed, which nothing_happened needs. On one node it only saves rounds. */
static bool all_contributed(const scree__worker *me) {
  const scree__transport *t = me->transport;
  for (uint32_t i = 0; i < t->topology->node_size; i++)
    if (takes_part(me, i) && AO_load_acquire(&t->slots[i].contributed) <= me->epoch) return false;
  return true;
}

/* Prefetches the lines that the detector is about to read: behind the lock's atomic operation it would wait for each in
 * turn. */
static void prefetch_slots(const scree__worker *me) {
  const scree__transport *t = me->transport;
  for (uint32_t i = 0; i < t->topology->node_size; i++) {
    __builtin_prefetch(&t->slots[i].created);
    __builtin_prefetch(&t->slots[i].contribution);
  }
}

static void time_round(scree__worker *me) {
  me->round_begun = scree__is_traced(me) ? scree__now(me) : 0;
}

static void record_round(scree__worker *me, scree__event_kind kind, const scree__round *sums, bool over) {
  if (me->round_begun) scree__trace_round(me, kind, sums, expected_tokens(me), over);
}

/* One node: any idle worker detects; the try-lock keeps two from announcing at the same time. Acquire when it is taken,
 * release when it is cleared: the next holder sees that the epoch has ended. */
static void detect_on_node(scree__worker *me) {
  scree__node_page *page = me->transport->page;
  if (!all_contributed(me)) return;
  prefetch_slots(me);
  if (AO_test_and_set_acquire(&page->lock) != AO_TS_CLEAR) return;
  if (!ended(me)) {
    time_round(me);
    scree__round round_sums = read_counters(me);
    bool over = balanced(me, &round_sums, &round_sums);
    if (over) {
      read_contributions(me, &round_sums);
      announce(me, &round_sums);
    }
    record_round(me, SCREE__EVENT_ROUND, &round_sums, over);
  }
  AO_CLEAR(&page->lock);
}

static void start_round(scree__worker *me) {
  scree__transport *t = me->transport;
  if (!all_contributed(me)) return;
  time_round(me);
  scree__round round_sums = read_counters(me);
  read_contributions(me, &round_sums);
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
static void judge_round(scree__worker *me, const scree__round *round_sums) {
  bool over = (me->has_last_round && balanced(me, &me->last_round, round_sums)) || nothing_happened(me, round_sums);
  me->has_last_round = !over;
  me->last_round = *round_sums;
  record_round(me, SCREE__EVENT_REDUCTION, round_sums, over);
  if (!over) return;
  me->has_end_round = true;
  me->end_round = *round_sums;
  announce(me, round_sums);
}

static void detect_between_nodes(scree__worker *me, bool idle) {
  scree__transport *t = me->transport;
  if (t->topology->node_index != 0) return; /* not the leader */
  scree__round round_sums;
  if (me->round_open && t->collective->ops->round_test(t->collective, &round_sums)) {
    me->round_open = false;
    judge_round(me, &round_sums);
  }
  if (!me->round_open && idle && !ended(me)) start_round(me);
}

/* True when the epoch has ended everywhere. */
bool scree__detect(scree__worker *me) {
  scree__yield_point(me->transport);
  if (ended(me)) return true;
  bool idle = me->contributed && scree__locally_idle(me);
  if (me->transport->topology->nodes > 1)
    detect_between_nodes(me, idle);
  else if (idle)
    detect_on_node(me);
  return ended(me);
}
