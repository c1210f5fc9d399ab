/* mpi_answers.c - published answers of real graphs, over real ranks: tiny and huge blocks, chaos, both transports.
 *
 * Product: under one MPI */
#include "harness.h"
#include "known_answers.h"
#include "known_components.h"

static void run(uint64_t transport, uint64_t coalesce_bytes, uint64_t chaos, bool all) {
  const char *missing = known_find();
  if (!missing) missing = known_components_find();
  if (missing) harness_skip(missing);
  scree_options options = SCREE_OPTIONS_INIT;
  scree_world *world = NULL;
  options.transport = transport;
  options.coalesce_bytes = coalesce_bytes;
  options.chaos = chaos;
  if (!check_equal(scree_open(&options, &world), SCREE_OK)) return;
  known_run(world, all);
  known_components_run(world, all);
  check_equal(scree_close(world), SCREE_OK);
}

/* The large graphs in every setting under --full; else as it comes. */
static void as_it_comes(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_AUTO, 0, 0, true);
}
static void tiny_blocks(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_AUTO, 64, 0, harness_full());
}
static void huge_blocks(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_AUTO, 1 << 20, 0, harness_full());
}
static void chaos(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_AUTO, 0, 31, harness_full());
}
static void by_mpi(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_MPI, 0, 0, harness_full());
}
static void by_mpi_tiny_chaos(void **unused) {
  (void)unused;
  run(SCREE_TRANSPORT_MPI, 256, 32, harness_full());
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_it_comes), cmocka_unit_test(tiny_blocks), cmocka_unit_test(huge_blocks),
    cmocka_unit_test(chaos),       cmocka_unit_test(by_mpi),      cmocka_unit_test(by_mpi_tiny_chaos),
};
HARNESS_MPI_MAIN(tests)
