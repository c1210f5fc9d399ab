/* mpi_faults.c - a fault on one rank ends the epoch on every rank with the same code: raised by the program, by lack of
 * memory in a handler, by an MPI call that fails.
 *
 * The ranks stay alive; sigkill.sh kills some. MPI calls are made to fail by defining them here, in
 * front of MPI's own profiling interface. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "base/options.h"
#include "core/world.h"
#include "harness.h"
#include "virtual_nodes.h"

/* ---- injection ---- */

typedef enum { ISEND, IRECV, TESTSOME, IALLREDUCE, TEST, WAVE_TEST, CALLS } mpi_call;

static struct {
  mpi_call which;
  long in; /* that many calls from now; 0: never */
  bool struck;
} injection;

static bool strikes(mpi_call which) {
  if (injection.in == 0 || injection.which != which || --injection.in > 0) return false;
  injection.struck = true;
  return true;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  return strikes(ISEND) ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

/* Where the world that was opened last keeps the requests of its receives. */
static struct { const MPI_Request *first, *last; } receives;

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  if (!receives.first || request < receives.first) receives.first = request;
  if (!receives.last || request > receives.last) receives.last = request;
  return strikes(IRECV) ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
  return strikes(TESTSOME) ? MPI_ERR_OTHER : PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  return strikes(IALLREDUCE) ? MPI_ERR_OTHER : PMPI_Iallreduce(in, out, count, type, op, comm, request);
}

static bool dup_fails;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out) {
  return dup_fails ? MPI_ERR_OTHER : PMPI_Comm_dup(comm, out);
}

static int reserves_left = -1; /* so many more reservations of memory succeed; -1: all do */

int posix_fallocate(int fd, off_t at, off_t bytes) {
  if (reserves_left == 0) return ENOSPC;
  if (reserves_left > 0) reserves_left--;
  (void)fd, (void)at, (void)bytes; /* the object has its size, and there is memory enough for a test */
  return 0;
}

/* Of a receive: a block that has come, and is lost: the request is done, and its error is all that there is. Of a
 * reduction: nothing has happened to the request. */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  bool receive = request >= receives.first && request <= receives.last;
  if (!receive && strikes(WAVE_TEST)) return MPI_ERR_OTHER;
  int code = PMPI_Test(request, flag, status);
  return receive && code == MPI_SUCCESS && *flag && strikes(TEST) ? MPI_ERR_OTHER : code;
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

/* Beside the choices of the option: shared memory and MPI by destination, on one machine too. */
enum { TWO_NODES = SCREE_TRANSPORT_MPI + 1, TRANSPORTS };

static scree_world *open_world(uint64_t transport, uint64_t chaos, uint64_t overflow_max, player *me) {
  scree__options options = SCREE__OPTIONS_INIT;
  scree_world *world = NULL;
  options.transport = transport == TWO_NODES ? SCREE_TRANSPORT_AUTO : transport;
  options.chaos = chaos;
  options.overflow_max = overflow_max;
  options.coalesce_bytes = 64;
  options.test_pool_blocks = 4;
  virtual_nodes = transport == TWO_NODES ? 2 : 1;
  check_equal(scree_open_mpi(MPI_COMM_WORLD, &options.user, &world), SCREE_OK);
  virtual_nodes = 1;
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

static void raised_in_a_handler(void **unused) {
  (void)unused;
  for (uint64_t i = 0; i < 12; i++) {
    bool mine = harness_rank == (int)(i % (uint64_t)harness_ranks);
    player me = {.fan = 1, .fail_after = mine ? 1 + 50 * i : 0, .code = SCREE_EMPI};
    scree_world *world = open_world(i % TRANSPORTS, i % 3 == 2 ? i : 0, SCREE_UNSET, &me);
    if (!world) return;
    check_failed(world, &me, i & 1, SCREE_EMPI);
  }
}

/* Two ranks fail, with different codes: all see one of them, and the same. */
static void raised_by_two(void **unused) {
  (void)unused;
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 1};
    if (harness_rank == 0) me.fail_after = 100, me.code = SCREE_ENOMEM;
    if (harness_rank == harness_ranks - 1) me.fail_after = 110, me.code = SCREE_EMPI;
    scree_world *world = open_world(transport, 0, SCREE_UNSET, &me);
    if (!world) return;
    scree_status status = epoch(world, &me, transport & 1, 20);
    check(status == SCREE_ENOMEM || status == SCREE_EMPI);
    check(harness_all(status == SCREE_ENOMEM) || harness_all(status == SCREE_EMPI));
    check_equal(scree_close(world), status);
  }
}

/* Who is not in a handler, nor idle, learns of it too. */
static void raised_while_another_works(void **unused) {
  (void)unused;
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 1};
    scree_world *world = open_world(transport, 0, SCREE_UNSET, &me);
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

