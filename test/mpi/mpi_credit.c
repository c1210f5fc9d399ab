/* mpi_credit.c - between nodes the receiver decides how much is on its way to it, and nothing is left on the way.
 *
 * What is sent is counted by defining MPI_Isend here, in front of MPI's own profiling
 * interface. */
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "base/options.h"
#include "block/block.h"
#include "harness.h"

enum { TO = 0, MOST_RANKS = 64, BLOCK = 4096 };

static struct { uint64_t blocks[MOST_RANKS], notes, left_behind; /* blocks: by destination */ } seen;

/* A slow network: notes that are held back leave once the world is being closed. */
static struct {
  bool on;
  int count;
  struct {
    uint32_t text;
    int dest, tag;
  } notes[MOST_RANKS];
} held;

static bool hold(const void *text, int dest, int tag, MPI_Request *request) {
  if (!held.on || !check(held.count < MOST_RANKS)) return false;
  memcpy(&held.notes[held.count].text, text, sizeof held.notes->text);
  held.notes[held.count].dest = dest;
  held.notes[held.count++].tag = tag;
  *request = MPI_REQUEST_NULL;
  return true;
}

static void let_go(MPI_Comm comm) {
  while (held.count-- > 0)
    PMPI_Send(&held.notes[held.count].text, 1, MPI_UINT32_T, held.notes[held.count].dest, held.notes[held.count].tag,
              comm);
  held.count = 0;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  bool note = (size_t)count * (size_t)size < sizeof(scree__wire);
  if (note)
    seen.notes++;
  else
    seen.blocks[dest % MOST_RANKS]++;
  return note && hold(buffer, dest, tag, request) ? MPI_SUCCESS
                                                  : PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

int MPI_Ireduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request *request) {
  int code = PMPI_Ireduce_scatter_block(in, out, count, type, op, comm, request);
  let_go(comm);
  return code;
}

/* What was sent on a communicator before all ranks came here, and has not been received, is found by a probe. */
int MPI_Comm_free(MPI_Comm *comm) {
  MPI_Request all;
  int here = 0;
  let_go(*comm);
  PMPI_Ibarrier(*comm, &all);
  while (!here) PMPI_Test(&all, &here, MPI_STATUS_IGNORE);
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &here, MPI_STATUS_IGNORE);
  seen.left_behind += here != 0;
  return PMPI_Comm_free(comm);
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

static bool open_side(side *s, uint64_t in_flight) {
  scree__options options = SCREE__OPTIONS_INIT;
  *s = (side){.world = NULL};
  memset(&seen, 0, sizeof seen);
  options.transport = SCREE_TRANSPORT_MPI;
  options.in_flight = in_flight;
  options.coalesce_bytes = BLOCK;
  options.test_pool_blocks = 100;
  if (!check_equal(scree_open_mpi(MPI_COMM_WORLD, &options.user, &s->world), SCREE_OK)) return false;
  s->w = scree_worker_of(s->world, 0);
  return check_equal(number_register(s->world, s, &s->type), SCREE_OK);
}

static void close_side(side *s) {
  check_equal(scree_close(s->world), SCREE_OK);
  check_equal(seen.left_behind, 0);
}

/* The one rank sits outside of any epoch while the others send as much as they can: it must not get more than it
 * allowed for, however soon MPI says that a send is done. */
static void who_sleeps_is_not_flooded(void **unused) {
  (void)unused;
  for (uint64_t in_flight = 1; in_flight <= 16; in_flight *= 4) {
    side s;
    uint64_t sent = 0;
    if (!open_side(&s, in_flight)) return;
    if (harness_rank != TO) {
      check_equal(scree_begin(s.w), SCREE_OK);
      while (number_try_send(s.w, s.type, TO, sent)) sent++;
      for (int i = 0; i < 1000; i++) scree_progress(s.w);
      check_equal(seen.blocks[TO], in_flight);
      check(sent > in_flight * BLOCK / sizeof(uint64_t)); /* so more would have gone */
    }
    harness_all(true); /* all have sent */
    if (harness_rank == TO) check_equal(scree_begin(s.w), SCREE_OK);
    check_equal(scree_end(s.w, NULL), SCREE_OK);
    uint64_t all = 0;
    MPI_Allreduce(&sent, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check_equal(s.count, harness_rank == TO ? all : 0);
    close_side(&s);
  }
}

/* Nothing goes the other way, so credits come back by notes alone: about one for half of them. */
static void one_way(void **unused) {
  (void)unused;
  enum { ITEMS = 100000 };
  for (uint64_t in_flight = 1; in_flight <= 64; in_flight *= 4) {
    side s;
    if (!open_side(&s, in_flight)) return;
    check_equal(scree_begin(s.w), SCREE_OK);
    for (uint64_t i = 0; i < ITEMS && harness_rank != TO; i++) number_send(s.w, s.type, TO, i);
    check_equal(scree_end(s.w, NULL), SCREE_OK);
    uint64_t senders = (uint64_t)harness_ranks - 1, blocks = senders * ITEMS * sizeof(uint64_t) / BLOCK;
    if (harness_rank == TO) {
      check_equal(s.count, senders * ITEMS);
      check_equal(s.sum, senders * ((uint64_t)ITEMS * (ITEMS - 1) / 2));
      check(seen.notes <= 4 * blocks / (in_flight + 1) + 4 * senders);
      check(senders == 0 || in_flight > 32 || seen.notes > 0);
    } else {
      check_equal(seen.notes, 0);
    }
    close_side(&s);
  }
}

/* As much goes each way: most credits travel in the headers of blocks. */
static void both_directions(void **unused) {
  (void)unused;
  enum { ITEMS = 200000 };
  side s;
  if (!open_side(&s, 4)) return;
  check_equal(scree_begin(s.w), SCREE_OK);
  for (uint64_t i = 0; i < ITEMS; i++) number_send(s.w, s.type, (uint32_t)i % s.w->ranks, i);
  check_equal(scree_end(s.w, NULL), SCREE_OK);
  uint64_t sum = (uint64_t)ITEMS * (ITEMS - 1) / 2, all = 0;
  MPI_Allreduce(&s.sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  check_equal(all, sum * (uint64_t)harness_ranks);
  close_side(&s);
}

/* Notes that come when the epochs are over are still taken in, or a later world would find them. */
static void late_notes_are_taken_in(void **unused) {
  (void)unused;
  enum { IN_FLIGHT = 8, ITEMS = IN_FLIGHT / 2 * BLOCK / sizeof(uint64_t) };
  side s;
  if (!open_side(&s, IN_FLIGHT)) return;
  held.on = true;
  check_equal(scree_begin(s.w), SCREE_OK);
  for (uint64_t i = 0; i < ITEMS && harness_rank != TO; i++) number_send(s.w, s.type, TO, i);
  check_equal(scree_end(s.w, NULL), SCREE_OK);
  check_equal(held.count, harness_rank == TO ? harness_ranks - 1 : 0);
  close_side(&s);
  held.on = false;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(who_sleeps_is_not_flooded),
    cmocka_unit_test(one_way),
    cmocka_unit_test(both_directions),
    cmocka_unit_test(late_notes_are_taken_in),
};
HARNESS_MPI_MAIN(tests)
