/* mpi_faults.c - a fault on one rank ends the epoch on every rank with the same code: raised by the program, by lack of
 * memory in a handler, by an MPI call that fails.
 *
 * The ranks stay alive; sigkill.sh kills some. */
#include <errno.h>
#include <fcntl.h>

#include <scree/global.h>

#include "core/world.h"
#include "harness.h"
#include "interpose.h"
#include "setting.h"

static int reserves_left = -1; /* so many more reservations of memory succeed; -1: all do */

int posix_fallocate(int fd, off_t at, off_t bytes) {
  if (reserves_left == 0) return ENOSPC;
  if (reserves_left > 0) reserves_left--;
  (void)fd, (void)at, (void)bytes; /* the object has its size, and there is memory enough for a test */
  return 0;
}

/* ---- a program that keeps all ranks busy ---- */

SCREE_MESSAGE(hop, uint32_t); /* how often it still hops */

typedef struct {
  hop_type hop;
  uint64_t handled;
  uint64_t fail_after; /* 0: not in a handler */
  scree_status code;
  uint32_t fan;
} player;

static void on_hop(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  player *me = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    if (++me->handled == me->fail_after) scree_fail(w, me->code, "a fault of the test's");
    for (uint32_t k = 0; items[i] > 0 && k < me->fan; k++)
      hop_send(w, me->hop, (w->rank + items[i] + k) % w->ranks, items[i] - 1);
  }
}
SCREE_HANDLER(hop, uint32_t, on_hop);

/* In addition to the choices of the option: shared memory and MPI by destination, on one machine too. */
enum { TWO_NODES = SCREE_TRANSPORT_MPI + 1, TRANSPORTS };

static scree_world *open_world(uint64_t transport, uint64_t chaos, uint64_t overflow_max, player *me) {
  const setting s = {.transport = transport == TWO_NODES ? SCREE_TRANSPORT_AUTO : transport,
                     .nodes = transport == TWO_NODES ? 2 : 1,
                     .chaos = chaos,
                     .overflow_max = overflow_max,
                     .coalesce_bytes = 64,
                     .test_pool_blocks = 4};
  scree_world *world = setting_open(&s);
  if (world) check_equal(hop_register(world, me, &me->hop), SCREE_OK);
  return world;
}

static scree_status epoch(scree_world *world, player *me, bool tested, uint32_t hops) {
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < 40; i++) hop_send(w, me->hop, i % w->ranks, hops);
  if (!tested) {
    scree_status status = scree_end(w, NULL);
    check_equal(status, scree_error(world));
    return status;
  }
  while (!scree_test(w, true, NULL)) {
  }
  return scree_error(world);
}

/* The epoch fails with this code, everywhere; the world then refuses, and closes. */
static void check_failed(scree_world *world, player *me, bool tested, scree_status code) {
  check_equal(epoch(world, me, tested, 20), code);
  check(scree_error_text(world)[0] != 0);
  check_equal(scree_begin(scree_worker_of(world, 0)), code);
  check_equal(scree_close(world), code);
}

/* ---- the program's faults ---- */

HARNESS_TEST(raised_in_a_handler) {
  for (uint64_t i = 0; i < 12; i++) {
    bool mine = harness_rank == (int)(i % (uint64_t)harness_ranks);
    player me = {.fan = 1, .fail_after = mine ? 1 + 50 * i : 0, .code = SCREE_EMPI};
    scree_world *world = open_world(i % TRANSPORTS, i % 3 == 2 ? i : 0, 0, &me);
    if (!world) return;
    check_failed(world, &me, i & 1, SCREE_EMPI);
  }
}

/* Two ranks fail, with different codes: all see one of them, and the same. */
HARNESS_TEST(raised_by_two) {
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 1};
    if (harness_rank == 0) me.fail_after = 100, me.code = SCREE_ENOMEM;
    if (harness_rank == harness_ranks - 1) me.fail_after = 110, me.code = SCREE_EMPI;
    scree_world *world = open_world(transport, 0, 0, &me);
    if (!world) return;
    scree_status status = epoch(world, &me, transport & 1, 20);
    check(status == SCREE_ENOMEM || status == SCREE_EMPI);
    check(harness_all(status == SCREE_ENOMEM) || harness_all(status == SCREE_EMPI));
    check_equal(scree_close(world), status);
  }
}

/* A rank that is neither in a handler nor idle learns of it too. */
HARNESS_TEST(raised_while_another_works) {
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 1};
    scree_world *world = open_world(transport, 0, 0, &me);
    if (!world) return;
    scree_worker *w = scree_worker_of(world, 0);
    check_equal(scree_begin(w), SCREE_OK);
    if (harness_rank == 0) scree_fail(w, SCREE_EINVAL, "a fault of the test's");
    while (scree_error(world) == SCREE_OK) scree_progress(w); /* never idle until then */
    check_equal(scree_end(w, NULL), SCREE_EINVAL);
    check_contains(scree_error_text(world), harness_rank == 0 ? "a fault of the test's" : "rank 0 reported");
    check_equal(scree_close(world), SCREE_EINVAL);
  }
}

