#include "joined.h"

#include <pthread.h>

#include "harness.h"

static void *call(void *arg) {
  joiner *j = arg;
  j->status = scree_join_workers(j->world, j->n, j->index, j->fn, j->arg);
  return NULL;
}

void joined_call(joiner *callers, uint32_t count) {
  pthread_t threads[JOINED_MAX];
  for (uint32_t i = 1; i < count; i++)
    if (pthread_create(&threads[i], NULL, call, &callers[i])) abort(); /* the others would wait for it */
  call(&callers[0]);
  for (uint32_t i = 1; i < count; i++) pthread_join(threads[i], NULL);
}

scree_status joined_run(scree_world *world, uint32_t n, scree_work_fn *fn, void *arg) {
  joiner callers[JOINED_MAX];
  for (uint32_t i = 0; i < n; i++) callers[i] = (joiner){.world = world, .n = n, .index = i, .fn = fn, .arg = arg};
  joined_call(callers, n);
  for (uint32_t i = 1; i < n; i++) check_equal(callers[i].status, callers[0].status);
  return callers[0].status;
}
