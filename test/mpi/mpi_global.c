/* mpi_global.c - global memory over real ranks, under some settings: symmetric memory that ranks of a node read in each other's
 * part, allocations of tasks by all policies, and what is refused alike on all ranks. */
#include <scree/global.h>

#include "harness.h"
#include "ranks.h"
#include "setting.h"

enum { WORDS = 1000, BIG = 3 << 20, EPOCHS = 3 };

typedef struct {
  uint64_t unused;
} job_args;
SCREE_TASK(job, job_args);

static uint64_t word(uint32_t rank, uint64_t i) {
  return (uint64_t)rank << 32 | i;
}

static void run_job(scree_task *self, const job_args *unused) {
  (void)unused;
  const scree_worker *w = scree_task_worker(self);
  const scree_global_map *map = scree_task_arg(self);
  for (uint32_t p = 0; p < SCREE_GLOBAL_POLICIES; p++) {
    scree_global a;
    if (p == SCREE_GLOBAL_REMOTE && w->ranks == 1) continue;
    if (!check_equal(scree_global_alloc(self, BIG / w->ranks, (scree_global_policy)p, &a), SCREE_OK)) return;
    for (uint64_t b = 0; b < a.bytes; b += 1000) {
      const scree_address at = scree_global_at(map, &a, w->rank, b);
      char *mine = scree_global_local(map, at);
      check(mine || scree_global_owner(map, at) != w->rank);
      if (mine) *mine = 1; /* memory is there */
    }
    check_equal(scree_global_free(self, &a), SCREE_OK);
  }
}
SCREE_TASK_BODY(job, job_args, run_job);

/* Each rank writes its own words; between two epochs those of its node have done so too. */
static void symmetric(scree_world *world, const scree_global_map *map) {
  scree_worker *w = scree_worker_of(world, 0);
  scree_global a;
  uint32_t mapped = 0;
  if (!check_equal(scree_symmetric_alloc(world, WORDS * sizeof(uint64_t), &a), SCREE_OK)) return;
  uint64_t *mine = scree_global_local(map, scree_global_at(map, &a, w->rank, 0));
  for (uint64_t i = 0; i < WORDS; i++) mine[i] = word(w->rank, i);
  if (scree_begin(w) || scree_end(w, NULL)) return;
  for (uint32_t r = 0; r < w->ranks; r++) {
    const uint64_t *its = scree_global_local(map, scree_global_at(map, &a, r, 0));
    for (uint64_t i = 0; its && i < WORDS; i++)
      if (!check_equal(its[i], word(r, i))) return;
    mapped += its != NULL;
  }
  const bool shares = scree_options_of(world)->transport != SCREE_TRANSPORT_MPI;
  check(mapped >= 1 && (!shares || mapped == scree_node_ranks(world)));
}

static void play(const setting *s) {
  scree_world *world = setting_open(s);
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  job_type job;
  if (!world) return;
  tasks.task_stack = 65536;
  options.global_heap = 8 * BIG;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  options.global_stripe = 24 + (uint64_t)(harness_rank == harness_ranks - 1);
  check_equal(scree_global_open(world, &options), SCREE_EINVAL);
  options.global_stripe = SCREE_UNSET;
  options.global_heap = UINT64_C(1) << 40;
  check_equal(scree_global_open(world, &options), SCREE_ENOMEM);
  options.global_heap = 8 * BIG;
  check_equal(scree_global_open(world, &options), SCREE_OK);
  const scree_global_map *map = scree_global_map_of(world);
  check_equal(job_register(world, (void *)(uintptr_t)map, &job), SCREE_OK);
  symmetric(world, map);
  for (int e = 0; e < EPOCHS; e++) {
    scree_worker *w = scree_worker_of(world, 0);
    if (scree_begin(w)) break;
    job_spawn(w, job, NULL, (job_args){0});
    if (scree_end(w, NULL)) break;
  }
  symmetric(world, map);
  if (scree_error(world)) fprintf(stderr, "%s\n", scree_error_text(world));
  check_equal(scree_close(world), SCREE_OK);
}

static const setting settings[] = {
    {.name = "as it is"},
    {.name = "four workers", .threads = 4},
    {.name = "MPI", .transport = SCREE_TRANSPORT_MPI},
    {.name = "two nodes, chaos", .nodes = 2, SETTING_CHAOS(5)},
    {.name = "communication thread", .transport = SCREE_TRANSPORT_MPI, .threads = 2, .progress = SCREE_PROGRESS_COMM},
};

HARNESS_TEST(heap) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (settings[i].nodes <= harness_ranks && (harness_ranks > 1 || settings[i].progress != SCREE_PROGRESS_COMM))
      play(&settings[i]);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(heap)};

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
