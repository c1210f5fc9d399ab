/* scheduler.h - time, and what a rank does that has nothing to do: the policy of real ranks is in idle.h, the
 * simulator has its own. */
#ifndef SCREE__SCHEDULER_H
#define SCREE__SCHEDULER_H
#include <stdint.h>

typedef struct scree__scheduler scree__scheduler;

/* All slots are called by the worker's thread, at any time while the world is open, as often as it likes. */
typedef struct {
  /* `polls` counts the idle polls since something moved, from 1. May spin, yield the core or sleep for a bounded time,
   * or pass the simulator's token. */
  void (*backoff)(scree__scheduler *, uint32_t polls);
  /* A point at which the simulator may let another rank run; NULL outside the simulator. */
  void (*yield_point)(scree__scheduler *);
  /* Nanoseconds. Never blocks. */
  uint64_t (*now)(scree__scheduler *);
} scree__scheduler_ops;

struct scree__scheduler {
  const scree__scheduler_ops *ops;
};
#endif
