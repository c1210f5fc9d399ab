/* buckets.c - the buckets of Delta-stepping as doubly linked lists through the vertices. */
#include "sssp/buckets.h"

#include <stdlib.h>
#include <string.h>

bool scree__buckets_init(scree__buckets *b, uint64_t vertices, uint64_t span) {
  size_t bytes = (size_t)(vertices + 1) * sizeof(uint32_t), heads = (size_t)(span + 1) * sizeof(uint32_t);
  b->next = malloc(bytes);
  b->previous = malloc(bytes);
  b->set = malloc(bytes);
  b->head = malloc(heads);
  b->span = (uint32_t)span;
  b->waiting = 0;
  if (!b->next || !b->previous || !b->set || !b->head) return false;
  memset(b->set, 0xff, bytes);
  memset(b->head, 0xff, heads);
  return true;
}

void scree__buckets_free(scree__buckets *b) {
  free(b->next);
  free(b->previous);
  free(b->set);
  free(b->head);
}

static void take(scree__buckets *b, uint32_t v) {
  uint32_t set = b->set[v], next = b->next[v], previous = b->previous[v];
  if (set == SCREE__NO_VERTEX32) return;
  if (previous == SCREE__NO_VERTEX32)
    b->head[set] = next;
  else
    b->next[previous] = next;
  if (next != SCREE__NO_VERTEX32) b->previous[next] = previous;
  b->set[v] = SCREE__NO_VERTEX32;
  b->waiting -= set < b->span;
}

static void put(scree__buckets *b, uint32_t v, uint32_t set) {
  if (b->set[v] == set) return;
  take(b, v);
  uint32_t head = b->head[set];
  b->set[v] = set;
  b->next[v] = head;
  b->previous[v] = SCREE__NO_VERTEX32;
  if (head != SCREE__NO_VERTEX32) b->previous[head] = v;
  b->head[set] = v;
  b->waiting += set < b->span;
}

void scree__buckets_put(scree__buckets *b, uint32_t v, uint64_t bucket) {
  put(b, v, (uint32_t)(bucket % b->span));
}

void scree__buckets_settle(scree__buckets *b, uint32_t v) {
  put(b, v, b->span);
}

uint32_t scree__buckets_settled(scree__buckets *b) {
  uint32_t v = b->head[b->span];
  if (v != SCREE__NO_VERTEX32) take(b, v);
  return v;
}

uint64_t scree__buckets_first(const scree__buckets *b, uint64_t from) {
  if (b->waiting == 0) return UINT64_MAX;
  while (scree__buckets_head(b, from) == SCREE__NO_VERTEX32) from++;
  return from;
}
