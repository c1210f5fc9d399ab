/* sim_global_heap.c - the heap of global memory: allocations by all policies on drawn worlds, against a table that says
 * which bytes of which rank are whose; what is freed is reused only in the next epoch; what is refused, and by which
 * text. */
#include <scree/global.h>

#include "base/random.h"
#include "drawn_world.h"
#include "harness.h"

enum { SEEDS = 100, SEEDS_FULL = 2000, EPOCHS = 3, HEAP = 65536, GRAIN = 8, RANKS = 9, KEPT = 40 };

typedef struct {
  uint64_t rounds;
} job_args;
SCREE_TASK(job, job_args);

typedef struct {
  scree_global array;
  uint32_t home, id; /* id: 0: free */
} kept;

/* What all virtual ranks share, since one thread runs them. */
typedef struct {
  uint64_t random;
  uint32_t epoch, ids, ranks, nodes;
  uint32_t whose[RANKS][HEAP / GRAIN]; /* the id of an allocation, 0: none */
  uint32_t freed[RANKS][HEAP / GRAIN]; /* 1 + the epoch in which it was freed last */
  kept kept[KEPT];
  uint64_t allocated, refused, reused;
  scree_global_options options;
} shared;

typedef struct {
  shared *s;
  scree_world *world;
  job_type job;
} virtual_rank;

static uint64_t draw(shared *s, uint64_t n) {
  return scree__draw(&s->random) % n;
}

/* Each grain of each copy changes from one owner to another one; in a world of one node the bytes carry the id. */
static void mark(shared *s, const scree_global_map *map, const kept *k, uint32_t from, uint32_t to) {
  const uint32_t copies = k->array.policy == SCREE_GLOBAL_REPLICATE ? s->ranks : 1;
  for (uint32_t copy = 0; copy < copies; copy++)
    for (uint64_t b = 0; b < k->array.bytes; b++) {
      const scree_address a = scree_global_at(map, &k->array, copy, b);
      const uint32_t rank = scree_global_owner(map, a);
      const uint64_t offset = scree_global_offset(map, a), grain = offset / GRAIN;
      if (!check(rank < s->ranks) || !check(offset < map->heap)) return;
      unsigned char *p = scree_global_local(map, a);
      if (p && from && s->nodes == 1) check_equal(*p, (unsigned char)from);
      if (p) *p = (unsigned char)to;
      if (s->whose[rank][grain] == to) continue;
      check_equal(s->whose[rank][grain], from);
      if (!from && s->freed[rank][grain]) {
        check(s->freed[rank][grain] != 1 + s->epoch);
        s->reused++;
      }
      s->whose[rank][grain] = to;
      if (!to) s->freed[rank][grain] = 1 + s->epoch;
    }
}

/* The place by the policy. */
static void check_policy(shared *s, const scree_global_map *map, const kept *k) {
  const scree_global *a = &k->array;
  const uint32_t first = scree_global_owner(map, scree_global_at(map, a, k->home, 0));
  const uint32_t last = scree_global_owner(map, scree_global_at(map, a, k->home, a->bytes - 1));
  const uint64_t each = a->bytes / s->ranks;
  if (a->policy == SCREE_GLOBAL_PARTITION || a->policy == SCREE_GLOBAL_CYCLIC) check_equal(first, 0);
  if (a->policy == SCREE_GLOBAL_PARTITION_HERE) check_equal(first, k->home);
  if (a->policy == SCREE_GLOBAL_LOCAL || a->policy == SCREE_GLOBAL_REPLICATE)
    check(first == k->home && last == k->home);
  if (a->policy == SCREE_GLOBAL_CYCLIC) check(scree_global_is_linear(scree_global_at(map, a, 0, 0)));
  for (uint64_t b = 0; b < a->bytes; b += scree_global_contiguous(a, b)) {
    const scree_address at = scree_global_at(map, a, k->home, b);
    if (a->policy == SCREE_GLOBAL_REMOTE) check(scree_global_owner(map, at) != k->home);
    if (a->policy <= SCREE_GLOBAL_PARTITION_RANDOM) check(scree_global_contiguous(a, b) <= each + 64);
  }
}

