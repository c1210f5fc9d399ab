/* mpi_lost.c - a world that has lost its peers closes without freeing what MPI may still read and write, or a
 * communicator on which messages may still be in flight.
 *
 * The ranks stay alive: the tests of a detection round fail until the world gives up, and the requests of one kind stay
 * active for a number of tests, or forever. */
#include <malloc.h>

#include "block/block.h"
#include "harness.h"
#include "interpose.h"
#include "setting.h"

/* ---- requests, by what they are for ---- */

typedef enum { BLOCK, CREDIT, RECEIVE, ROUND, KINDS } kind;
static const char *const names[KINDS] = {"a block's send", "a credit message's send", "a receive", "a reduction"};

static struct {
  kind held;
  uint64_t tests; /* before requests of that kind are complete; of receives once they are cancelled */
  bool closing;
  const tally *program;
  MPI_Request barrier;
  bool barrier_begun;
  uint64_t failed_tests, frees, comms_freed;
} seen;

static kind kind_of(const mpi_call *c) {
  if (c->kind == CALL_Isend) return mpi_bytes(c) < sizeof(scree__wire) ? CREDIT : BLOCK;
  return c->kind == CALL_Irecv ? RECEIVE : c->kind == CALL_Iallreduce ? ROUND : KINDS;
}

static uint64_t hash_input(const mpi_call *c) {
  uint64_t hash = 0;
  for (size_t i = 0; c->in && i < mpi_bytes(c); i++) hash = 31 * hash + ((const unsigned char *)c->in)[i];
  return hash;
}

/* ---- MPI ---- */

/* Synchronous sends have requests of their own, while one request may stand for all sends that are complete at once.
 * Failure notices, and the credits for them, may never be received. */
static int send(mpi_call *c) {
  if (seen.barrier_begun || (kind_of(c) == BLOCK && ((const scree__wire *)c->in)->kind == SCREE__CONTROL)) {
    mpi_forget(c);
    return c->make(c);
  }
  if (seen.held == kind_of(c)) c->delay = seen.tests;
  return mpi_synchronous(c);
}

/* What this rank sent was received, also where scree does not know it. */
static bool all_are_received(void) {
  for (mpi_call *a = NULL; (a = mpi_next_active(a));) {
    int done = 1;
    if (a->kind == CALL_Isend) PMPI_Request_get_status(a->active, &done, MPI_STATUS_IGNORE);
    if (!done) return false;
  }
  return true;
}

/* One block from each rank was handled, here and everywhere, and credit messages have been received too. */
static bool all_have_handled(void) {
  int done = 0;
  if (!seen.barrier_begun && (seen.program->count < (uint64_t)harness_ranks || !all_are_received())) return false;
  if (!seen.barrier_begun) PMPI_Ibarrier(MPI_COMM_WORLD, &seen.barrier);
  seen.barrier_begun = true;
  PMPI_Test(&seen.barrier, &done, MPI_STATUS_IGNORE);
  return done;
}

/* The world is lost by a round that ends without a result; or, if rounds are held, by one whose tests fail. When it is
 * closed, every other of their tests fails. */
static int test_round(mpi_call *c) {
  const bool held = seen.held == ROUND;
  if (seen.closing && held && seen.tests) {
    if (seen.tests != UINT64_MAX) seen.tests--;
    return seen.tests % 2 ? MPI_ERR_OTHER : MPI_SUCCESS;
  }
  if (seen.closing) return c->make(c);
  if (!all_have_handled()) return MPI_SUCCESS;
  if (!held) c->make(c);
  if (!held && !*c->result) return MPI_SUCCESS;
  *c->result = 0;
  seen.failed_tests++;
  return MPI_ERR_OTHER;
}

static int watch(mpi_call *c) {
  seen.frees += c->kind == CALL_Request_free;
  seen.comms_freed += c->kind == CALL_Comm_free;
  if (c->kind == CALL_Test && c->of && kind_of(c->of) == ROUND) return test_round(c);
  c->note = hash_input(c);
  return c->kind == CALL_Isend ? send(c) : c->make(c);
}

