/* mpi_global.c - global memory over real ranks, under some settings: symmetric memory that ranks of a node read in each
 * other's part, allocations of tasks by all policies, operations of all workers at once, and what is refused alike on
 * all ranks. */
#include <scree/global.h>

#include "harness.h"
#include "ranks.h"
#include "setting.h"

enum { WORDS = 1000, BIG = 3 << 20, EPOCHS = 3, ADDS = 500, JOBS = 3, STEPS = 4000 };

typedef struct {
  uint64_t number;
} job_args;
SCREE_TASK(job, job_args);
SCREE_TASK(move, job_args);
SCREE_TASK(look, job_args);

typedef struct {
  const scree_global_map *map;
  scree_global counters, words, large; /* counters: on all ranks */
  move_type move;
  look_type look;
  uint32_t workers;
} moves;

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

/* ---- operations of all workers at once ---- */

static uint64_t jobs_of(const scree_worker *w, const moves *m) {
  return (uint64_t)w->ranks * m->workers * JOBS;
}

/* All add to the same words, in all forms and sizes; each job puts words of its own, and a part of a large array. */
static void run_move(scree_task *self, const job_args *args) {
  moves *m = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint64_t jobs = jobs_of(w, m), part = BIG / jobs, from = args->number * part;
  const scree_address words = scree_global_at(m->map, &m->words, 0, 0);
  char *bytes = malloc(part);
  memset(bytes, (int)(args->number + 1), part);
  scree_put_nbi(w, scree_global_at(m->map, &m->large, 0, from), bytes, part);
  free(bytes);
  for (uint64_t i = 0; i < ADDS; i++) {
    const scree_address at = scree_global_at(m->map, &m->counters, (uint32_t)(i % w->ranks), 0);
    scree_atomic_fetch_add_nbi(w, at, 1, 8, NULL);
    scree_put_value_nbi(w, words + (args->number * ADDS + i) * 8, args->number * ADDS + i, 8);
    if (i % 50) continue;
    uint64_t old;
    if (scree_atomic_fetch_add(self, at + 8, 1, 4, &old) || scree_atomic_xor(self, at + 16, 1, 8, &old)) return;
  }
  if (scree_quiet(self)) return;
  for (uint64_t i = 0, word; i < ADDS; i += 37)
    if (scree_get(self, &word, words + (args->number * ADDS + i) * 8, 8) || !check_equal(word, args->number * ADDS + i))
      return;
}
SCREE_TASK_BODY(move, job_args, run_move);

/* In the next epoch another job finds what this one has put. */
static void run_look(scree_task *self, const job_args *args) {
  moves *m = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint64_t jobs = jobs_of(w, m), part = BIG / jobs, of = (args->number + 1) % jobs;
  char *bytes = malloc(part);
  uint64_t sum = 0, word[ADDS], counter[2];
  scree_get_nbi(w, word, scree_global_at(m->map, &m->words, 0, of * ADDS * 8), sizeof word);
  scree_get_nbi(w, bytes, scree_global_at(m->map, &m->large, 0, of * part), part);
  for (uint32_t r = 0; r < w->ranks; r++) {
    if (scree_get(self, counter, scree_global_at(m->map, &m->counters, r, 0), sizeof counter)) return;
    sum += counter[0];
  }
  check_equal(sum, jobs * ADDS);
  if (scree_quiet(self)) return;
  for (uint64_t i = 0; i < ADDS && check_equal(word[i], of * ADDS + i);) i++;
  scree_address from[ADDS];
  for (uint64_t i = 0; i < ADDS; i++) from[i] = scree_global_at(m->map, &m->words, 0, (of * ADDS + ADDS - 1 - i) * 8);
  if (scree_gather(self, word, from, ADDS, 8)) return;
  for (uint64_t i = 0; i < ADDS && check_equal(word[i], of * ADDS + ADDS - 1 - i);) i++;
  for (uint64_t i = 0; i < part; i++)
    if (!check(bytes[i] == (char)(of + 1))) break;
  free(bytes);
}
SCREE_TASK_BODY(look, job_args, run_look);

static void work(scree_worker *w, void *arg) {
  moves *m = arg;
  const uint64_t first = ((uint64_t)w->rank * m->workers + w->index) * JOBS;
  if (scree_begin(w)) return;
  for (uint64_t i = 0; i < JOBS; i++) move_spawn(w, m->move, NULL, (job_args){first + i});
  if (scree_end(w, NULL) || scree_begin(w)) return;
  for (uint64_t i = 0; i < JOBS; i++) look_spawn(w, m->look, NULL, (job_args){first + i});
  uint64_t word = 0;
  check_equal(scree_get_poll(w, &word, scree_global_at(m->map, &m->words, 0, 8), 8), SCREE_OK);
  check_equal(word, 1);
  scree_end(w, NULL);
}

/* ---- store buffering between two ranks, which touch each other's words themselves ---- */

typedef struct {
  const scree_global_map *map;
  scree_global words, steps; /* words: by step, a line each */
  uint64_t count;            /* of steps: few where ranks take turns on the cores, as they then seldom meet */
  uint64_t seen[STEPS];
} crossings;
SCREE_TASK(cross, job_args);

/* In each step both put one word and get the other's: one of them comes first. */
static void run_cross(scree_task *self, const job_args *unused) {
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
SCREE_TASK_BODY(cross, job_args, run_cross);

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
  if (w->rank < 2) cross_spawn(w, cross, NULL, (job_args){0});
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

/* Linear addresses of what all ranks have at the same offset. */
static scree_global as_cyclic(const scree_global_map *map, scree_global a, uint64_t bytes) {
  a.policy = SCREE_GLOBAL_CYCLIC;
  a.offset *= map->ranks;
  a.bytes = bytes;
  return a;
}

static void move_all(scree_world *world, const scree_global_map *map) {
  const uint32_t workers = (uint32_t)scree_options_of(world)->threads;
  moves m = {.map = map, .workers = workers};
  const uint64_t jobs = (uint64_t)map->ranks * workers * JOBS, stripe = UINT64_C(1) << map->shift;
  const uint64_t words = (jobs * ADDS * 8 / map->ranks + stripe) / stripe * stripe,
                 large = (BIG / map->ranks + stripe) / stripe * stripe;
  check_equal(scree_symmetric_alloc(world, 64, &m.counters), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, words, &m.words), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, large, &m.large), SCREE_OK);
  memset(scree_global_local(map, scree_global_at(map, &m.counters, scree_worker_of(world, 0)->rank, 0)), 0, 64);
  m.words = as_cyclic(map, m.words, words * map->ranks);
  m.large = as_cyclic(map, m.large, large * map->ranks);
  check_equal(move_register(world, &m, &m.move), SCREE_OK);
  check_equal(look_register(world, &m, &m.look), SCREE_OK);
  scree_run_workers(world, workers, work, &m);
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
  job_type job;
  if (!world) return;
  tasks.task_stack = 65536;
  options.global_direct = direct;
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
  symmetric(world, map, direct);
  for (int e = 0; e < EPOCHS; e++) {
    scree_worker *w = scree_worker_of(world, 0);
    if (scree_begin(w)) break;
    job_spawn(w, job, NULL, (job_args){0});
    if (scree_end(w, NULL)) break;
  }
  symmetric(world, map, direct);
  move_all(world, map);
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
