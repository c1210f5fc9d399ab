/* mpi_credit_late.c - credits reach every sender however long the requests of credit messages take.
 *
 * An MPI may complete a send long after the message has arrived, or only once it is received. Here a credit message is
 * complete only after a drawn number of tests, and may be a synchronous send; MPI's calls are defined here, in front of
 * its profiling interface. What is given and taken is counted at each call. */
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "base/random.h"
#include "block/block.h"
#include "harness.h"
#include "transport/credit.h"

enum { TO = 0, MOST_RANKS = 64, REQUESTS = 8, BLOCK = 64, ITEMS_OF_BLOCK = BLOCK / sizeof(uint64_t) };

/* What one world is made of. */
typedef struct {
  uint64_t in_flight;
  uint64_t lag;     /* tests, at most, before a credit message is complete */
  bool synchronous; /* sends complete when they are received */
} slowness;

static struct {
  slowness how;
  uint64_t random;
  struct {
    const MPI_Request *request;
    uint64_t tests; /* left */
  } late[REQUESTS];
  const MPI_Request *receives[REQUESTS];         /* of blocks */
  uint64_t taken[MOST_RANKS], given[MOST_RANKS]; /* by source: blocks; by destination: credits */
  uint64_t passed[MOST_RANKS];                   /* by rank that is owed: credit messages to others meanwhile */
  uint64_t messages, delays;
} seen;

static bool is_credit(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (size_t)count * (size_t)size < sizeof(scree__wire);
}

static void give(int dest, uint32_t credits) {
  seen.given[dest] += credits;
  check_text(seen.given[dest] <= seen.taken[dest], "%" PRIu64 " credits for %" PRIu64 " blocks of rank %d",
             seen.given[dest], seen.taken[dest], dest);
}

/* Ranks take turns: none is owed a credit while another gets two. A block counts as taken when MPI has delivered it, and
 * is owed for once it was handled: a request's worth of credits may be given between the two. With more than one block
 * in flight, less than half of them is owed for long, and rightly. */
static void check_turns(int dest) {
  seen.passed[dest] = 0;
  if (seen.how.in_flight > 1) return;
  for (int r = 0; r < harness_ranks; r++) {
    if (r == dest || seen.taken[r] == seen.given[r]) continue;
    seen.passed[r]++;
    check_text(seen.passed[r] <= (uint64_t)harness_ranks + REQUESTS,
               "%" PRIu64 " credit messages before rank %d's turn", seen.passed[r], r);
  }
}

/* Requests lie in a few fixed places. */
static size_t index_of(const MPI_Request *request) {
  size_t i = 0;
  while (i < REQUESTS && seen.late[i].request != request) i++;
  return i;
}

static void delay(const MPI_Request *request) {
  size_t i = index_of(request);
  if (i == REQUESTS) i = index_of(NULL);
  if (!check(i < REQUESTS)) return;
  seen.late[i].request = request;
  seen.late[i].tests = seen.how.lag ? scree__draw(&seen.random) % seen.how.lag : 0;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (is_credit(count, type)) {
    seen.messages++;
    give(dest, ((const scree__credits *)buffer)->count);
    check_turns(dest);
    delay(request);
  } else {
    give(dest, ((const scree__wire *)buffer)->credits);
  }
  return seen.how.synchronous ? PMPI_Issend(buffer, count, type, dest, tag, comm, request)
                              : PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

/* MPI may write to the buffer from here on. */
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  for (size_t i = 0; !is_credit(count, type) && i < REQUESTS; i++) {
    if (seen.receives[i] && seen.receives[i] != request) continue;
    seen.receives[i] = request;
    memset(buffer, 0xee, (size_t)count);
    break;
  }
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

static bool receives_block(const MPI_Request *request) {
  for (size_t i = 0; i < REQUESTS; i++)
    if (seen.receives[i] == request) return true;
  return false;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  size_t i = index_of(request);
  bool block = status != MPI_STATUS_IGNORE && receives_block(request); /* else it was cancelled */
  if (i < REQUESTS && seen.late[i].tests > 0) {
    seen.late[i].tests--;
    seen.delays++;
    *flag = 0;
    return MPI_SUCCESS;
  }
  int code = PMPI_Test(request, flag, status);
  if (block && code == MPI_SUCCESS && *flag) seen.taken[status->MPI_SOURCE]++;
  return code;
}

SCREE_MESSAGE(number, uint64_t);

typedef struct {
  scree_world *world;
  scree_worker *w;
  number_type type;
  uint64_t count, sum;
} side;

static void on_number(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  side *s = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) s->sum += items[i];
  s->count += batch->count;
}
SCREE_HANDLER(number, uint64_t, on_number);

