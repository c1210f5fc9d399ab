/* unit_tsan_global.c - global memory of ranks and workers that are threads of this process, under the thread sanitizer:
 * words are touched by atomics and by words of requests at once, other bytes by one task in an epoch, and an object by
 * delegates alone. */
#include <scree/global.h>

#include "harness.h"
#include "threads_transport.h"

enum { RANKS = 2, EPOCHS = 3, TASKS = 5, SLICE = 100, OBJECT = 4096, SLICES = 8192, BYTES = 65536 };

typedef struct {
  uint64_t slice, epoch;
} job_args;
typedef struct {
  uint64_t value;
} add_args;
SCREE_TASK(job, job_args);
SCREE_DELEGATE(add, add_args, add_args);

typedef struct {
  const scree_global_map *map;
  scree_global array; /* words, an object, and a slice for each task */
  job_type job;
  add_type add;
} rank_state;
typedef struct {
  threads_node node;
  rank_state rank[RANKS];
  uint64_t direct;
  uint32_t workers;
} stage;

/* Plain: all on the same bytes run on one worker. */
static void on_add(scree_worker *w, void *object, const add_args *args, add_args *result, void *arg) {
  (void)w, (void)arg;
  result->value = *(uint64_t *)object += args->value;
}
SCREE_DELEGATE_BODY(add, add_args, add_args, on_add);

static scree_address at(const rank_state *r, uint64_t rank, uint64_t byte) {
  return scree_global_at(r->map, &r->array, (uint32_t)rank, byte);
}

static scree_address slice_at(const rank_state *r, uint64_t slice) {
  return at(r, slice % RANKS, SLICES + slice * SLICE);
}

/* What another task has put in the epoch before. */
static void examine(scree_task *self, const rank_state *r, const job_args *args) {
  unsigned char got[SLICE];
  const scree_worker *w = scree_task_worker(self);
  const uint64_t of = (args->slice + 1) % ((uint64_t)w->ranks * w->threads * TASKS);
  if (scree_get(self, got, slice_at(r, of), SLICE)) return;
  for (int i = 0; i < SLICE && check_equal(got[i], args->epoch);) i++;
}

static void run_job(scree_task *self, const job_args *args) {
  rank_state *r = scree_task_arg(self);
  scree_worker *w = scree_task_worker(self);
  const uint64_t mine = args->slice;
  unsigned char bytes[SLICE];
  uint64_t old;
  add_args result;
  for (uint64_t i = 0; i < 8; i++) {
    scree_atomic_fetch_add_nbi(w, at(r, i % RANKS, 0), 1, 8, NULL);
    scree_atomic_xor_nbi(w, at(r, i % RANKS, 8), i, 8, NULL);
    if (scree_atomic_fetch_add(self, at(r, i % RANKS, 16), 1, 4, &old)) return;
    if (scree_put_value(self, at(r, i % RANKS, 24), i, 8) || scree_get(self, &old, at(r, 0, 24), 8)) return;
    add_cast(w, r->add, at(r, i % RANKS, OBJECT), 8, (add_args){1});
  }
  if (add_call(self, r->add, at(r, mine % RANKS, OBJECT), 8, (add_args){0}, &result)) return;
  if (args->epoch % 2) {
    examine(self, r, args);
    return;
  }
  memset(bytes, (int)args->epoch + 1, SLICE);
  scree_put_nbi(w, slice_at(r, mine), bytes, SLICE);
  scree_quiet(self);
}
SCREE_TASK_BODY(job, job_args, run_job);

static void play_epochs(scree_worker *w, void *arg) {
  rank_state *r = arg;
  for (uint64_t e = 0; e < EPOCHS; e++) {
    if (!check_equal(scree_begin(w), SCREE_OK)) return;
    for (uint64_t i = 0; i < TASKS; i++)
      job_spawn(w, r->job, NULL, (job_args){((uint64_t)w->rank * w->threads + w->index) * TASKS + i, e});
    if (!check_equal(scree_end(w, NULL), SCREE_OK)) return;
  }
}

static void play(void *context, uint32_t rank) {
  stage *s = context;
  rank_state *r = &s->rank[rank];
  scree_world *world = threads_world(&s->node, rank);
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  scree_global_options options = SCREE_GLOBAL_OPTIONS_INIT;
  if (!check(world != NULL)) return;
  tasks.task_stack = 65536;
  options.global_direct = s->direct;
  options.global_heap = 1 << 20;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &options), SCREE_OK);
  r->map = scree_global_map_of(world);
  check_equal(job_register(world, r, &r->job), SCREE_OK);
  check_equal(add_register(world, r, &r->add), SCREE_OK);
  check_equal(scree_symmetric_alloc(world, BYTES, &r->array), SCREE_OK);
  uint64_t *mine = scree_global_local(r->map, at(r, rank, 0));
  memset(mine, 0, BYTES);
  check_equal(scree_run_workers(world, s->workers, play_epochs, r), SCREE_OK);
  const uint64_t times = (uint64_t)RANKS * s->workers * TASKS * EPOCHS * 8 / RANKS;
  check_equal(mine[0], times);
  check_equal(mine[2], times);
  check_equal(mine[OBJECT / 8], times);
  check_equal(scree_close(world), SCREE_OK);
}

HARNESS_TEST(heap) {
  for (uint32_t i = 0; i < 6; i++) {
    static stage s;
    scree_options options = SCREE_OPTIONS_INIT;
    s.direct = i % 3;
    s.workers = 2 + 2 * (i / 3);
    options.threads = s.workers;
    if (!check(threads_open(&s.node, RANKS, &options))) return;
    threads_run(RANKS, play, &s);
    threads_close(&s.node);
  }
}

HARNESS_MAIN
