/* mpi_damage.c - a block that arrives from MPI and cannot be one of this world: the world fails on all ranks, with the reason
 * on the rank that received it, and nothing is written out of bounds.
 *
 * The last rank's first block is damaged on its way, by MPI_Isend, which is defined here in front of MPI's own profiling
 * interface. */
#include <mpi.h>
#include <scree/scree_mpi.h>

#include "block/block.h"
#include "harness.h"
#include "virtual_nodes.h"

typedef enum { NONE, MORE_BYTES, FEWER_BYTES, CUT, NO_HEADER, OWNER, TYPE, FAR_FRAGMENT, SHORT_FRAGMENT, KINDS } damage;

static const char *const reasons[KINDS] = {
    [MORE_BYTES] = "says that it has 4294967",
    [FEWER_BYTES] = "says that it has 33 ",
    [CUT] = "says that it has ",
    [NO_HEADER] = "a block of 16 bytes from rank ",
    [OWNER] = "is of endpoint 1000000, of 0 to ",
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

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
  const scree__wire *wire = buffer;
  const bool block = type == MPI_BYTE && count >= (int)sizeof *wire && count <= (int)sizeof copy;
  if (next == NONE || !block || wire->kind != (next >= FAR_FRAGMENT ? SCREE__FRAGMENT : SCREE__DATA))
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
  memcpy(copy.bytes, buffer, (size_t)count);
  return PMPI_Isend(copy.bytes, damage_copy(count), type, dest, tag, comm, request);
}

/* ---- what is sent ---- */

SCREE_MESSAGE(count, uint32_t);
SCREE_VARIABLE(record);

static void on_count(scree_worker *w, const scree_batch *batch, const uint32_t *items, void *arg) {
  (void)w, (void)items;
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(count, uint32_t, on_count);

static void on_record(scree_worker *w, const scree_batch *batch, const void *records, void *arg) {
  (void)w, (void)records;
  *(uint64_t *)arg += batch->count;
}
SCREE_VARIABLE_HANDLER(record, on_record);

static scree_status one_epoch(scree_world *world, count_type count, record_type record) {
  static const char large[3000000];
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 0; i < 100 * w->ranks; i++) count_send(w, count, i % w->ranks, i);
  for (uint32_t r = 0; r < w->ranks; r++) record_send(w, record, r, large, sizeof large);
  return scree_end(w, NULL);
}

static void fails_for(damage kind, uint64_t transport, int nodes) {
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  uint64_t counted = 0;
  count_type count;
  record_type record;
  options.transport = transport;
  virtual_nodes = nodes;
  check_equal(scree_open_mpi(MPI_COMM_WORLD, &options, &world), SCREE_OK);
  virtual_nodes = 1;
  if (!world) return;
  check_equal(count_register(world, &counted, &count), SCREE_OK);
  check_equal(record_register(world, &counted, &record), SCREE_OK);
  if (harness_rank == harness_ranks - 1) next = kind;
  const scree_status status = one_epoch(world, count, record), expected = kind == NONE ? SCREE_OK : SCREE_EPEER;
  check_text(status == expected, "damage %d: status %d", (int)kind, (int)status);
  check(next == NONE);
  if (kind != NONE) check(!harness_all(!strstr(scree_error_text(world), reasons[kind])));
  check_equal(scree_close(world), expected);
}

static void damaged_blocks(void **unused) {
  (void)unused;
  if (harness_ranks == 1) harness_skip("one rank sends no blocks by MPI");
  for (damage kind = NONE; kind < KINDS && harness_all(harness_failures() == 0); kind++) {
    fails_for(kind, SCREE_TRANSPORT_MPI, 1);
    fails_for(kind, SCREE_TRANSPORT_AUTO, 2);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_blocks)};
HARNESS_MPI_MAIN(tests)
