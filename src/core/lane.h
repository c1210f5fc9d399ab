/* lane.h - lanes: filling, flushing, and how full they get. Each function is described where it is defined. */
#ifndef SCREE__LANE_H
#define SCREE__LANE_H
#include "core/world.h"

typedef enum { SCREE__FLUSH_FULL, SCREE__FLUSH_EARLY, SCREE__FLUSH_END } scree__flush_reason;

/* lane.c */
void *scree__lane_slot(scree__worker *me, uint32_t type, uint32_t dest, uint32_t size);
bool scree__lane_open(scree__worker *me, uint32_t type, uint32_t dest, bool may_overflow);
void scree__lane_close(scree__worker *me, uint32_t type, uint32_t dest, scree__flush_reason reason);
void scree__lane_drop(scree__worker *me, scree__block *block);

void scree__flush_all(scree__worker *me, scree__flush_reason reason);
bool scree__flush_aged(scree__worker *me);

scree__hop scree__lane_hop(const scree__worker *me, uint32_t type, uint32_t lane);
uint32_t scree__endpoint_for(const scree__worker *me, uint32_t type, uint32_t lane);

/* coalesce.c: the coalescing size */
size_t scree__coalesce_block(const scree__worker *me);
size_t scree__coalesce_bytes(const scree__worker *me, const scree__lane_state *state);
void scree__coalesce_pace(scree__worker *me, uint64_t now);
void scree__coalesce_adapt(scree__worker *me, scree__lane_state *state, uint32_t dest, size_t bytes,
                           scree__flush_reason reason);

/* The lane of messages to that destination. */
static inline uint32_t scree__lane_of(const scree__worker *me, uint32_t type, uint32_t dest) {
  const scree__type *of = &me->world->types[type];
  return scree__is_routed(of) ? of->next[0][dest] : dest;
}
#endif
