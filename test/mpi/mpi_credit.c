/* mpi_credit.c - between nodes the receiver limits what is in flight to it, credits reach every sender however long the
 * requests of credit messages take, and no message remains in flight.
 *
 * An MPI may complete a send long after the message has arrived, or only once it is received. Here a credit message is
 * complete only after a drawn number of tests, and may be a synchronous send. What is given and taken is counted at
 * each call. */
#include "base/random.h"
#include "block/block.h"
#include "harness.h"
#include "interpose.h"
#include "setting.h"
#include "transport/credit.h"

enum { TO = 0, MOST_RANKS = 64, REQUESTS = 8, BLOCK = 64, ITEMS_OF_BLOCK = BLOCK / sizeof(uint64_t) };

/* What one world is made of. */
typedef struct {
  uint64_t in_flight;
  uint64_t lag;     /* tests, at most, before a credit message is complete */
  bool synchronous; /* sends complete when they are received */
  bool held;        /* a slow network: credit messages are sent only while the world closes */
} slowness;

static struct {
  slowness how;
  uint64_t random;
  uint64_t blocks[MOST_RANKS];                   /* by destination */
  uint64_t taken[MOST_RANKS], given[MOST_RANKS]; /* by source: blocks; by destination: credits */
  uint64_t passed[MOST_RANKS];                   /* by rank to which credits are due: credit messages to others
                                                  * meanwhile */
  uint64_t messages, delays, left_behind;
  int held;
  struct {
    mpi_call send;
    scree__credits text;
  } hold[MOST_RANKS];
} seen;

static bool is_credit(const mpi_call *c) {
  return mpi_bytes(c) < sizeof(scree__wire);
}

static void give(int dest, uint32_t credits) {
  seen.given[dest] += credits;
  check_text(seen.given[dest] <= seen.taken[dest], "%" PRIu64 " credits for %" PRIu64 " blocks of rank %d",
             seen.given[dest], seen.taken[dest], dest);
}

/* Ranks take turns: no credit is due to a rank while another one gets two. A block counts as taken when MPI has
 * delivered it, and its credit is due once it was handled: the credits of one request may be sent between the two. With
 * more than one block in flight, credits for less than half of them are due for long, as they may be. */
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

static int hold(mpi_call *c) {
  if (!check(seen.held < MOST_RANKS)) return MPI_ERR_OTHER;
  seen.hold[seen.held].send = *c;
  memcpy(&seen.hold[seen.held++].text, c->in, sizeof seen.hold->text);
  *c->request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

static void let_go(void) {
  while (seen.held > 0) {
    const mpi_call *c = &seen.hold[--seen.held].send;
    PMPI_Send(&seen.hold[seen.held].text, c->count, c->type, c->peer, c->tag, c->comm);
  }
}

static int send(mpi_call *c) {
  if (is_credit(c)) {
    seen.messages++;
    give(c->peer, ((const scree__credits *)c->in)->count);
    check_turns(c->peer);
    seen.delays += c->delay = seen.how.lag ? scree__draw(&seen.random) % seen.how.lag : 0;
    if (seen.how.held) return hold(c);
  } else {
    seen.blocks[c->peer]++;
    give(c->peer, ((const scree__wire *)c->in)->credits);
  }
  return seen.how.synchronous ? mpi_synchronous(c) : c->make(c);
}

/* What was sent on a communicator before all ranks came here, and has not been received, is found by a probe. */
static void look_behind(MPI_Comm comm) {
  MPI_Request all;
  int here = 0;
  let_go();
  PMPI_Ibarrier(comm, &all);
  while (!here) PMPI_Test(&all, &here, MPI_STATUS_IGNORE);
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &here, MPI_STATUS_IGNORE);
  seen.left_behind += here != 0;
}

/* MPI may write to the buffer of a receive once it is posted. One that was cancelled has no status. */
static int watch(mpi_call *c) {
  if (c->kind == CALL_Isend) return send(c);
  if (c->kind == CALL_Comm_free) look_behind(*c->new_comm);
  if (c->kind == CALL_Irecv && !is_credit(c)) memset(c->out, 0xee, (size_t)c->count);
  const int code = c->make(c);
  if (c->kind == CALL_Ireduce_scatter_block) let_go();
  if (c->kind == CALL_Test && c->of && c->of->kind == CALL_Irecv && !is_credit(c->of) && *c->result &&
      c->status != MPI_STATUS_IGNORE)
    seen.taken[c->status->MPI_SOURCE]++;
  return code;
}

static bool open_side(tally *s, slowness how) {
  memset(&seen, 0, sizeof seen);
  seen.how = how;
  seen.random = (uint64_t)harness_rank + 1;
  mpi_hook = watch;
  return tally_in(s, setting_open(&(setting){.transport = SCREE_TRANSPORT_MPI,
                                             .in_flight = how.in_flight,
                                             .coalesce_bytes = BLOCK,
                                             .test_pool_blocks = 100}));
}

static void close_side(tally *s) {
  check_equal(scree_close(s->world), SCREE_OK);
  check_equal(seen.left_behind, 0);
}

