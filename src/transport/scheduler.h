/* scheduler.h - time, what an idle endpoint does, and the threads of a rank: the policy of real ranks
 * is in idle.h, the simulator has its own. */
#ifndef SCREE__SCHEDULER_H
#define SCREE__SCHEDULER_H
#include <pthread.h>
#include <stdint.h>

typedef struct scree__scheduler scree__scheduler;

/* All slots are called by the endpoint's thread, at any time while the world is open, as often as it likes. */
typedef struct {
  /* `polls` counts the idle polls since something moved, from 1. May spin, yield the core or sleep for a bounded time,
   * or pass the simulator's token. */
  void (*backoff)(scree__scheduler *, uint32_t polls);
  /* A point at which the simulator may let another rank run; NULL outside the simulator. */
  void (*yield_point)(scree__scheduler *);
  /* Nanoseconds. Never blocks. */
  uint64_t (*now)(scree__scheduler *);

  /* By the first worker's thread, while no epoch is open. Starts fn(arg) on a new thread of the rank: 0, or the
   * system's error number; waits until a thread has returned. */
  int (*make)(scree__scheduler *, pthread_t *thread, void *(*fn)(void *arg), void *arg);
  void (*join)(scree__scheduler *, pthread_t thread);
  /* Blocks until a wake, or less; the caller holds the lock, and holds it again at the end. No yield point comes while
   * it is held. */
  void (*wait)(scree__scheduler *, pthread_cond_t *changed, pthread_mutex_t *lock);
  void (*wake)(scree__scheduler *, pthread_cond_t *changed);
} scree__scheduler_ops;

struct scree__scheduler {
  const scree__scheduler_ops *ops;
};
#endif
