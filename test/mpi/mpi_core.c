/* mpi_core.c - the core over real ranks: nested sends of every kind of type, judged by totals over all ranks.
 * One program runs under many settings: transports, tiny pools, chaos, counters near their end.
 *
 * MPI: defaults */
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "base/random.h"
#include "harness.h"
#include "virtual_nodes.h"

enum { EPOCHS = 20, LARGE = 1 << 20 };

typedef struct {
  const char *name;
  uint64_t transport, coalesce_bytes, pool_blocks, memory, in_flight, batch_max, counter_start, chaos;
  int nodes; /* virtual; 0: as it is */
} setting;

#define UNSET SCREE_UNSET
static const setting settings[] = {
    {"as it comes", SCREE_TRANSPORT_AUTO, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, 0},
    {"shm, a message a block, one block", SCREE_TRANSPORT_SHM, 1, 1, 4096, 1, 1, UNSET, UNSET, 0},
    {"shm, two blocks, counters before 2^64", SCREE_TRANSPORT_SHM, 100, 2, 4096, 2, 3, UINT64_MAX - 9, UNSET, 0},
    {"shm, chaos", SCREE_TRANSPORT_SHM, 200, 3, UNSET, 3, 7, UNSET, 20261121, 0},
    {"mpi", SCREE_TRANSPORT_MPI, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, 0},
    {"mpi, a message a block, one block", SCREE_TRANSPORT_MPI, 1, 1, 4096, 1, 1, UNSET, UNSET, 0},
    {"mpi, counters before 2^32", SCREE_TRANSPORT_MPI, 1000, 2, 8192, 2, 5, UINT32_MAX - 9, UNSET, 0},
    {"mpi, chaos", SCREE_TRANSPORT_MPI, 200, 3, UNSET, 3, 7, UNSET, 11212026, 0},
    {"huge blocks", SCREE_TRANSPORT_AUTO, 1 << 20, UNSET, 1 << 24, UNSET, UNSET, UNSET, UNSET, 0},
    {"two nodes", SCREE_TRANSPORT_AUTO, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, 2},
    {"two nodes, a message a block, one block", SCREE_TRANSPORT_AUTO, 1, 1, 4096, 1, 1, UNSET, UNSET, 2},
    {"three nodes, chaos", SCREE_TRANSPORT_AUTO, 200, 3, UNSET, 3, 7, UINT64_MAX - 9, 77, 3},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

typedef struct {
  uint64_t value;
  uint32_t depth, epoch, dest;
} note;

typedef struct {
  note head;
  unsigned char rest[SCREE_ITEM_MAX - sizeof(note)];
} giant_note;

SCREE_MESSAGE(small, note);
SCREE_MESSAGE(byte, uint8_t);
SCREE_MESSAGE(giant, giant_note);
SCREE_VARIABLE(text);

typedef struct {
  scree_worker *w;
  small_type small;
  byte_type byte;
  giant_type giant;
  text_type text;
  uint64_t random, sent[4], handled[4]; /* sums of values: notes; bytes; giants; texts */
  uint32_t epoch;
  scree_reduce part;
} player;

/* The record is this call's alone: handlers that run inside the send may send texts of their own. */
static void send_text(player *me, note n) {
  bool large = scree__one_in(&me->random, 16);
  size_t extra = large ? LARGE - sizeof n - scree__draw(&me->random) % 100 : scree__draw(&me->random) % 300;
  unsigned char *record = malloc(sizeof n + extra);
  if (!check(record)) return;
  memset(record + sizeof n, (int)(n.value & 255), extra);
  memcpy(record, &n, sizeof n);
  text_send(me->w, me->text, n.dest, record, sizeof n + extra);
  free(record);
}

static void send_one(player *me, uint32_t depth) {
  uint32_t dest = (uint32_t)(scree__draw(&me->random) % me->w->ranks);
  note n = {scree__draw(&me->random) >> 20, depth, me->epoch, dest};
  uint32_t kind = (uint32_t)(scree__draw(&me->random) % 64);
  kind = kind < 48 ? 0 : kind < 58 ? 1 : kind < 60 ? 2 : 3;
  if (kind == 1) n.value &= 255;
  me->sent[kind] += n.value;
  me->part.sum[1]++;
  if (kind == 0 && !small_try_send(me->w, me->small, dest, n)) small_send(me->w, me->small, dest, n);
  if (kind == 1) byte_send(me->w, me->byte, dest, (uint8_t)n.value);
  if (kind == 3) send_text(me, n);
  if (kind != 2) return;
  giant_note *g = malloc(sizeof *g);
  if (!check(g)) return;
  memset(g, (int)(n.value & 255), sizeof *g);
  g->head = n;
  giant_send(me->w, me->giant, dest, *g);
  free(g);
}

static void handle(player *me, const note *n, int kind) {
  check_equal(n->dest, me->w->rank);
  check_equal(n->epoch, me->epoch);
  me->handled[kind] += n->value;
  me->part.sum[0]++;
  for (int i = 0; i < 2 && n->depth > 0; i++)
    if (scree__one_in(&me->random, 2)) send_one(me, n->depth - 1);
}

static void on_small(scree_worker *w, const scree_batch *batch, const note *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) handle(arg, &items[i], 0);
}

