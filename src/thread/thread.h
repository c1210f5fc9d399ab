/* thread.h - threads, and the means by which they wait for each other. A test that simulates threads in one thread
 * replaces these functions by its own. */
#ifndef SCREE__THREAD_H
#define SCREE__THREAD_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/invariant.h"

/* Cores of this machine that are online, and those that the calling thread may run on; 0 or less: unknown. */
long scree__thread_cores(void);
long scree__thread_allowed(void);

/* Starts fn(arg) on a new thread. Returns 0, or the system's error number. */
int scree__thread_make(pthread_t *thread, void *(*fn)(void *arg), void *arg);
/* Waits until the thread has returned. */
void scree__thread_join(pthread_t thread);

/* A lock that may be held during a call of MPI. */
void scree__thread_lock(pthread_mutex_t *lock);
void scree__thread_unlock(pthread_mutex_t *lock);

/* Ends a lock, which must have been unlocked as often as it was locked. */
static inline void scree__thread_end_lock(pthread_mutex_t *lock) {
  const int in_use = pthread_mutex_destroy(lock);
  SCREE__INVARIANT(!in_use);
}

/* Waits for a wake. The caller holds the lock, and holds it again when this returns, perhaps without a wake. */
void scree__thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock);
/* Wakes all threads that wait for it. */
void scree__thread_wake(pthread_cond_t *changed);

/* ---- pin.c ---- */

/* Of the ranks that may run on the same cores: this one's index, and their number; 0: it is alone. */
typedef struct {
  uint32_t index, of;
} scree__core_share;

/* The same number in threads that may run on the same cores; 0 where they are unknown. */
uint64_t scree__thread_allowed_hash(void);

/* The index, among `cores` cores, of the core of thread i of such a rank of `count` threads, of which thread 0 is not
 * bound. With enough cores each rank has a range of its own, in their order; else bound threads are scattered in
 * turn. */
uint32_t scree__pin_core(scree__core_share share, uint32_t count, uint32_t cores, uint32_t i);

/* Binds threads 1 to count - 1 to cores of those that the calling thread may run on, which counts as thread 0 and is
 * not bound. Neighbouring cores, or scattered; in turn, where there are fewer cores. Ranks that share cores use
 * different ones, as far as there are enough. False: the reason is in why[size], and some are bound. */
bool scree__thread_pin(const pthread_t *threads, uint32_t count, scree__core_share share, bool scatter, char *why,
                       size_t size);
#endif
