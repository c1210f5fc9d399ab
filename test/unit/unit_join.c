/* unit_join.c - what a thread that joins a world keeps of the worlds that it used before. */
#include <pthread.h>

#include "core/epoch.h"
#include "harness.h"
#include "threads_transport.h"

typedef struct {
  scree_world *joined, *own;
  bool remembers;
} scene;

static void close_own(scree_worker *w, void *scene_) {
  const scene *s = scene_;
  if (w->index == 1) check_equal(scree_close(s->own), SCREE_OK);
}

static void *use_both(void *scene_) {
  scene *s = scene_;
  check_equal(scree_begin(scree_worker_of(s->own, 0)), SCREE_OK);
  check_equal(scree_end(scree_worker_of(s->own, 0), NULL), SCREE_OK);
  check_equal(scree_join_workers(s->joined, 2, 1, close_own, s), SCREE_OK);
  s->remembers = scree__here() != NULL;
  return NULL;
}

/* The thread would read the worker of a world that is gone when it next begins an epoch. */
static void closed_inside(void **unused) {
  scree_options options = SCREE_OPTIONS_INIT;
  threads_node nodes[2];
  scene s = {NULL, NULL, false};
  pthread_t thread;
  (void)unused;
  check(threads_open(&nodes[0], 1, &options));
  options.threads = 2;
  check(threads_open(&nodes[1], 1, &options));
  s.own = threads_world(&nodes[0], 0);
  s.joined = threads_world(&nodes[1], 0);
  check(s.own && s.joined);
  if (pthread_create(&thread, NULL, use_both, &s)) abort();
  check_equal(scree_join_workers(s.joined, 2, 0, close_own, &s), SCREE_OK);
  pthread_join(thread, NULL);
  check(!s.remembers);
  check_equal(scree_close(s.joined), SCREE_OK);
  for (int i = 0; i < 2; i++) threads_close(&nodes[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(closed_inside),
};

HARNESS_MAIN(tests)
