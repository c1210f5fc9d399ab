/* counters.c - the end of an epoch: what workers count and contribute, and what the detectors read of them.
 *
 * An epoch has ended when sum(completed) == sum(created) + the tokens expected of all workers so far: each worker that
 * takes part adds one extra completion per epoch, its epoch token, when it is first idle, so no epoch ends before all
 * of them have begun it (Mattern, Distributed Computing 2 (1987); Sinha, Kale & Ramkumar 1993). All ranks know the
 * number of workers of every epoch, so the sum is a formula.
 *
 * Memory order. A block that a completed count includes was counted in created (relaxed), then published (release,
 * acquire: inbox.h), handled, and counted in completed (release), which the detector reads (acquire) before it reads
 * created: it sees the creation. So created, as read, covers all that completed covers; if the sums match, it covers
 * nothing else. Suppose that a block is created and not covered. Its creator made it after the contribution that the
 * detector read, so because of another block or hold that is not covered either; follow these back. The first was made
 * before its creator's contribution, so the detector sees its creation: the sums do not match. Holds are counted in the
 * same way, by held and released; hence released is a release of its own: the detector may read it from a later
 * contribution than completed, and must then see what that worker received, and what it created, before that
 * contribution. */
#include "base/invariant.h"
#include "detect/detect.h"

static scree__node_slot *slot_of(const scree__detection *d) {
  const scree__transport *t = d->transport;
  return &t->slots[t->topology->node_index];
}

/* Relaxed: the publication follows, which is a release (inbox.h) or an MPI message: so a rank that sees a block sees
 * the count that includes it. So does a detector that sees what this worker contributes later, which is a release
 * too. */
void scree__count_created(scree__detection *d) {
  scree__yield_point(d->transport);
  SCREE__INVARIANT(d->start + d->created - AO_load(&slot_of(d)->created) == 1);
  AO_store(&slot_of(d)->created, d->start + d->created);
  scree__yield_point(d->transport);
}

/* The same, where the caller publishes by passing the work to another worker. */
void scree__count_held(scree__detection *d) {
  scree__yield_point(d->transport);
  SCREE__INVARIANT(d->held - AO_load(&slot_of(d)->held) <= UINT32_MAX);
  AO_store(&slot_of(d)->held, d->held);
  scree__yield_point(d->transport);
}

/* Relaxed: the releases of scree__contribute follow. False: it was that already. */
static bool store(AO_t *word, uint64_t *stored, uint64_t value) {
  if (value == *stored) return false;
  AO_store(word, value);
  *stored = value;
  return true;
}

static uint64_t ops_of(const scree_reduce *r) {
  uint64_t ops = 0;
  for (uint32_t i = 0; i < SCREE__VALUES; i++) ops |= (uint64_t)r->value[i].op << 8 * i;
  return ops;
}

static bool store_contribution(scree__detection *d, const scree_reduce *contribution, uint64_t verdict) {
  static const scree_reduce neutral = SCREE_REDUCE_INIT;
  scree__node_slot *slot = slot_of(d);
  const scree_reduce *r = contribution ? contribution : &neutral;
  const uint64_t ops = contribution ? ops_of(r) : 0;
  bool changed = store(&slot->verdict, &d->verdict, verdict);
  changed |= store(&slot->contribution[0], &d->contribution[0], r->sum[0]);
  changed |= store(&slot->contribution[1], &d->contribution[1], r->sum[1]);
  changed |= store(&slot->contribution[2], &d->contribution[2], r->min);
  changed |= store(&slot->contribution[3], &d->contribution[3], r->max);
  changed |= store(&slot->ops, &d->ops, ops);
  for (uint32_t i = 0; ops && i < SCREE__VALUES; i++)
    changed |= store(&slot->value[i], &d->value[i], (uint64_t)r->value[i].of.integer);
  return changed;
}

/* Only when the worker is locally idle and holds no postponed work: a count that rose when a handler returned would end
 * epochs early, because what that handler postponed is not counted yet. Three releases, because a detector in between
 * may see one without those after it: whichever it sees, it sees what this worker created, and its contribution to the
 * reduction. The loads are of words that only this worker writes. `contributed` is a release of its own, for
 * scree__all_contributed. */
