/* mpi_irregular.c - the kernels on tasks and global memory over real ranks, under some settings. */
#include <string.h>

#include "harness.h"
#include "irregular_case.h"
#include "ranks.h"
#include "setting.h"

/* Without a launcher ranks have no MPI. */
static bool has_mpi(const setting *s) {
  int started;
  MPI_Initialized(&started);
  return started && s->threads <= 1;
}

/* Returns how many have run. */
static uint64_t play_row(const setting *s, const irregular_case *row, const char *form, uint64_t count) {
  uint64_t runs = 0;
  for (uint64_t i = 1; i <= count && harness_failures() == 0; i++) {
    irregular_try t = {.row = row, .form = form, .draw = i + s->transport * 100 + s->threads * 1000};
    t.has_mpi = has_mpi(s);
    scree_world *world = setting_open(s);
    if (!world) return runs;
    irregular_play(world, &t);
    check_equal(scree_close(world), SCREE_OK);
    runs += t.runs;
  }
  return runs;
}

static void play(void **state) {
  for (const irregular_case *row = irregular_cases; row->kernel; row++)
    play_row(*state, row, NULL, harness_seeds(1, 8));
}

/* The form that needs MPI: among those that are drawn there may be none. Several workers need another thread level. */
static void play_mpi(void **state) {
  const irregular_case *row = irregular_cases;
  while (strcmp(row->kernel, "stencil") != 0) row++;
  check_equal(play_row(*state, row, "mpi", 4), has_mpi(*state) ? 8 : 0);
}

#define TEST(name, ...)                                                                                                \
  {                                                                                                                    \
    name, play, NULL, NULL, &(setting) {                                                                               \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define BY_MPI(name, ...)                                                                                              \
  {                                                                                                                    \
    name, play_mpi, NULL, NULL, &(setting) {                                                                           \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
static const struct CMUnitTest tests[] = {
    TEST("as it comes", .coalesce_bytes = 0),
    TEST("mpi", .transport = SCREE_TRANSPORT_MPI),
    TEST("workers", .threads = 3),
    TEST("chaos", SETTING_CHAOS(5)),
    BY_MPI("a form by MPI", .coalesce_bytes = 0),
    BY_MPI("a form by MPI, workers", .threads = 2),
};

int main(int argc, char **argv) {
  HARNESS_ADD(tests);
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