HARNESS_TEST(out_of_memory_in_a_handler) {
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 3};
    scree_world *world = open_world(transport, 0, 1, &me);
    if (!world) return;
    check_failed(world, &me, transport & 1, SCREE_ENOMEM);
  }
}

/* ---- MPI's faults ---- */

static const struct {
  mpi_kind kind, of;
  bool later; /* a round or a credit message that was begun without the fault may end the epoch before */
  bool made;  /* the message arrives all the same */
} faults[] = {{CALL_Isend, CALL_NONE, false, false},   {CALL_Isend, CALL_NONE, false, true},
              {CALL_Irecv, CALL_NONE, false, false},   {CALL_Testsome, CALL_NONE, false, false},
              {CALL_Testsome, CALL_Isend, true, true}, {CALL_Iallreduce, CALL_NONE, false, false},
              {CALL_Test, CALL_Irecv, false, false},   {CALL_Test, CALL_Iallreduce, true, false},
              {CALL_Test, CALL_Isend, true, false},    {CALL_Test, CALL_Isend, true, true}};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Call number `nth` of one rank fails, if it makes so many. A call after the epoch's end, as when the last receive is
 * posted again, fails the next epoch, which is the closing one. */
static void inject(size_t i, long nth, uint64_t transport, uint64_t chaos) {
  const mpi_kind kind = faults[i].kind, of = faults[i].of;
  const bool made = faults[i].made;
  player me = {.fan = 1};
  mpi_fail(kind, of, 0, MPI_SUCCESS);
  scree_world *world = open_world(transport, chaos, 0, &me);
  if (!world) return;
  (made ? mpi_fail_made : mpi_fail)(kind, of, harness_rank == harness_ranks - 1 ? nth : 0, MPI_ERR_OTHER);
  scree_status status = epoch(world, &me, nth & 1, 20);
  const bool struck = mpi_failed(), somewhere = !harness_all(!struck);
  mpi_fail(kind, of, 0, MPI_SUCCESS);
  check(harness_all(status == SCREE_OK) || (harness_all(status == SCREE_EMPI) && somewhere));
  if (!faults[i].later && harness_ranks > 1 && nth < 3 && transport == SCREE_TRANSPORT_MPI)
    check_text(somewhere && status == SCREE_EMPI, "call %ld of %s (fault %zu): %d, %d", nth, mpi_names[kind], i,
               somewhere, (int)status);
  if (status != SCREE_OK) check_equal(scree_error_rank(world), harness_ranks - 1);
  if (struck && status != SCREE_OK)
    check_contains(scree_error_text(world), made && kind == CALL_Testsome ? "MPI_Isend" : mpi_names[kind]);
  scree_status closed = scree_close(world);
  check_text(closed == (somewhere ? SCREE_EMPI : SCREE_OK), "call %ld of %s%s failed, world closed with %d", nth,
             mpi_names[kind], somewhere ? "" : " never", (int)closed);
}

HARNESS_TEST(an_mpi_call_fails) {
  for (size_t i = 0; i < FAULTS; i++)
    for (long nth = 1; nth < 40 && harness_all(harness_failures() == 0); nth += 1 + nth / 3)
      for (uint64_t chaos = 0; chaos < 2; chaos++) {
        inject(i, nth, SCREE_TRANSPORT_MPI, chaos * (uint64_t)nth);
        inject(i, nth, TWO_NODES, chaos * (uint64_t)nth);
      }
}

/* Work that a failed rank holds is never released: the epoch ends because all know of the failure. The send of the
 * first notice of it fails, which is lost or arrives, and no other rank sends one to that rank. */
HARNESS_TEST(a_notice_is_lost) {
  for (int i = 0; i < 4; i++) {
    player me = {.fan = 1};
    scree_world *world = open_world(i & 1 ? TWO_NODES : SCREE_TRANSPORT_MPI, 0, 0, &me);
    if (!world) return;
    scree_worker *w = scree_worker_of(world, 0);
    check_equal(scree_begin(w), SCREE_OK);
    if (harness_rank == 0) {
      scree_hold(w, 1);
      (i & 2 ? mpi_fail_made : mpi_fail)(CALL_Isend, CALL_NONE, 1, MPI_ERR_OTHER);
      scree_fail(w, SCREE_ENOMEM, "a fault of the test's");
      check(mpi_failed() == (harness_ranks > 1));
    }
    check_equal(scree_end(w, NULL), SCREE_ENOMEM);
    mpi_fail(CALL_Isend, CALL_NONE, 0, MPI_SUCCESS);
    check_equal(scree_close(world), SCREE_ENOMEM);
  }
}