static void allocate(scree_task *self, virtual_rank *r, kept *k) {
  shared *s = r->s;
  const scree_worker *w = scree_task_worker(self);
  const scree_global_policy policy = (scree_global_policy)draw(s, SCREE_GLOBAL_POLICIES);
  const uint64_t bytes = 1 + draw(s, draw(s, 4) ? 1000 : draw(s, 2) ? 20000 : (uint64_t)HEAP * 2 * s->ranks);
  const uint32_t id = ++s->ids;
  k->id = UINT32_MAX; /* taken */
  scree_global array;
  const scree_status status = scree_global_alloc(self, bytes, policy, &array);
  k->id = 0;
  if (status == SCREE_OK) {
    *k = (kept){array, w->rank, id};
    check_equal(array.bytes, bytes);
    check_equal(array.policy, policy);
    check_policy(s, scree_global_map_of(r->world), k);
    mark(s, scree_global_map_of(r->world), k, 0, id);
    s->allocated++;
    return;
  }
  s->refused++;
  check_equal(status, policy == SCREE_GLOBAL_REMOTE && s->ranks == 1 ? SCREE_EINVAL : SCREE_ENOMEM);
  check_contains(scree_error_text(r->world), status == SCREE_EINVAL ? "REMOTE in a world of one" : "global_heap is");
}

static void run_job(scree_task *self, const job_args *args) {
  virtual_rank *r = scree_task_arg(self);
  shared *s = r->s;
  for (uint64_t i = 0; i < args->rounds; i++) {
    kept *k = &s->kept[draw(s, KEPT)];
    if (k->id == UINT32_MAX) continue;
    if (k->id == 0) {
      allocate(self, r, k);
      continue;
    }
    const scree_global array = k->array; /* freed by any rank, not by its own */
    mark(s, scree_global_map_of(r->world), k, k->id, 0);
    k->id = UINT32_MAX;
    check_equal(scree_global_free(self, &array), SCREE_OK);
    k->id = 0;
  }
}
SCREE_TASK_BODY(job, job_args, run_job);

static void symmetric(virtual_rank *r, uint64_t bytes) {
  scree_global a;
  const scree_status status = scree_symmetric_alloc(r->world, bytes, &a);
  const scree_global_map *map = scree_global_map_of(r->world);
  const uint32_t rank = scree_worker_of(r->world, 0)->rank;
  check(status == SCREE_OK || status == SCREE_ENOMEM);
  if (status) {
    check_contains(scree_error_text(r->world), "global_heap is");
    return;
  }
  check_equal(a.policy, SCREE_GLOBAL_REPLICATE);
  memset(scree_global_local(map, scree_global_at(map, &a, rank, 0)), 1, bytes);
  if (rank == 0) mark(r->s, map, &(kept){.array = a}, 0, ++r->s->ids);
}

static void work(scree_worker *w, void *arg) {
  virtual_rank *r = arg;
  for (uint32_t e = 0; e < EPOCHS; e++) {
    if (scree_begin(w)) return;
    r->s->epoch = e;
    job_spawn(w, r->job, NULL, (job_args){draw(r->s, 12)});
    if (scree_end(w, NULL)) return;
  }
}

static void play(scree_world *world, void *arg) {
  virtual_rank r = {.s = arg, .world = world};
  scree_tasks_options tasks = SCREE_TASKS_OPTIONS_INIT;
  tasks.steal = SCREE_STEAL_OFF;
  check_equal(scree_tasks_open(world, &tasks), SCREE_OK);
  check_equal(scree_global_open(world, &r.s->options), SCREE_OK);
  check_equal(job_register(world, &r, &r.job), SCREE_OK);
  symmetric(&r, 100);
  scree_run_workers(world, (uint32_t)scree_options_of(world)->threads, work, &r);
  r.s->epoch = EPOCHS;
  symmetric(&r, 30000);
  if (scree_error(world)) printf("%s\n", scree_error_text(world));
}

static void run_seed(uint64_t seed, shared *s) {
  drawn_world d = draw_world(seed, 3, 3);
  memset(s, 0, sizeof *s);
  s->random = scree__draw(&d.random);
  s->ranks = d.config.ranks;
  s->nodes = d.config.nodes;
  s->options = (scree_global_options)SCREE_GLOBAL_OPTIONS_INIT;
  s->options.global_heap = HEAP - scree__draw(&d.random) % 4096;
  s->options.global_stripe = UINT64_C(8) << scree__draw(&d.random) % 10;
  check_equal(scree_sim_run(&d.config, &d.options.user, play, s, NULL), SCREE_OK);
}

HARNESS_TEST(allocations) {
  static shared s;
  uint64_t allocated = 0, refused = 0, reused = 0;
  const uint64_t count = harness_seeds(SEEDS, SEEDS_FULL);
  for (uint64_t seed = 1; seed <= count && harness_failures() == 0; seed++) {
    run_seed(seed, &s);
    if (harness_failures()) printf("seed %" PRIu64 "\n", seed);
    allocated += s.allocated;
    refused += s.refused;
    reused += s.reused;
  }
  printf("%" PRIu64 " allocated, %" PRIu64 " refused, %" PRIu64 " grains reused\n", allocated, refused, reused);
  check(allocated > 10 * count && refused > count / 2 && reused > 10 * count);
}

HARNESS_MAIN
