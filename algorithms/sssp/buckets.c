/* buckets.c - the buckets of Delta-stepping as lists of vertices. */
#include "sssp/buckets.h"

bool scree__buckets_init(scree__buckets *b, const scree_graph *g, uint64_t span) {
  b->span = (uint32_t)span;
  return scree__lists_init(&b->sets, g, span + 1);
}

static void take(scree__buckets *b, uint32_t v) {
  b->waiting -= b->sets.of[v].list <= b->span;
  scree__lists_take(&b->sets, v);
}

static void put(scree__buckets *b, uint32_t v, uint32_t set) {
  const uint32_t old = b->sets.of[v].list;
  if (old == set + 1) return;
  if (old) take(b, v);
  scree__lists_put(&b->sets, v, set);
  b->waiting += set < b->span;
}

void scree__buckets_put(scree__buckets *b, uint32_t v, uint64_t bucket) {
  put(b, v, (uint32_t)(bucket % b->span));
}

void scree__buckets_settle(scree__buckets *b, uint32_t v) {
  put(b, v, b->span);
}

uint32_t scree__buckets_settled(scree__buckets *b) {
  const uint32_t v = b->sets.head[b->span] - 1;
  if (v != SCREE__NO_VERTEX32) take(b, v);
  return v;
}

uint64_t scree__buckets_first(const scree__buckets *b, uint64_t from) {
  if (b->waiting == 0) return UINT64_MAX;
  while (scree__buckets_head(b, from) == SCREE__NO_VERTEX32) from++;
  return from;
}