/* ---- opening ---- */

static scree_status open_only(uint64_t transport, scree_world **world) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.transport = transport;
  return scree_open_mpi(MPI_COMM_WORLD, &options, world);
}

/* A call that one rank, or all of them, cannot make while opening: no rank gets a world, and none hangs. */
HARNESS_TEST(opening_fails) {
  scree_world *world = NULL;
  for (int all = 0; all < 2; all++)
    for (long nth = 1; nth <= 8; nth += 3) {
      mpi_fail(CALL_Irecv, CALL_NONE, all || harness_rank == harness_ranks - 1 ? nth : 0, MPI_ERR_OTHER);
      virtual_nodes = nth == 4 && harness_ranks > 1 ? 2 : 1;
      check_equal(open_only(virtual_nodes > 1 ? SCREE_TRANSPORT_AUTO : SCREE_TRANSPORT_MPI, &world), SCREE_EMPI);
      virtual_nodes = 1;
      check(world == NULL);
    }
  for (uint64_t transport = SCREE_TRANSPORT_SHM; transport <= SCREE_TRANSPORT_MPI; transport++) {
    mpi_fail(CALL_Comm_dup, CALL_NONE, 1, MPI_ERR_OTHER);
    check_equal(open_only(transport, &world), SCREE_EMPI);
    check(world == NULL);
  }
}

/* One rank has no shared memory: all use MPI, with a note; where shared memory is required, all fail. */
HARNESS_TEST(shared_memory_fails) {
  for (int nodes = 1; nodes <= 2; nodes++)
    for (int after = 0; after < 3; after++) {
      scree_world *world = NULL;
      bool mine = harness_rank == harness_ranks - 1 || after == 2;
      virtual_nodes = nodes;
      reserves_left = mine ? after % 2 : -1;
      check_equal(open_only(SCREE_TRANSPORT_AUTO, &world), SCREE_OK);
      reserves_left = mine ? after % 2 : -1;
      scree_world *none = NULL;
      check_equal(open_only(SCREE_TRANSPORT_SHM, &none), SCREE_ENOMEM);
      check(none == NULL);
      reserves_left = -1;
      virtual_nodes = 1;
      if (!world) return;
      check_contains(world->worker[0]->transport->note, "shared memory is unavailable on some node");
      check_equal(scree_close(world), SCREE_OK);
    }
}

/* Memory of global memory that one rank cannot reserve: no rank has the allocation, and a second one succeeds. */
typedef struct {
  uint64_t code;
} wants_args;
SCREE_TASK(wants, wants_args);
static void run_wants(scree_task *self, const wants_args *args) {
  const scree_world *world = scree_world_of(scree_task_worker(self));
  scree_global array = {0};
  uint64_t word = 0;
  check_equal(scree_global_alloc(self, 1 << 16, SCREE_GLOBAL_PARTITION, &array), args->code);
  if (args->code) {
    check_contains(scree_error_text(world), "are more memory than is left on a host of the world");
    return;
  }
  const scree_address last = scree_global_at(scree_global_map_of(world), &array, 0, (1 << 16) - sizeof word);
  check_equal(scree_put_value(self, last, 5, sizeof word), SCREE_OK);
  check_equal(scree_get(self, &word, last, sizeof word), SCREE_OK);
  check_equal(word, 5);
}
SCREE_TASK_BODY(wants, wants_args, run_wants);

HARNESS_TEST(global_memory_cannot_be_reserved) {
  const setting s = {.transport = SCREE_TRANSPORT_AUTO, .nodes = 1};
  scree_world *world = setting_open(&s);
  wants_type wants;
  if (!world) return;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_tasks_open(world, NULL), SCREE_OK);
  check_equal(scree_global_open(world, NULL), SCREE_OK);
  check_equal(wants_register(world, NULL, &wants), SCREE_OK);
  for (int fails = harness_ranks > 1; fails >= 0; fails--) { /* one rank alone has plain memory */
    reserves_left = fails && harness_rank == harness_ranks - 1 ? 0 : -1;
    check_equal(scree_begin(w), SCREE_OK);
    if (w->rank == 0) wants_spawn(w, wants, NULL, (wants_args){fails ? SCREE_ENOMEM : SCREE_OK});
    check_equal(scree_end(w, NULL), SCREE_OK);
  }
  reserves_left = -1;
  check_equal(scree_close(world), SCREE_OK);
}

/* Nothing remains that could reach the next world. */
HARNESS_TEST(a_new_world_works) {
  player me = {.fan = 1};
  scree_world *world = open_world(SCREE_TRANSPORT_AUTO, 0, 0, &me);
  if (!world) return;
  check_equal(epoch(world, &me, false, 20), SCREE_OK);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_MPI_MAIN
