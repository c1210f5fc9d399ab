/* tracer.h - what an endpoint records of itself while its world is traced: how long it waited, for what, and its
 * epochs. All by the endpoint's thread; with a ring that has no events nothing is recorded. */
#ifndef SCREE__TRACER_H
#define SCREE__TRACER_H
#include "trace/ring.h"

typedef struct {
  scree__ring *ring;
  uint64_t epoch_begun, wait_begun; /* ns, of what is not over yet; 0: of none that is traced */
  scree__event_kind wait_kind;
} scree__tracer;

static inline bool scree__is_traced(const scree__tracer *tracer) {
  return tracer->ring->events != NULL;
}

/* Ends the wait, of so many progress steps, if there is one. */
static inline void scree__tracer_resume(scree__tracer *tracer, uint64_t now, uint64_t turns) {
  if (!tracer->wait_begun) return;
  scree__ring_add(tracer->ring,
                  (scree__event){.begin = tracer->wait_begun, .end = now, .number = turns, .kind = tracer->wait_kind});
  tracer->wait_begun = 0;
}

/* Begins one of that kind, unless it waits for that already. */
static inline void scree__tracer_wait(scree__tracer *tracer, scree__event_kind kind, uint64_t now, uint64_t turns) {
  if (tracer->wait_begun && tracer->wait_kind == kind) return;
  scree__tracer_resume(tracer, now, turns);
  tracer->wait_begun = now;
  tracer->wait_kind = kind;
}

/* The epoch ends. */
static inline void scree__tracer_epoch(scree__tracer *tracer, uint64_t now, uint64_t epoch) {
  scree__ring_add(
      tracer->ring,
      (scree__event){.begin = tracer->epoch_begun, .end = now, .number = epoch, .kind = SCREE__EVENT_EPOCH});
  tracer->epoch_begun = 0;
}
#endif