void scree__contribute(scree__detection *d, const scree_reduce *contribution, uint64_t verdict, bool failed) {
  scree__node_slot *slot = slot_of(d);
  AO_t acknowledged = failed;
  uint64_t tokens = d->tokens + 1;
  uint64_t completed = d->start + d->handled + tokens;
  if (!store_contribution(d, contribution, verdict) && d->contributed && completed == d->completed &&
      AO_load(&slot->released) == d->released && AO_load(&slot->failure_acknowledged) == acknowledged &&
      AO_load(&slot->doubtful) == d->doubtful)
    return; /* does not touch the cache line */
  SCREE__INVARIANT((int64_t)(completed - AO_load(&slot->completed)) >= 0);
  d->contributed = true;
  d->completed = completed;
  scree__yield_point(d->transport);
  AO_store(&slot->doubtful, d->doubtful); /* relaxed: the releases follow */
  AO_store_release(&slot->released, d->released);
  AO_store_release(&slot->failure_acknowledged, acknowledged);
  AO_store_release(&slot->completed, completed);
  AO_store_release(&slot->contributed, d->epoch + 1);
  scree__yield_point(d->transport);
}

/* The endpoint with that index in the group. One that takes no part may have acknowledged a failure of this epoch all
 * the same, while it left an earlier one. After a failed gather the ranks may differ in how many of their workers take
 * part: only the first one of each surely does. Relaxed: see scree__node_fail. */
static bool takes_part(const scree__detection *d, uint32_t i) {
  const uint32_t endpoints = d->endpoints;
  if (endpoints == 1) return true;
  if (AO_load(&d->transport->page->failed) & SCREE__IN_GATHER) return i % endpoints == 0;
  return scree__is_member(d, i % endpoints);
}

/* Relaxed: what a worker stored before it acknowledged the failure is seen; a later value serves as well. */
static uint64_t read_doubtful(const scree__group *group) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < group->size; i++) sum += AO_load(&group->slots[i].doubtful);
  return sum;
}

/* All completed first, then all created: the other order misses blocks created in between. The acquires of the first
 * loop pair with scree__contribute and order the second loop after it, whose loads are relaxed: what they must see was
 * stored before what those acquired. So was what scree__read_contributions reads, and any failure that a rank knew of
 * when it contributed. */
void scree__read_counters(scree__detection *d, scree__round *round_sums) {
  scree__transport *t = d->transport;
  const scree__group *group = &d->group;
  uint64_t completed = 0, created = 0, released = 0, held = 0, members = 0, unacknowledged = 0;
  for (uint32_t i = 0; i < group->size; i++) {
    completed += AO_load_acquire(&group->slots[i].completed);
    released += AO_load_acquire(&group->slots[i].released);
    if (takes_part(d, i)) {
      members++;
      unacknowledged += !AO_load_acquire(&group->slots[i].failure_acknowledged);
    }
    scree__yield_point(t);
  }
  for (uint32_t i = 0; i < group->size; i++) {
    created += AO_load(&group->slots[i].created);
    held += AO_load(&group->slots[i].held);
    scree__yield_point(t);
  }
  d->rounds.count++;
  round_sums->completed = completed;
  round_sums->created = created;
  round_sums->released = released;
  round_sums->held = held;
  round_sums->unacknowledged = unacknowledged;
  round_sums->doubtful = unacknowledged < members ? read_doubtful(group) : 0;
  round_sums->failed = AO_load(&t->page->failed);
}

static __attribute__((noinline)) void read_values(const scree__node_slot *slot, uint64_t ops,
                                                  scree__round *round_sums) {
  for (uint32_t v = 0; v < SCREE__VALUES; v++)
    scree__round_add_value(round_sums, v, scree__op_of(ops, v), AO_load(&slot->value[v]));
}

/* Once the sums match no contribution changes any more: a worker that changes its own is busy. Those that take no part
 * have left theirs of an earlier epoch. Relaxed: they were stored before the releases that scree__read_counters
 * acquired. */
void scree__read_contributions(const scree__detection *d, scree__round *round_sums) {
  const scree__group *group = &d->group;
  uint64_t sum[2] = {0, 0}, min = UINT64_MAX, max = 0, verdict = 0;
  round_sums->ops = 0;
  for (uint32_t i = 0; i < group->size; i++) {
    if (!takes_part(d, i)) continue;
    const scree__node_slot *slot = &group->slots[i];
    sum[0] += AO_load(&slot->contribution[0]);
    sum[1] += AO_load(&slot->contribution[1]);
    const uint64_t low = AO_load(&slot->contribution[2]), high = AO_load(&slot->contribution[3]);
    const uint64_t key = AO_load(&slot->verdict), ops = AO_load(&slot->ops);
    if (low < min) min = low;
    if (high > max) max = high;
    if (key > verdict) verdict = key;
    if (ops) read_values(slot, ops, round_sums);
  }
  round_sums->sum[0] = sum[0];
  round_sums->sum[1] = sum[1];
  round_sums->min = min;
  round_sums->max = max;
  round_sums->verdict = verdict;
}

