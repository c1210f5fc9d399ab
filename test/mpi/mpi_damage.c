/* mpi_damage.c - a block that arrives from MPI and cannot be one of this world: the world fails on all ranks, with the
 * reason on the rank that received it, and nothing is written out of bounds.
 *
 * The last rank's first block is damaged in flight. */
#include "block/block.h"
#include "harness.h"
#include "interpose.h"
#include "setting.h"

typedef enum { NONE, MORE_BYTES, FEWER_BYTES, CUT, NO_HEADER, OWNER, TYPE, FAR_FRAGMENT, SHORT_FRAGMENT, KINDS } damage;

static const char *const reasons[KINDS] = {
    [MORE_BYTES] = "states 4294967",
    [FEWER_BYTES] = "states 33 ",
    [CUT] = "states ",
    [NO_HEADER] = "a block of 16 bytes from rank ",
    [OWNER] = "and endpoint 1000000, of 0 to ",
    [TYPE] = "is of message type 77, and this world has 2 types",
    [FAR_FRAGMENT] = "to be put at byte 1099511627776 of a record of 3000000",
    [SHORT_FRAGMENT] = "has 5 bytes, to be put at byte ",
};

static damage next; /* of this rank's next block of that kind */
static union {
  scree__wire wire;
  char bytes[1 << 21];
} copy;

static int damage_copy(int bytes) {
  scree__fragment *fragment = (scree__fragment *)(void *)(copy.bytes + sizeof copy.wire);
  const damage kind = next;
  next = NONE;
  if (kind == MORE_BYTES) copy.wire.segment.bytes = 4294967000;
  if (kind == FEWER_BYTES) copy.wire.segment.bytes = 1;
  if (kind == OWNER) copy.wire.owner = 1000000;
  if (kind == TYPE) copy.wire.segment.type = 77;
  if (kind == FAR_FRAGMENT) fragment->offset = UINT64_C(1) << 40;
  if (kind == SHORT_FRAGMENT) copy.wire.segment.bytes = 5;
  if (kind == SHORT_FRAGMENT) return (int)sizeof copy.wire + 5;
  return kind == NO_HEADER ? 16 : kind == CUT ? bytes - 4 : bytes;
}

static int watch(mpi_call *c) {
  const scree__wire *wire = c->in;
  const bool block = c->kind == CALL_Isend && c->type == MPI_BYTE && c->count <= (int)sizeof copy;
  if (next != NONE && block && wire->kind == (next >= FAR_FRAGMENT ? SCREE__FRAGMENT : SCREE__DATA)) {
    memcpy(copy.bytes, c->in, (size_t)c->count);
    c->in = copy.bytes;
    c->count = damage_copy(c->count);
  }
  return c->make(c);
}

/* ---- what is sent ---- */

SCREE_VARIABLE(record);

static void on_record(scree_worker *w, const scree_batch *batch, const void *records, void *arg) {
  ((tally *)arg)->count += batch->count;
}
SCREE_VARIABLE_HANDLER(record, on_record);

static scree_status one_epoch(const tally *t, record_type record) {
  static const char large[3000000];
  check_equal(scree_begin(t->w), SCREE_OK);
  for (uint32_t i = 0; i < 100 * t->w->ranks; i++) number_send(t->w, t->number, i % t->w->ranks, i);
  for (uint32_t r = 0; r < t->w->ranks; r++) record_send(t->w, record, r, large, sizeof large);
  return scree_end(t->w, NULL);
}

static void fails_for(damage kind, const setting *s) {
  tally t;
  record_type record;
  if (!tally_in(&t, setting_open(s))) return;
  check_equal(record_register(t.world, &t, &record), SCREE_OK);
  if (harness_rank == harness_ranks - 1) next = kind;
  const scree_status status = one_epoch(&t, record), expected = kind == NONE ? SCREE_OK : SCREE_EPEER;
  check_text(status == expected, "damage %d: status %d", (int)kind, (int)status);
  check(next == NONE);
  if (kind != NONE) check(!harness_all(!strstr(scree_error_text(t.world), reasons[kind])));
  check_equal(scree_close(t.world), expected);
}

HARNESS_TEST(damaged_blocks) {
  if (harness_ranks == 1) harness_skip("one rank sends no blocks by MPI");
  mpi_hook = watch;
  for (damage kind = NONE; kind < KINDS && harness_all(harness_failures() == 0); kind++) {
    fails_for(kind, &(setting){.transport = SCREE_TRANSPORT_MPI});
    fails_for(kind, &(setting){.nodes = 2});
  }
}

HARNESS_MPI_MAIN
