/* ring.h - the events of one endpoint: a ring of fixed size, which keeps the newest. */
#ifndef SCREE__RING_H
#define SCREE__RING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  SCREE__EVENT_EPOCH,     /* number: of the epoch */
  SCREE__EVENT_BATCH,     /* one handler call; number: items */
  SCREE__EVENT_IDLE,      /* nothing moved; number: progress steps */
  SCREE__EVENT_FULL,      /* a send waited for a block; number: as above */
  SCREE__EVENT_LOCK,      /* another worker of the rank was in MPI */
  SCREE__EVENT_ROUND,     /* a detection round on a node; number: blocks and epoch tokens that are outstanding */
  SCREE__EVENT_REDUCTION, /* one between nodes; number: as above. The leader continues meanwhile */
  SCREE__EVENT_TASK,      /* a task ran until it waited or returned; number: of the task, among those of its worker */
  SCREE__EVENT_STEAL,     /* a worker without work got some; number: closures */
  SCREE__EVENTS
} scree__event_kind;

typedef struct {
  uint64_t begin, end; /* ns, of this host's clock */
  uint64_t number;
  uint32_t type;   /* BATCH: of the messages, TASK: of those that spawn it; ROUND, REDUCTION: 1 if it ended the epoch */
  uint32_t source; /* BATCH: endpoint of their origin, or SCREE_NO_SOURCE */
  uint32_t kind;
} scree__event;

/* Written by the endpoint's thread alone; opened, read and closed while that thread does nothing. */
typedef struct {
  _Alignas(64) scree__event *events; /* NULL: nothing is recorded */
  uint64_t room;
  uint64_t next;  /* index of the event after the newest */
  uint64_t total; /* recorded, those that were overwritten included */
} scree__ring;

static inline void scree__ring_add(scree__ring *ring, scree__event event) {
  ring->events[ring->next] = event;
  if (++ring->next == ring->room) ring->next = 0;
  ring->total++;
}

/* Makes an empty ring, all of whose pages are there. False: no memory. */
bool scree__ring_open(scree__ring *ring, uint64_t room);
void scree__ring_close(scree__ring *ring);
/* Events that it holds. */
uint64_t scree__ring_held(const scree__ring *ring);
/* Copies up to n of them, beginning with the i-th oldest; returns how many. */
size_t scree__ring_read(const scree__ring *ring, uint64_t i, scree__event *to, size_t n);
#endif
