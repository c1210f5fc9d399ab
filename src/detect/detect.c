/* detect.c - the end of an epoch, by detection rounds between the leaders of groups; a group alone detects by itself. */
#include "detect/detect.h"

void scree__detector_choose(scree__worker *me) {
  const scree__transport *t = me->transport;
  const scree__topology *at = t->topology;
  if (me->world->options.detector == SCREE_DETECTOR_FLAT)
    me->group = (scree__group){.slots = t->slots + (at->node_index - me->head.index),
                               .size = me->world->endpoints,
                               .index = me->head.index,
                               .count = me->head.ranks,
                               .page = &me->world->page};
  else
    me->group = (scree__group){
        .slots = t->slots, .size = at->node_size, .index = at->node_index, .count = at->nodes, .page = t->page};
}

const char *scree__detector_name(const scree_world *world) {
  return world->options.detector == SCREE_DETECTOR_FLAT ? "flat" : "node";
}

/* Prefetches the lines that the detector is about to read: behind the lock's atomic operation it would wait for each in
 * turn. */
static void prefetch_slots(const scree__group *group) {
  for (uint32_t i = 0; i < group->size; i++) {
    __builtin_prefetch(&group->slots[i].created);
    __builtin_prefetch(&group->slots[i].contribution);
  }
}

/* One group: any idle worker detects; the try-lock keeps two from announcing at the same time. Acquire when it is taken,
 * release when it is cleared: the next holder sees that the epoch has ended. */
static void detect_alone(scree__worker *me) {
  scree__node_page *page = me->group.page;
  if (!scree__all_contributed(me)) return;
  prefetch_slots(&me->group);
  if (AO_test_and_set_acquire(&page->lock) != AO_TS_CLEAR) return;
  if (!scree__ended(me)) {
    scree__time_round(me);
    scree__round sums = scree__read_counters(me);
    bool over = scree__balanced(me, &sums, &sums);
    if (over) {
      scree__read_contributions(me, &sums);
      scree__announce(me, &sums);
    }
    scree__record_round(me, SCREE__EVENT_ROUND, &sums, over);
  }
  AO_CLEAR(&page->lock);
}

/* True when the epoch has ended everywhere. */
bool scree__detect(scree__worker *me) {
  scree__yield_point(me->transport);
  if (scree__ended(me)) return true;
  bool idle = me->contributed && scree__locally_idle(me);
  if (me->group.count == 1) {
    if (idle) detect_alone(me);
  } else if (me->group.index == 0) {
    scree__step_rounds(me, idle);
  }
  return scree__ended(me);
}