/* MPI continues with what remains, as it may: reads, then writes. */
static void complete_the_rest(void) {
  for (mpi_call *a = NULL; (a = mpi_next_active(a));) {
    int done = 0;
    check_text(a->note == hash_input(a), "the buffer of %s was changed", names[kind_of(a)]);
    if (a->kind == CALL_Irecv) memset(a->out, 0, mpi_bytes(a));
    while (!done) PMPI_Test(&a->active, &done, MPI_STATUS_IGNORE);
    mpi_forget(a);
  }
  mpi_hook = NULL;
}

/* ---- a world that is lost ---- */

static bool open_world(tally *t, kind held, uint64_t tests, const setting *s) {
  memset(&seen, 0, sizeof seen);
  seen.held = held;
  seen.tests = tests;
  seen.program = t;
  mpi_hook = watch;
  return tally_in(t, setting_open(s));
}

static void close_world(tally *t) {
  check(seen.failed_tests > 0);
  seen.closing = true;
  for (mpi_call *a = NULL; (a = mpi_next_active(a));)
    if (seen.held == RECEIVE && a->kind == CALL_Irecv) a->delay = seen.tests;
  check_equal(scree_close(t->world), SCREE_EPEER);
}

static scree_status send_to_each(scree_worker *w, number_type number) {
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t r = 0; w->index == 0 && r < w->ranks; r++) number_send(w, number, r, r);
  return scree_end(w, NULL);
}

/* A block goes to each rank, whose credit comes back in a message. */
static void lose_world(int nodes, kind held, uint64_t tests) {
  const setting s = {
      .transport = nodes ? 0 : SCREE_TRANSPORT_MPI, .nodes = nodes, .coalesce_bytes = sizeof(uint64_t), .in_flight = 1};
  tally t;
  if (!open_world(&t, held, tests, &s)) return;
  check_equal(send_to_each(t.w, t.number), SCREE_EPEER);
  const uint64_t comms = seen.comms_freed;
  close_world(&t);
  check_equal(seen.frees, 0);
  check_text(!mpi_next_active(NULL) == (tests != UINT64_MAX), "requests are left where %s takes %" PRIu64 " tests",
             names[held], tests);
  check_equal(seen.comms_freed, comms);
  harness_all(true);
  complete_the_rest();
}

static void lose_all(uint64_t tests) {
  if (harness_ranks == 1) harness_skip("a world of one rank has no peers");
  mallopt(M_PERTURB, 0x5a); /* what is freed changes */
  for (kind held = 0; held < KINDS && harness_all(harness_failures() == 0); held++) {
    lose_world(0, held, tests);
    if (harness_ranks == 2) lose_world(2, held, tests); /* each rank is its node's leader */
  }
}

HARNESS_TEST(requests_that_end_are_waited_for) {
  lose_all(20);
}

HARNESS_TEST(others_are_left_alone) {
  lose_all(UINT64_MAX);
}

/* ---- workers ---- */

static void lose_epoch(scree_worker *w, void *t) {
  check_equal(send_to_each(w, ((const tally *)t)->number), SCREE_EPEER);
}

/* Only the first worker tests rounds, or a communication thread. Each rank has rounds. */
HARNESS_TEST(all_threads_leave) {
  if (harness_ranks == 1) harness_skip("a world of one rank has no peers");
  for (uint64_t progress = SCREE_PROGRESS_NONE; progress <= SCREE_PROGRESS_COMM; progress++) {
    const setting s = {
        .transport = SCREE_TRANSPORT_MPI, .progress = progress, .detector = SCREE_DETECTOR_FLAT, .threads = 2};
    tally t;
    if (!open_world(&t, KINDS, 0, &s)) return;
    check_equal(scree_run_workers(t.world, 2, lose_epoch, &t), SCREE_EPEER);
    close_world(&t);
    harness_all(true);
    complete_the_rest();
  }
}

HARNESS_TEST(a_new_world_works) {
  tally t;
  if (!tally_in(&t, setting_open(&(setting){.transport = SCREE_TRANSPORT_AUTO}))) return;
  check_equal(send_to_each(t.w, t.number), SCREE_OK);
  check_equal(t.count, harness_ranks);
  check_equal(scree_close(t.world), SCREE_OK);
}

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
