/* detect.c - the end of an epoch, by detection rounds between the leaders of groups; a group alone detects by
 * itself. */
#include "detect/detect.h"
#include "base/invariant.h"

/* All that has been counted before is balanced: the tokens of a rank are its first worker's. */
static uint64_t first_tokens(const scree__options *options, uint32_t index) {
  return index == 0 ? scree__first_count(options, SCREE__COUNTS_TOKENS) : 0;
}

void scree__detection_first(const scree__options *options, uint32_t index, scree__node_slot *slot,
                            scree__node_page *page) {
  const uint64_t blocks = scree__first_count(options, SCREE__COUNTS_BLOCKS);
  const uint64_t holds = scree__first_count(options, SCREE__COUNTS_HOLDS);
  const uint64_t epoch = scree__first_count(options, SCREE__COUNTS_EPOCHS);
  AO_store(&slot->created, blocks);
  AO_store(&slot->completed, blocks + first_tokens(options, index));
  AO_store(&slot->held, holds);
  AO_store(&slot->released, holds);
  AO_store(&slot->contributed, epoch);
  AO_store(&page->ended, epoch);
}

void scree__detection_init(scree__detection *d, scree__transport *t, uint32_t threads, uint32_t endpoints,
                           const scree__options *options, scree__node_page *page, scree__ring *ring) {
  const scree__topology *at = t->topology;
  const uint32_t index = scree__topology_worker(at);
  *d = (scree__detection){.transport = t,
                          .start = scree__first_count(options, SCREE__COUNTS_BLOCKS),
                          .first = scree__first_count(options, SCREE__COUNTS_EPOCHS),
                          .epoch = scree__first_count(options, SCREE__COUNTS_EPOCHS),
                          .owed = scree__first_count(options, SCREE__COUNTS_TOKENS),
                          .tokens = first_tokens(options, index),
                          .held = scree__first_count(options, SCREE__COUNTS_HOLDS),
                          .released = scree__first_count(options, SCREE__COUNTS_HOLDS),
                          .ranks = scree__topology_ranks(at),
                          .endpoints = endpoints,
                          .threads = threads,
                          .trace = {.ring = ring}};
  if (options->detector == SCREE_DETECTOR_FLAT)
    d->group = (scree__group){t->slots + (at->node_index - index), endpoints, index, d->ranks, page};
  else
    d->group = (scree__group){t->slots, at->node_size, at->node_index, at->nodes, t->page};
  SCREE__INVARIANT(d->group.index < d->group.size && d->group.count * (uint64_t)d->group.size >= endpoints);
}

/* Prefetches the lines that the detector is about to read: after the lock's atomic operation it would wait for each in
 * turn. */
static void prefetch_slots(const scree__group *group) {
  for (uint32_t i = 0; i < group->size; i++) {
    __builtin_prefetch(&group->slots[i].created);
    __builtin_prefetch(&group->slots[i].contribution);
  }
}

/* One group: any idle worker detects; the try-lock keeps two from announcing at the same time. Acquire when it is
 * taken, release when it is cleared: the next holder sees that the epoch has ended. */
static void detect_alone(scree__detection *d) {
  scree__node_page *page = d->group.page;
  if (!scree__all_contributed(d)) return;
  prefetch_slots(&d->group);
  if (AO_test_and_set_acquire(&page->lock) != AO_TS_CLEAR) return;
  if (!scree__ended(d)) {
    SCREE__INVARIANT(AO_load(&page->ended) == d->epoch);
    scree__time_round(d);
    scree__round sums;
    scree__read_counters(d, &sums);
    bool over = scree__balanced(d, &sums, &sums);
    if (!over) scree__check_releases(d, &sums, &sums);
    if (over) {
      scree__read_contributions(d, &sums);
      scree__announce(d, &sums);
    }
    scree__record_round(d, SCREE__EVENT_ROUND, &sums, over);
  }
  AO_CLEAR(&page->lock);
}

scree_status scree__detect(scree__detection *d, bool idle, bool *ended) {
  scree_status status = SCREE_OK;
  scree__yield_point(d->transport);
  *ended = scree__ended(d);
  if (*ended) return SCREE_OK;
  if (d->group.count == 1) {
    if (idle) detect_alone(d);
  } else if (d->group.index == 0) {
    status = scree__step_rounds(d, idle);
  }
  *ended = scree__ended(d);
  return status;
}
