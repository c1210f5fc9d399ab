/* mpi_irregular.c - the kernels on tasks and global memory over real ranks, under some settings. */
#include "harness.h"
#include "irregular_case.h"
#include "ranks.h"
#include "setting.h"

static void play(void **state) {
  const setting *s = *state;
  for (const irregular_case *row = irregular_cases; row->kernel; row++)
    for (uint64_t i = 1; i <= harness_seeds(1, 8) && harness_failures() == 0; i++) {
      irregular_try t = {.row = row, .draw = i + s->transport * 100 + s->threads * 1000};
      scree_world *world = setting_open(s);
      if (!world) return;
      irregular_play(world, &t);
      check_equal(scree_close(world), SCREE_OK);
    }
}

#define TEST(name, ...)                                                                                                \
  {                                                                                                                    \
    name, play, NULL, NULL, &(setting) {                                                                               \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
static const struct CMUnitTest tests[] = {
    TEST("as it comes", .coalesce_bytes = 0),
    TEST("mpi", .transport = SCREE_TRANSPORT_MPI),
    TEST("workers", .threads = 3),
    TEST("chaos", SETTING_CHAOS(5)),
};

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