static bool open_side(side *s, slowness how) {
  scree_options options = SCREE_OPTIONS_INIT;
  *s = (side){.world = NULL};
  memset(&seen, 0, sizeof seen);
  seen.how = how;
  seen.random = (uint64_t)harness_rank + 1;
  options.transport = SCREE_TRANSPORT_MPI;
  options.in_flight = how.in_flight;
  options.coalesce_bytes = BLOCK;
  if (!check_equal(scree_open_mpi(MPI_COMM_WORLD, &options, &s->world), SCREE_OK)) return false;
  s->w = scree_worker_of(s->world, 0);
  return check_equal(number_register(s->world, s, &s->type), SCREE_OK);
}

static uint64_t sum_over_ranks(uint64_t mine) {
  uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Sends `blocks` blocks' worth of items, to rank 0 alone or to all others in turn. */
static void exchange(slowness how, uint64_t blocks, bool all_to_all) {
  side s;
  uint64_t sent = 0;
  if (!open_side(&s, how)) return;
  check_equal(scree_begin(s.w), SCREE_OK);
  for (uint64_t i = 0; i < blocks * ITEMS_OF_BLOCK && (all_to_all || harness_rank != TO); i++) {
    uint32_t dest = all_to_all ? (s.w->rank + 1 + (uint32_t)(i / ITEMS_OF_BLOCK)) % s.w->ranks : TO;
    number_send(s.w, s.type, dest, i);
    sent += i;
  }
  check_equal(scree_end(s.w, NULL), SCREE_OK);
  check_equal(sum_over_ranks(s.sum), sum_over_ranks(sent));
  uint64_t messages = sum_over_ranks(seen.messages), delays = sum_over_ranks(seen.delays);
  check(harness_ranks == 1 || all_to_all || (messages > 0 && (delays > 0) == (how.lag > 0)));
  check_equal(scree_close(s.world), SCREE_OK);
}

/* in_flight, lag and synchronous in every combination; a failed check or a hang ends the test. */
static void every_slowness(uint64_t blocks, bool all_to_all) {
  static const uint64_t in_flight[] = {1, 4}, lag[] = {0, 20, 200};
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 3; j++)
      for (int synchronous = 0; synchronous < 2 && harness_all(harness_failures() == 0); synchronous++)
        exchange((slowness){in_flight[i], lag[j], synchronous}, blocks, all_to_all);
}

/* The receiver returns credits by messages alone, and has fewer requests for them than it needs. */
static void all_send_to_one(void **unused) {
  (void)unused;
  every_slowness(harness_full() ? 1000 : 100, false);
}

/* Every rank returns credits to all others. */
static void all_send_to_all(void **unused) {
  (void)unused;
  every_slowness(harness_full() ? 1000 : 100, true);
}

/* In an epoch of its own, so that no block goes the other way and takes credits with it. */
static void send_blocks(side *s, int from, int to_first, int to_last, int blocks) {
  check_equal(scree_begin(s->w), SCREE_OK);
  for (int to = to_first; to <= to_last && harness_rank == from; to++)
    for (int i = 0; i < blocks && to != from; i++) {
      number_send(s->w, s->type, (uint32_t)to, 1);
      scree_flush(s->w, s->type.id);
    }
  check_equal(scree_end(s->w, NULL), SCREE_OK);
}

/* Sends complete when they are received. Ranks 2 to 5 get as many credit messages as they have receives for, and have no
 * more blocks to send; the next ones keep all requests of rank 0, until those ranks receive credits that they do not
 * need. Rank 1 waits for credits of rank 0, or all close. */
static void who_needs_no_credits_receives_them(void **unused) {
  (void)unused;
  enum { LAST = 5, WINDOW = 2 };
  if (harness_ranks <= LAST) harness_skip("this needs 6 ranks");
  for (int blocks = 100; blocks >= 0; blocks -= 100) {
    side s;
    if (!open_side(&s, (slowness){.in_flight = WINDOW, .synchronous = true})) return;
    for (int from = 2; from <= LAST; from++) send_blocks(&s, from, 1, LAST, WINDOW);
    for (int from = 2; from <= LAST; from++) send_blocks(&s, from, 0, 0, WINDOW);
    send_blocks(&s, 1, 0, 0, blocks);
    check_equal(scree_close(s.world), SCREE_OK);
    uint64_t expected = harness_rank == 0 ? (uint64_t)blocks + 4 * WINDOW : harness_rank == 1 ? 4 * WINDOW : 3 * WINDOW;
    check_equal(s.count, harness_rank <= LAST ? expected : 0);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_send_to_one),
    cmocka_unit_test(all_send_to_all),
    cmocka_unit_test(who_needs_no_credits_receives_them),
};
HARNESS_MPI_MAIN(tests)