static void out_of_memory_in_a_handler(void **unused) {
  (void)unused;
  for (uint64_t transport = 0; transport < TRANSPORTS; transport++) {
    player me = {.fan = 3};
    scree_world *world = open_world(transport, 0, 1, &me);
    if (!world) return;
    check_failed(world, &me, transport & 1, SCREE_ENOMEM);
  }
}

/* ---- MPI's faults ---- */

static const char *const names[CALLS] = {"MPI_Isend",      "MPI_Irecv", "MPI_Testsome",
                                         "MPI_Iallreduce", "MPI_Test",  "MPI_Test"};

/* Call number `nth` of one rank fails, if it makes so many. A call behind the epoch's end, as when the last receive is
 * posted again, fails the next epoch, which is the closing one. */
static void inject(mpi_call which, long nth, uint64_t transport, uint64_t chaos) {
  player me = {.fan = 1};
  receives.first = receives.last = NULL;
  scree_world *world = open_world(transport, chaos, SCREE_UNSET, &me);
  if (!world) return;
  injection.which = which;
  injection.struck = false;
  injection.in = harness_rank == harness_ranks - 1 ? nth : 0;
  scree_status status = epoch(world, &me, nth & 1, 20);
  injection.in = 0;
  bool somewhere = !harness_all(!injection.struck);
  check(harness_all(status == SCREE_OK) || (harness_all(status == SCREE_EMPI) && somewhere));
  bool at_once = which != WAVE_TEST; /* a wave that is open was begun without the fault, and may end the epoch */
  if (at_once && harness_ranks > 1 && nth < 3 && transport == SCREE_TRANSPORT_MPI)
    check(somewhere && status == SCREE_EMPI);
  if (injection.struck && status != SCREE_OK) check_contains(scree_error_text(world), names[which]);
  scree_status closed = scree_close(world);
  check_text(closed == (somewhere ? SCREE_EMPI : SCREE_OK), "call %ld of %s%s failed, world closed with %d", nth,
             names[which], somewhere ? "" : " never", (int)closed);
}

static void an_mpi_call_fails(void **unused) {
  (void)unused;
  for (int which = 0; which < CALLS; which++)
    for (long nth = 1; nth < 40 && harness_all(harness_failures() == 0); nth += 1 + nth / 3)
      for (uint64_t chaos = 0; chaos < 2; chaos++) {
        inject((mpi_call)which, nth, SCREE_TRANSPORT_MPI, chaos * (uint64_t)nth);
        inject((mpi_call)which, nth, TWO_NODES, chaos * (uint64_t)nth);
      }
}

/* ---- opening ---- */

static scree_status open_only(uint64_t transport, scree_world **world) {
  scree_options options = SCREE_OPTIONS_INIT;
  options.transport = transport;
  return scree_open_mpi(MPI_COMM_WORLD, &options, world);
}

/* A call that one rank, or all of them, cannot make while opening: nobody gets a world, and nobody hangs. */
static void opening_fails(void **unused) {
  (void)unused;
  scree_world *world = NULL;
  for (int all = 0; all < 2; all++)
    for (long nth = 1; nth <= 8; nth += 3) {
      injection.which = IRECV;
      injection.in = all || harness_rank == harness_ranks - 1 ? nth : 0;
      virtual_nodes = nth == 4 && harness_ranks > 1 ? 2 : 1;
      check_equal(open_only(virtual_nodes > 1 ? SCREE_TRANSPORT_AUTO : SCREE_TRANSPORT_MPI, &world), SCREE_EMPI);
      virtual_nodes = 1;
      injection.in = 0;
      check(world == NULL);
    }
  dup_fails = true;
  check_equal(open_only(SCREE_TRANSPORT_MPI, &world), SCREE_EMPI);
  check_equal(open_only(SCREE_TRANSPORT_SHM, &world), SCREE_EMPI);
  dup_fails = false;
  check(world == NULL);
}

/* One rank has no shared memory: all use MPI, with a note; where shared memory is required, all fail. */
static void shared_memory_fails(void **unused) {
  (void)unused;
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

/* Nothing is left behind for the next world. */
static void a_new_world_works(void **unused) {
  (void)unused;
  player me = {.fan = 1};
  scree_world *world = open_world(SCREE_TRANSPORT_AUTO, 0, SCREE_UNSET, &me);
  if (!world) return;
  check_equal(epoch(world, &me, false, 20), SCREE_OK);
  check_equal(scree_close(world), SCREE_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(raised_in_a_handler),        cmocka_unit_test(raised_by_two),
    cmocka_unit_test(raised_while_another_works), cmocka_unit_test(out_of_memory_in_a_handler),
    cmocka_unit_test(an_mpi_call_fails),          cmocka_unit_test(opening_fails),
    cmocka_unit_test(shared_memory_fails),        cmocka_unit_test(a_new_world_works),
};
HARNESS_MPI_MAIN(tests)
