/* mpi_lost.c - a world that has lost its peers closes without freeing what MPI may still read and write, or a communicator
 * that messages may still be on their way over.
 *
 * The ranks stay alive: the tests of a detection round fail until the world gives up, and the requests of one kind stay
 * active for a number of tests, or forever, by definitions of MPI's calls in front of its profiling interface. */
#include <malloc.h>
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "block/block.h"
#include "harness.h"
#include "virtual_nodes.h"

/* ---- requests, by what they are for ---- */

typedef enum { BLOCK, CREDIT, RECEIVE, ROUND, KINDS } kind;
static const char *const names[KINDS] = {"a block's send", "a credit message's send", "a receive", "a reduction"};

typedef struct {
  MPI_Request request;
  kind kind;
  const void *in; /* what MPI reads, and a copy of it */
  char copy[256];
  size_t bytes;
  void *out; /* what MPI writes to, and how much */
  size_t room;
} record;

enum { MOST = 4096, FOREVER = INT32_MAX };

static struct {
  bool on;
  kind held;
  int32_t tests; /* before requests of that kind are complete */
  bool closing;
  const uint64_t *handled; /* items */
  MPI_Request barrier;
  bool barrier_begun;
  record active[MOST];
  size_t count;
  uint64_t failed_tests, frees, comms_freed;
} seen;

static record *add(MPI_Request request, kind what) {
  if (!seen.on || !check(seen.count < MOST)) return NULL;
  seen.active[seen.count] = (record){.request = request, .kind = what};
  return &seen.active[seen.count++];
}

static void add_input(record *r, const void *in, size_t bytes) {
  if (!r || !check(bytes <= sizeof r->copy)) return;
  r->in = in;
  r->bytes = bytes;
  memcpy(r->copy, in, bytes);
}

static record *find(MPI_Request request) {
  for (size_t i = 0; i < seen.count; i++)
    if (seen.active[i].request == request) return &seen.active[i];
  return NULL;
}

static void forget(MPI_Request request) {
  record *r = find(request);
  if (r) *r = seen.active[--seen.count];
}

static bool holds(const record *r) {
  return r && r->kind == seen.held && seen.tests > 0;
}

/* ---- MPI ---- */

static size_t size_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (size_t)count * (size_t)size;
}

/* Synchronous sends have requests of their own, while one request may stand for all sends that are complete at once.
 * Failure notices, and the credits for them, may find nobody to receive them. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  size_t bytes = size_of(count, type);
  bool credit = bytes < sizeof(scree__wire);
  if (seen.barrier_begun || (!credit && ((const scree__wire *)buffer)->kind == SCREE__CONTROL))
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
  int code = PMPI_Issend(buffer, count, type, dest, tag, comm, request);
  add_input(add(*request, credit ? CREDIT : BLOCK), buffer, bytes);
  return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  int code = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  record *r = add(*request, RECEIVE);
  if (r) r->out = buffer, r->room = size_of(count, type);
  return code;
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  int code = PMPI_Iallreduce(in, out, count, type, op, comm, request);
  if (type == MPI_INT) return code; /* the harness agrees */
  record *r = add(*request, ROUND);
  add_input(r, in, size_of(count, type));
  if (r) r->out = out, r->room = size_of(count, type);
  return code;
}

/* What this rank sent was received, also where scree does not know it. */
static bool all_are_received(void) {
  for (size_t i = 0; i < seen.count; i++) {
    int done = 0;
    if (seen.active[i].kind != BLOCK && seen.active[i].kind != CREDIT) continue;
    PMPI_Request_get_status(seen.active[i].request, &done, MPI_STATUS_IGNORE);
    if (!done) return false;
  }
  return true;
}

/* One block from each rank was handled, here and everywhere, and credit messages have been received too. */
static bool all_have_handled(void) {
  int done = 0;
  if (!seen.barrier_begun && (*seen.handled < (uint64_t)harness_ranks || !all_are_received())) return false;
  if (!seen.barrier_begun) PMPI_Ibarrier(MPI_COMM_WORLD, &seen.barrier);
  seen.barrier_begun = true;
  PMPI_Test(&seen.barrier, &done, MPI_STATUS_IGNORE);
  return done;
}

/* The world is lost by a round that ends without a result; or, if rounds are held, by one whose tests fail. */
static int test_round(MPI_Request *request) {
  MPI_Request before = *request;
  int done = 0;
  if (!all_have_handled()) return MPI_SUCCESS;
  if (seen.held != ROUND) PMPI_Test(request, &done, MPI_STATUS_IGNORE);
  if (seen.held != ROUND && !done) return MPI_SUCCESS;
  if (done) forget(before);
  seen.failed_tests++;
  return MPI_ERR_OTHER;
}

/* Receives are held only once they are cancelled. */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  MPI_Request before = *request;
  record *r = find(before);
  *flag = 0;
  if (r && r->kind == ROUND && !seen.closing) return test_round(request);
  if (holds(r) && (r->kind != RECEIVE || seen.closing)) {
    if (seen.tests != FOREVER) seen.tests--;
    return r->kind == ROUND && seen.tests % 2 ? MPI_ERR_OTHER : MPI_SUCCESS;
  }
  int code = PMPI_Test(request, flag, status);
  if (*request == MPI_REQUEST_NULL) forget(before);
  return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
  MPI_Request before[MOST];
  *done = 0;
  for (int i = 0; i < count; i++) {
    record *r = find(before[i] = requests[i]);
    if (holds(r) && r->kind != RECEIVE) return MPI_SUCCESS;
  }
  int code = PMPI_Testsome(count, requests, done, indices, statuses);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) forget(before[indices[i]]);
  return code;
}

