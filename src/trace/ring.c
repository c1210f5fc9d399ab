/* ring.c - making and reading a ring of events. */
#include "trace/ring.h"

#include "base/huge.h"

enum { PAGE = 4096 };

/* A page that is first touched while events are recorded would be allocated then. */
static void touch(volatile char *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += PAGE) at[i] = 0;
}

bool scree__ring_open(scree__ring *ring, uint64_t room) {
  size_t bytes = (size_t)room * sizeof(scree__event);
  *ring = (scree__ring){.events = scree__huge_alloc(bytes, true, false), .room = room};
  if (ring->events) touch((volatile char *)ring->events, bytes);
  return ring->events != NULL;
}

void scree__ring_close(scree__ring *ring) {
  scree_huge_free(ring->events);
  *ring = (scree__ring){.events = NULL};
}

uint64_t scree__ring_held(const scree__ring *ring) {
  return ring->total < ring->room ? ring->total : ring->room;
}

size_t scree__ring_read(const scree__ring *ring, uint64_t i, scree__event *to, size_t n) {
  uint64_t held = scree__ring_held(ring), oldest = ring->total > ring->room ? ring->next : 0;
  size_t count = 0;
  for (; count < n && i < held; i++) to[count++] = ring->events[(oldest + i) % ring->room];
  return count;
}
