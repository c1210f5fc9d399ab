/* sim_standing.c - which calls the hang report names where ranks wait for one that leaves out a call, on their node or
 * others: what each of them sends when it makes no progress. Also over the simulated MPI. */
#include <scree/scree_sim.h>
#include <string.h>

#include "base/tools.h"
#include "capture.h"
#include "core/world.h"
#include "harness.h"

SCREE_MESSAGE(tick, uint64_t);
static void on_tick(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {}
SCREE_HANDLER(tick, uint64_t, on_tick);

/* Rank 1 leaves out an epoch, or a type. */
static void leave_out(scree_world *world, void *epoch) {
  scree_worker *w = scree_worker_of(world, 0);
  tick_type tick;
  if (w->rank == 1) return;
  check_equal(epoch ? scree_begin(w) : SCREE_OK, SCREE_OK);
  check_equal(epoch ? scree_end(w, NULL) : tick_register(world, NULL, &tick), epoch ? SCREE_OK : SCREE_EPEER);
}

static void check_calls(bool epoch, const char *text_of_0, const char *text_of_1) {
  for (uint32_t nodes = 1; nodes <= 3; nodes++) {
    const scree_sim_config config = {.seed = nodes, .ranks = 3, .nodes = nodes, .max_steps = 300000};
    scree_options options = SCREE_OPTIONS_INIT;
    options.hang_timeout = 1000000;
    char *text = capture_run(&config, &options, leave_out, epoch ? &options : NULL, SCREE_EPEER);
    check_contains(text, text_of_0);
    check_contains(text, text_of_1);
    free(text);
  }
}

HARNESS_TEST(left_out_an_epoch) {
  check_calls(true, "  rank 0: idle in 2 epochs so far, now in scree_close\n",
              "  rank 1: idle in 1 epochs so far, now or last in scree_close, which has closed the world\n");
}

/* Over MPI such ranks are in different collective calls, and the simulated one ends there. */
static void find_level(scree_world *world, void *over_mpi) {
  *(bool *)over_mpi = strcmp(scree_thread_level(world), "none") != 0;
}
static void skip_over_mpi(void) {
  const scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1};
  bool over_mpi = false;
  check_equal(scree_sim_run(&config, NULL, find_level, &over_mpi, NULL), SCREE_OK);
  if (over_mpi) harness_skip("the ranks are in different collective calls of MPI");
}

HARNESS_TEST(left_out_a_type) {
  skip_over_mpi();
  check_calls(false, "  rank 0: idle in 0 epochs so far, now in scree_register\n",
              "  rank 1: idle in 1 epochs so far, now or last in scree_close\n");
  check_calls(false, "  rank 0: idle in 0 epochs so far, now or last in scree_register\n",
              "  rank 1: idle in 1 epochs so far, now in scree_close\n");
}

/* Rank 1 fails where the others register, and closes: they wait a second for it, which could register too. */
static void fail_alone(scree_world *world, void *late) {
  scree__worker *me = scree__worker_of(scree_worker_of(world, 0));
  scree__scheduler *s = me->transport->scheduler;
  tick_type tick;
  while (late && scree__now(me) < 1500000000) s->ops->backoff(s, 1000);
  const uint64_t from = scree__now(me);
  if (me->head.rank == 1) {
    scree_fail(&me->head, SCREE_ENOMEM, "as planned");
    return;
  }
  check_equal(tick_register(world, NULL, &tick), SCREE_ENOMEM);
  check(scree__now(me) - from >= 900000000);
}

HARNESS_TEST(failed_alone) {
  skip_over_mpi();
#ifdef SCREE__ASAN
  harness_skip("after such a failure memory that MPI may still use is not freed, which is a leak to the sanitizer");
#endif
  for (uint32_t nodes = 1; nodes <= 3; nodes++) {
    const scree_sim_config config = {.seed = nodes, .ranks = 3, .nodes = nodes, .quiet = true};
    check_equal(scree_sim_run(&config, NULL, fail_alone, nodes == 2 ? &nodes : NULL, NULL), SCREE_ENOMEM);
  }
}

HARNESS_MAIN
