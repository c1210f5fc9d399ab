/* mpi_core.c - the core over real ranks: nested sends of every kind of type, judged by totals over all ranks.
 * One program runs under many settings: transports, tiny pools, chaos, counters near their end.
 *
 * MPI: defaults */
#include <mpi.h>

#include "base/random.h"
#include "harness.h"
#include "setting.h"

enum { EPOCHS = 20, LARGE = 1 << 20 };

static const setting settings[] = {
    {.name = "as it comes"},
    {.name = "shm, a message a block, one block", .transport = SCREE_TRANSPORT_SHM, SETTING_MESSAGE_A_BLOCK},
    {.name = "shm, two blocks, counters before 2^64",
     .transport = SCREE_TRANSPORT_SHM,
     .coalesce_bytes = 100,
     .pool_blocks = 2,
     .memory = 4096,
     .in_flight = 2,
     .batch_max = 3,
     .counter_start = UINT64_MAX - 9},
    {.name = "shm, chaos", .transport = SCREE_TRANSPORT_SHM, SETTING_CHAOS(20261121)},
    {.name = "mpi", .transport = SCREE_TRANSPORT_MPI},
    {.name = "mpi, a message a block, one block", .transport = SCREE_TRANSPORT_MPI, SETTING_MESSAGE_A_BLOCK},
    {.name = "mpi, counters before 2^32",
     .transport = SCREE_TRANSPORT_MPI,
     .coalesce_bytes = 1000,
     .pool_blocks = 2,
     .memory = 8192,
     .in_flight = 2,
     .batch_max = 5,
     .counter_start = UINT32_MAX - 9},
    {.name = "mpi, chaos", .transport = SCREE_TRANSPORT_MPI, SETTING_CHAOS(11212026)},
    {.name = "huge blocks", .coalesce_bytes = 1 << 20, .memory = 1 << 24},
    {.name = "two nodes", .nodes = 2},
    {.name = "two nodes, a message a block, one block", SETTING_MESSAGE_A_BLOCK, .nodes = 2},
    {.name = "three nodes, chaos", SETTING_CHAOS(77), .counter_start = UINT64_MAX - 9, .nodes = 3},
    {.name = "flat", .detector = SCREE_DETECTOR_FLAT},
    {.name = "two nodes, chaos, flat", SETTING_CHAOS(78), .detector = SCREE_DETECTOR_FLAT, .nodes = 2},
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

static void nested_sends(void **state) {
  scree_world *world = setting_open(*state);
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
