/* thread.c - threads of the system. */
#include "thread/thread.h"

#include <sched.h>
#include <unistd.h>

long scree__thread_cores(void) {
  return sysconf(_SC_NPROCESSORS_ONLN);
}

long scree__thread_allowed(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

int scree__thread_make(pthread_t *thread, void *(*fn)(void *arg), void *arg) {
  return pthread_create(thread, NULL, fn, arg);
}

void scree__thread_join(pthread_t thread) {
  pthread_join(thread, NULL);
}

void scree__thread_lock(pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
}

void scree__thread_unlock(pthread_mutex_t *lock) {
  pthread_mutex_unlock(lock);
}

void scree__thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock) {
  pthread_cond_wait(changed, lock);
}

void scree__thread_wake(pthread_cond_t *changed) {
  pthread_cond_broadcast(changed);
}
