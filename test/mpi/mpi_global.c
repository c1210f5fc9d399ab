/* mpi_global.c - global memory over real ranks, under some settings: symmetric memory that ranks of a node read in each
 * other's part, store buffering, and what is refused alike on all ranks. Operations are in mpi_traffic. */
#include <scree/global.h>

#include "harness.h"
#include "ranks.h"
#include "setting.h"

enum { WORDS = 1000, STEPS = 4000 };

typedef struct {
  uint64_t unused;
} cross_args;

static uint64_t word(uint32_t rank, uint64_t i) {
  return (uint64_t)rank << 32 | i;
}

/* ---- store buffering between two ranks, which touch each other's words themselves ---- */

typedef struct {
  const scree_global_map *map;
  scree_global words, steps; /* words: by step, a line each */
  uint64_t count;            /* of steps: few where ranks take turns on the cores, as they then seldom meet */
  uint64_t seen[STEPS];
} crossings;
SCREE_TASK(cross, cross_args);

/* In each step both put one word and get the other's: one of them comes first. */
static void run_cross(scree_task *self, const cross_args *unused) {
  crossings *c = scree_task_arg(self);
  const uint32_t me = scree_task_worker(self)->rank, other = 1 - me;
  (void)unused;
  for (uint64_t i = 0, step = 0; i < c->count; i++) {
    if (scree_put_value(self, scree_global_at(c->map, &c->steps, me, 0), i + 1, 8)) return;
    while (step <= i)
      if (scree_get(self, &step, scree_global_at(c->map, &c->steps, other, 0), 8) || scree_task_yield(self)) return;
    if (scree_put_value(self, scree_global_at(c->map, &c->words, me, 64 * i), 1, 8) ||
        scree_get(self, &c->seen[i], scree_global_at(c->map, &c->words, other, 64 * i), 8))
      return;
  }
}
SCREE_TASK_BODY(cross, cross_args, run_cross);

static void store_buffering(scree_world *world, const scree_global_map *map) {
  static crossings c;
  scree_global seen;
  cross_type cross;
  scree_worker *w = scree_worker_of(world, 0);
  c.map = map;
  c.count = w->ranks > 2 && !harness_full() ? STEPS / 10 : STEPS;
  check_equal(scree_symmetric_alloc(world, STEPS * 64, &c.words), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, 64, &c.steps), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, sizeof c.seen, &seen), SCREE_OK);
  check_equal(cross_register(world, &c, &cross), SCREE_OK);
  memset(scree_global_local(map, scree_global_at(map, &c.words, w->rank, 0)), 0, STEPS * 64);
  memset(scree_global_local(map, scree_global_at(map, &c.steps, w->rank, 0)), 0, 64);
  if (w->ranks < 2 || scree_begin(w) || scree_end(w, NULL) || scree_begin(w)) return;
  if (w->rank < 2) cross_spawn(w, cross, NULL, (cross_args){0});
  if (scree_end(w, NULL)) return;
  memcpy(scree_global_local(map, scree_global_at(map, &seen, w->rank, 0)), c.seen, sizeof c.seen);
  if (scree_begin(w) || scree_end(w, NULL) || scree_begin(w)) return;
  uint64_t first[STEPS], second[STEPS], neither = 0;
  scree_get_poll(w, first, scree_global_at(map, &seen, 0, 0), sizeof first);
  scree_get_poll(w, second, scree_global_at(map, &seen, 1, 0), sizeof second);
  for (uint64_t i = 0; i < c.count; i++) neither += !first[i] && !second[i];
  check_equal(neither, 0);
  scree_end(w, NULL);
}

/* Each rank writes its own words; between two epochs those of its node have done so too. */
static void symmetric(scree_world *world, const scree_global_map *map, uint64_t direct) {
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
  const bool shares = scree_options_of(world)->transport != SCREE_TRANSPORT_MPI && direct != SCREE_GLOBAL_DIRECT_OFF;
  check(mapped >= 1 && (!shares || mapped == scree_node_ranks(world)));
  check(direct != SCREE_GLOBAL_DIRECT_OFF || mapped == 1);
}

static void play(const setting *s, uint64_t direct) {
  scree_world *world = setting_open(s);
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  if (!world) return;
  tasks.task_stack = 65536;
  options.global_direct = direct;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  options.global_stripe = 24 + (uint64_t)(harness_rank == harness_ranks - 1);
  check_equal(scree_global_open(world, &options), SCREE_EINVAL);
  options.global_stripe = SCREE_UNSET;
  options.global_heap = UINT64_C(1) << 40;
  check_equal(scree_global_open(world, &options), SCREE_ENOMEM);
  options.global_heap = 1 << 20;
  check_equal(scree_global_open(world, &options), SCREE_OK);
  const scree_global_map *map = scree_global_map_of(world);
  symmetric(world, map, direct);
  store_buffering(world, map);
  if (scree_error(world)) fprintf(stderr, "%s\n", scree_error_text(world));
  check_equal(scree_close(world), SCREE_OK);
}

static const setting settings[] = {
    {.name = "as it is"},
    {.name = "four workers, direct", .threads = 4},
    {.name = "four workers, by messages", .threads = 4},
    {.name = "direct or not", .threads = 2},
    {.name = "direct, a message a block", SETTING_MESSAGE_A_BLOCK},
    {.name = "MPI", .transport = SCREE_TRANSPORT_MPI},
    {.name = "two nodes, chaos", .nodes = 2, SETTING_CHAOS(5)},
    {.name = "communication thread", .transport = SCREE_TRANSPORT_MPI, .threads = 2, .progress = SCREE_PROGRESS_COMM},
};

HARNESS_TEST(heap) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (settings[i].nodes <= harness_ranks && (harness_ranks > 1 || settings[i].progress != SCREE_PROGRESS_COMM))
      play(&settings[i], i % 3);
}

int main(int argc, char **argv) {
  harness_level = MPI_THREAD_SERIALIZED;
  return harness__mpi_main(argc, argv);
}