static uint64_t sum_over_ranks(uint64_t mine) {
  uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* One rank stays outside of any epoch while the others send as much as they can: it must not get more than it permits,
 * however soon MPI reports that a send is complete. */
HARNESS_TEST(who_sleeps_is_not_flooded) {
  for (uint64_t in_flight = 1; in_flight <= 16; in_flight *= 4) {
    tally s;
    uint64_t sent = 0;
    if (!open_side(&s, (slowness){.in_flight = in_flight})) return;
    if (harness_rank != TO) {
      check_equal(scree_begin(s.w), SCREE_OK);
      while (number_try_send(s.w, s.number, TO, sent)) sent++;
      for (int i = 0; i < 1000; i++) scree_progress(s.w);
      check_equal(seen.blocks[TO], in_flight);
      check(sent > in_flight * ITEMS_OF_BLOCK); /* so more would have been sent */
    }
    harness_all(true); /* all have sent */
    if (harness_rank == TO) check_equal(scree_begin(s.w), SCREE_OK);
    check_equal(scree_end(s.w, NULL), SCREE_OK);
    sent = sum_over_ranks(sent);
    check_equal(s.count, harness_rank == TO ? sent : 0);
    close_side(&s);
  }
}

/* Sends `blocks` blocks' worth of numbers, to rank 0 alone or to all others in turn. */
static bool exchange(tally *s, slowness how, uint64_t blocks, bool all_to_all) {
  uint64_t sent = 0;
  if (!open_side(s, how)) return false;
  check_equal(scree_begin(s->w), SCREE_OK);
  for (uint64_t i = 0; i < blocks * ITEMS_OF_BLOCK && (all_to_all || harness_rank != TO); i++) {
    uint32_t dest = all_to_all ? (s->w->rank + 1 + (uint32_t)(i / ITEMS_OF_BLOCK)) % s->w->ranks : TO;
    number_send(s->w, s->number, dest, i);
    sent += i;
  }
  check_equal(scree_end(s->w, NULL), SCREE_OK);
  check_equal(sum_over_ranks(s->sum), sum_over_ranks(sent));
  uint64_t messages = sum_over_ranks(seen.messages), delays = sum_over_ranks(seen.delays);
  check(harness_ranks == 1 || all_to_all || (messages > 0 && (delays > 0) == (how.lag > 0)));
  return true;
}

/* Nothing is sent in the other direction, so credits return only by messages: about one for half of them. */
HARNESS_TEST(one_way) {
  enum { BLOCKS = 500 };
  for (uint64_t in_flight = 1; in_flight <= 64; in_flight *= 4) {
    tally s;
    if (!exchange(&s, (slowness){.in_flight = in_flight}, BLOCKS, false)) return;
    uint64_t senders = (uint64_t)harness_ranks - 1;
    check_equal(s.count, harness_rank == TO ? senders * BLOCKS * ITEMS_OF_BLOCK : 0);
    check(seen.messages <= (harness_rank == TO ? 4 * senders * (BLOCKS / (in_flight + 1) + 1) : 0));
    close_side(&s);
  }
}

/* Credit messages that arrive when the epochs are over are still received; otherwise a later world would find them. */
HARNESS_TEST(late_messages_are_taken_in) {
  tally s;
  if (!exchange(&s, (slowness){.in_flight = 8, .held = true}, 4, false)) return;
  check_equal(seen.held, harness_rank == TO ? harness_ranks - 1 : 0);
  close_side(&s);
}

/* in_flight, lag and synchronous in every combination; a failed check or a hang ends the test. */
static void every_slowness(bool all_to_all) {
  const uint64_t blocks = harness_full() ? 1000 : harness_ranks > 2 ? 30 : 100;
  tally s;
  for (uint64_t in_flight = 1; in_flight <= 4; in_flight += 3)
    for (uint64_t lag = 0; lag <= 200; lag = lag ? 10 * lag : 20)
      for (int i = 0; i < 2 && harness_all(harness_failures() == 0); i++) {
        const slowness how = {.in_flight = in_flight, .lag = lag, .synchronous = i};
        if (exchange(&s, how, blocks, all_to_all)) close_side(&s);
      }
}

/* The receiver returns credits by messages alone, and has fewer requests for them than it needs. */
HARNESS_TEST(all_send_to_one) {
  every_slowness(false);
}

/* Every rank returns credits to all others: most travel in the headers of blocks. */
HARNESS_TEST(all_send_to_all) {
  every_slowness(true);
}

/* In an epoch of its own, so that no block is sent in the other direction and returns credits. */
static void send_blocks(tally *s, int from, int to_first, int to_last, int blocks) {
  check_equal(scree_begin(s->w), SCREE_OK);
  for (int to = to_first; to <= to_last && harness_rank == from; to++)
    for (int i = 0; i < blocks && to != from; i++) {
      number_send(s->w, s->number, (uint32_t)to, 1);
      scree_flush(s->w, s->number.id);
    }
  check_equal(scree_end(s->w, NULL), SCREE_OK);
}

/* Sends complete when they are received. Ranks 2 to 5 get as many credit messages as they have receives for, and have
 * no more blocks to send; the next ones keep all requests of rank 0, until those ranks receive credits that they do not
 * need. Rank 1 waits for credits of rank 0, or all close. */
HARNESS_TEST(who_needs_no_credits_receives_them) {
  enum { LAST = 5, WINDOW = 2 };
  if (harness_ranks <= LAST) harness_skip("this needs 6 ranks");
  for (int blocks = 100; blocks >= 0; blocks -= 100) {
    tally s;
    if (!open_side(&s, (slowness){.in_flight = WINDOW, .synchronous = true})) return;
    for (int from = 2; from <= LAST; from++) send_blocks(&s, from, 1, LAST, WINDOW);
    for (int from = 2; from <= LAST; from++) send_blocks(&s, from, 0, 0, WINDOW);
    send_blocks(&s, 1, 0, 0, blocks);
    close_side(&s);
    uint64_t expected = harness_rank == 0 ? (uint64_t)blocks + 4 * WINDOW : harness_rank == 1 ? 4 * WINDOW : 3 * WINDOW;
    check_equal(s.count, harness_rank <= LAST ? expected : 0);
  }
}

HARNESS_MPI_MAIN