int MPI_Request_free(MPI_Request *request) {
  seen.frees += find(*request) != NULL;
  return PMPI_Request_free(request);
}

int MPI_Comm_free(MPI_Comm *comm) {
  seen.comms_freed++;
  return PMPI_Comm_free(comm);
}

/* MPI goes on with what is left, as it may: reads, then writes. */
static void complete_the_rest(void) {
  while (seen.count > 0) {
    record *r = &seen.active[seen.count - 1];
    int done = 0;
    check_text(r->bytes == 0 || memcmp(r->in, r->copy, r->bytes) == 0, "the buffer of %s was changed", names[r->kind]);
    if (r->kind == RECEIVE) memset(r->out, 0, r->room);
    while (!done) PMPI_Test(&r->request, &done, MPI_STATUS_IGNORE);
    seen.count--;
  }
}

/* ---- a world that is lost ---- */

SCREE_MESSAGE(number, uint64_t);

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  (void)w, (void)items;
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(number, uint64_t, on_number);

/* A block goes to each rank, whose credit comes back in a message. */
static void lose_world(uint64_t transport, kind held, int32_t tests) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  number_type type;
  uint64_t handled = 0;
  options.transport = transport;
  options.coalesce_bytes = sizeof(uint64_t);
  options.in_flight = 1;
  memset(&seen, 0, sizeof seen);
  seen.on = true;
  seen.held = held;
  seen.tests = tests;
  seen.handled = &handled;
  if (!check_equal(scree_open_mpi(MPI_COMM_WORLD, &options, &world), SCREE_OK)) return;
  scree_worker *w = scree_worker_of(world, 0);
  if (!check_equal(number_register(world, &handled, &type), SCREE_OK)) return;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint64_t i = 0; i < w->ranks; i++) number_send(w, type, (uint32_t)i, i);
  check_equal(scree_end(w, NULL), SCREE_EPEER);
  check(seen.failed_tests > 0);
  uint64_t comms = seen.comms_freed;
  seen.closing = true;
  check_equal(scree_close(world), SCREE_EPEER);
  check_equal(seen.frees, 0);
  check_text((seen.count > 0) == (tests == FOREVER), "%zu requests are left where %s takes %d tests", seen.count,
             names[held], (int)tests);
  check_equal(seen.comms_freed, comms);
  harness_all(true);
  complete_the_rest();
  seen.on = false;
}

static void lose_all(int32_t tests) {
  if (harness_ranks == 1) harness_skip("a world of one rank has no peers");
  mallopt(M_PERTURB, 0x5a); /* what is freed changes */
  for (int held = 0; held < KINDS && harness_all(harness_failures() == 0); held++) {
    lose_world(SCREE_TRANSPORT_MPI, (kind)held, tests);
    if (harness_ranks > 2) continue; /* else each rank is its node's leader */
    virtual_nodes = 2;
    lose_world(SCREE_TRANSPORT_AUTO, (kind)held, tests);
    virtual_nodes = 1;
  }
}

static void requests_that_end_are_waited_for(void **unused) {
  (void)unused;
  lose_all(20);
}

static void others_are_left_alone(void **unused) {
  (void)unused;
  lose_all(FOREVER);
}

/* ---- workers ---- */

typedef struct {
  number_type type;
  uint64_t handled;
  scree_status ended[2];
} crew;

static void lose_epoch(scree_worker *w, void *arg) {
  crew *c = arg;
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t r = 0; w->index == 0 && r < w->ranks; r++) number_send(w, c->type, r, r);
  c->ended[w->index] = scree_end(w, NULL);
}

static void lose_workers(uint64_t progress) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  crew c = {0};
  options.transport = SCREE_TRANSPORT_MPI;
  options.progress = progress;
  options.detector = SCREE_DETECTOR_FLAT; /* each rank has rounds */
  options.threads = 2;
  memset(&seen, 0, sizeof seen);
  seen.held = KINDS; /* none */
  seen.handled = &c.handled;
  seen.on = true;
  if (!check_equal(scree_open_mpi(MPI_COMM_WORLD, &options, &world), SCREE_OK)) return;
  check_equal(number_register_with(world, SCREE_SERIAL, &c.handled, &c.type), SCREE_OK);
  check_equal(scree_run_workers(world, 2, lose_epoch, &c), SCREE_EPEER);
  check(seen.failed_tests > 0);
  for (int i = 0; i < 2; i++) check_equal(c.ended[i], SCREE_EPEER);
  seen.closing = true;
  check_equal(scree_close(world), SCREE_EPEER);
  harness_all(true);
  complete_the_rest();
  seen.on = false;
}

/* The first worker alone looks at rounds, or a communication thread. */
static void all_threads_leave(void **unused) {
  (void)unused;
  if (harness_ranks == 1) harness_skip("a world of one rank has no peers");
  for (uint64_t progress = SCREE_PROGRESS_NONE; progress <= SCREE_PROGRESS_COMM; progress++) lose_workers(progress);
}

static void a_new_world_works(void **unused) {
  (void)unused;
  scree_world *world = NULL;
  number_type type;
  uint64_t handled = 0;
  if (!check_equal(scree_open_mpi(MPI_COMM_WORLD, NULL, &world), SCREE_OK)) return;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(number_register(world, &handled, &type), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t r = 0; r < w->ranks; r++) number_send(w, type, r, r);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(handled, harness_ranks);
  check_equal(scree_close(world), SCREE_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(requests_that_end_are_waited_for),
    cmocka_unit_test(others_are_left_alone),
    cmocka_unit_test(all_threads_leave),
    cmocka_unit_test(a_new_world_works),
};

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