/* The failure key with which the epoch ends: that of the workers, else the one of different operations in a
 * reduction. */
static uint64_t verdict_of(const scree__round *round_sums) {
  bool differ = false;
  for (uint32_t v = 0; round_sums->ops && v < SCREE__VALUES; v++)
    differ |= scree__op_of(round_sums->ops, v) == SCREE__OPS_DIFFER;
  return round_sums->verdict || !differ ? round_sums->verdict : SCREE__OPS_KEY;
}

/* Release: a worker that sees the epoch ended (acquire) sees its result; so the words are relaxed. A verdict counts
 * where no failure is known; then it is on the node's page before any of its workers leaves, so that none has to notify
 * others. */
void scree__announce(const scree__detection *d, const scree__round *round_sums) {
  scree__node_page *page = d->group.page;
  AO_store(&page->result[0], round_sums->sum[0]);
  AO_store(&page->result[1], round_sums->sum[1]);
  AO_store(&page->result[2], round_sums->min);
  AO_store(&page->result[3], round_sums->max);
  AO_store(&page->ops, round_sums->ops);
  for (uint32_t v = 0; round_sums->ops && v < SCREE__VALUES; v++) AO_store(&page->value[v], round_sums->value[v]);
  uint64_t outcome = round_sums->failed ? round_sums->failed : verdict_of(round_sums);
  if (outcome && round_sums->doubtful) outcome |= SCREE__DOUBTFUL;
  if (outcome) scree__node_fail(d->transport->page, outcome);
  AO_store(&page->outcome, outcome);
  AO_store_release(&page->ended, d->epoch + 1);
}

static uint64_t expected_tokens(const scree__detection *d) {
  return (uint64_t)d->ranks * d->owed;
}

/* All that was created by `later` has been completed by `first`, the tokens of this epoch included. When all workers
 * have acknowledged a failure, and so create nothing more, work that is still held no longer counts, and as many blocks
 * may be missing as sends have failed: those may arrive or not (decision 3). After a failed gather the ranks may differ
 * in the tokens that they expect; so nothing is counted, and the epoch ends when all have acknowledged the failure. */
bool scree__balanced(const scree__detection *d, const scree__round *first, const scree__round *later) {
  const bool acknowledged = first->unacknowledged == 0;
  if (first->failed & SCREE__IN_GATHER) return acknowledged;
  const int64_t missing = (int64_t)(later->created + expected_tokens(d) - first->completed);
  SCREE__INVARIANT(missing >= 0 || (first == later && d->group.count > 1)); /* one round reads at different times */
  if (missing != 0 && !(acknowledged && first->doubtful && missing <= (int64_t)first->doubtful)) return false;
  return acknowledged || first->released == later->held;
}

/* Fails the world if more was released than held: the epoch would never end. A hold counts at once and comes before its
 * release, so what `later` has read of holds includes the hold of each release that `first` has read. A world that has
 * failed keeps its own reason: there a hold that was refused may have been released. */
void scree__check_releases(const scree__detection *d, const scree__round *first, const scree__round *later) {
  if (!later->failed && (int64_t)(first->released - later->held) > 0)
    scree__node_fail(d->transport->page, SCREE__RELEASES_KEY);
}

/* True if every worker of the group that takes part has added its token. Acquire, pairs with scree__contribute: what is
 * read after this was read after they had contributed, which the rule of an epoch in which nothing happened needs. For
 * the other rule it only saves rounds. */
bool scree__all_contributed(const scree__detection *d) {
  const scree__group *group = &d->group;
  for (uint32_t i = 0; i < group->size; i++)
    if (takes_part(d, i) && (int64_t)(AO_load_acquire(&group->slots[i].contributed) - d->epoch) <= 0) return false;
  return true;
}

/* ---- a trace ---- */

void scree__time_round(scree__detection *d) {
  scree__scheduler *s = d->transport->scheduler;
  d->trace.begun = d->trace.ring->events ? s->ops->now(s) : 0;
}

/* An idle worker may read the counters millions of times a second: of rounds that read the same the first is
 * recorded. */
void scree__record_round(scree__detection *d, scree__event_kind kind, const scree__round *sums, bool over) {
  scree__scheduler *s = d->transport->scheduler;
  if (!d->trace.begun || (!over && sums->completed == d->trace.completed && sums->created == d->trace.created)) return;
  scree__event event = {.kind = kind, .begin = d->trace.begun, .end = s->ops->now(s), .type = over};
  event.number = sums->created + expected_tokens(d) - sums->completed;
  d->trace.completed = sums->completed;
  d->trace.created = sums->created;
  scree__ring_add(d->trace.ring, event);
}