static void on_byte(scree_worker *w, const scree_batch *batch, const uint8_t *items, void *arg) {
  player *me = arg;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) me->handled[1] += items[i];
  me->part.sum[0] += batch->count;
}

static bool all_equal(const unsigned char *bytes, size_t count, unsigned char value) {
  return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static void on_giant(scree_worker *w, const scree_batch *batch, const giant_note *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) {
    check(all_equal(items[i].rest, sizeof items[i].rest, (unsigned char)items[i].head.value));
    handle(arg, &items[i].head, 2);
  }
}

static void on_text(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  const void *at = items;
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    note n;
    const unsigned char *record = scree_record_next(&at, &bytes);
    check_equal((uintptr_t)record % 8, 0);
    memcpy(&n, record, sizeof n);
    check(all_equal(record + sizeof n, bytes - sizeof n, (unsigned char)n.value));
    handle(arg, &n, 3);
  }
}

SCREE_HANDLER(small, note, on_small);
SCREE_HANDLER(byte, uint8_t, on_byte);
SCREE_HANDLER(giant, giant_note, on_giant);
SCREE_VARIABLE_HANDLER(text, on_text);

static void one_epoch(player *me) {
  scree_world *world = scree_world_of(me->w);
  uint64_t mine[8], all[8];
  memset(me->sent, 0, sizeof me->sent);
  memset(me->handled, 0, sizeof me->handled);
  me->part = (scree_reduce){{0, 0}, me->w->rank, me->w->rank};
  check_equal(scree_begin(me->w), SCREE_OK);
  for (uint64_t i = scree__draw(&me->random) % 60; i > 0; i--) send_one(me, 3);
  if (me->epoch & 1) {
    while (!scree_test(me->w, true, &me->part)) {
    }
  } else {
    check_equal(scree_end(me->w, &me->part), SCREE_OK);
  }
  check_equal(scree_error(world), SCREE_OK);
  check_equal(me->part.sum[0], me->part.sum[1]); /* handled and sent, over all ranks */
  check_equal(me->part.min, 0);
  check_equal(me->part.max, me->w->ranks - 1);
  memcpy(mine, me->sent, sizeof me->sent);
  memcpy(mine + 4, me->handled, sizeof me->handled);
  MPI_Allreduce(mine, all, 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < 4; k++) check_equal(all[k], all[4 + k]);
}

/* The large types come later: blocks of the first epochs are too small for them. */
static void play(scree_world *world) {
  player me = {.w = scree_worker_of(world, 0)};
  me.random = 77 + me.w->rank;
  check_equal(small_register(world, &me, &me.small), SCREE_OK);
  check_equal(byte_register(world, &me, &me.byte), SCREE_OK);
  check_equal(scree_begin(me.w), SCREE_OK);
  me.part.sum[0] = me.part.sum[1] = 0;
  for (uint8_t i = 0; i < 40; i++) byte_send_all(me.w, me.byte, i);
  check_equal(scree_end(me.w, &me.part), SCREE_OK);
  check_equal(me.part.sum[0], 40 * me.w->ranks * me.w->ranks);
  check_equal(giant_register(world, &me, &me.giant), SCREE_OK);
  check_equal(text_register(world, &me, &me.text), SCREE_OK);
  for (; me.epoch < EPOCHS && harness_all(harness_failures() == 0); me.epoch++) one_epoch(&me);
}

static scree_world *open_world(const setting *s) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  options.transport = s->transport;
  options.coalesce_bytes = s->coalesce_bytes;
  options.pool_blocks = s->pool_blocks;
  options.memory = s->memory;
  options.in_flight = s->in_flight;
  options.batch_max = s->batch_max;
  options.counter_start = s->counter_start;
  options.chaos = s->chaos;
  check_equal(scree_open_mpi(MPI_COMM_WORLD, &options, &world), SCREE_OK);
  return world;
}

static void nested_sends(void **state) {
  const setting *s = *state;
  virtual_nodes = s->nodes ? s->nodes : 1;
  scree_world *world = open_world(s);
  virtual_nodes = 1;
  if (!world) return;
  play(world);
  check_equal(scree_close(world), SCREE_OK);
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[SETTINGS];
  for (size_t i = 0; i < SETTINGS; i++)
    tests[i] = (struct CMUnitTest){settings[i].name, nested_sends, NULL, NULL, (void *)(uintptr_t)&settings[i]};
  return harness__mpi_main(argc, argv, tests, SETTINGS);
}
