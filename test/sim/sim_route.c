/* sim_route.c - routed types, scene by scene: memory that stays bounded while a rank makes no progress for long,
 * failures while blocks wait in every class, what is refused, statistics. Random programs show that nothing is lost. */
#include <scree/routed.h>
#include <scree/scree_sim.h>

#include "base/options.h"
#include "base/random.h"
#include "capture.h"
#include "core/pass.h"
#include "harness.h"

enum { MOST_RANKS = 16, TURNS = 400 };

static const char *const words[] = {"direct", "rook", "hypercube", "dissemination", "node", "ring"};
enum { ROUTES = sizeof words / sizeof words[0] };

SCREE_MESSAGE_ROUTED(eight, uint64_t); /* how often it is answered */

typedef struct {
  uint64_t random;
  uint32_t messages; /* of each worker to each rank */
  uint64_t depth;    /* answers */
  uint32_t sleeper;  /* rank that makes no progress for a while; of no rank: none does */
  uint32_t flooded;  /* alone is sent to; of no rank: all are */
  uint32_t failing;  /* after its sleep it raises a failure; of no rank: none does */
  eight_type eight;
  scree_world *worlds[MOST_RANKS];
  int64_t under_way;                              /* messages */
  uint64_t passed, stalls, overflows[MOST_RANKS]; /* of all ranks; by rank */
  bool all_classes;                               /* at the moment of the failure blocks were in flight in each */
  bool failed;
} job;

static uint32_t below(uint64_t *random, uint32_t n) {
  return (uint32_t)(scree__draw(random) % n);
}

static void send_one(scree_worker *w, job *j, uint32_t dest, uint64_t depth) {
  j->under_way++;
  eight_send(w, j->eight, dest, depth);
}

static void on_eight(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  job *j = arg;
  j->under_way -= batch->count;
  for (uint32_t i = 0; i < batch->count; i++)
    if (items[i]) send_one(w, j, batch->source, items[i] - 1);
}
SCREE_HANDLER(eight, uint64_t, on_eight);

/* Another rank runs, and this one makes no progress. */
static void sleep_for(scree_worker *w, uint32_t turns) {
  scree__scheduler *s = scree__worker_of(w)->transport->scheduler;
  for (; turns > 0; turns--) s->ops->backoff(s, 0);
}

static bool blocks_in_all_classes(const job *j) {
  const scree_world *first = j->worlds[0];
  for (uint32_t c = 0; c < first->classes; c++) {
    uint64_t blocks = 0;
    for (uint32_t r = 0; r < first->ranks; r++)
      for (uint32_t k = 0; k < first->endpoints; k++) {
        scree__transport *t = j->worlds[r]->worker[k]->path[c];
        blocks += t->ops->in_flight(t);
      }
    if (!blocks) return false;
  }
  return true;
}

static void begin_late(scree_worker *w, job *j) {
  if (w->rank != j->sleeper) return;
  sleep_for(w, TURNS * w->ranks);
  if (w->rank != j->failing || j->failed) return;
  j->all_classes = blocks_in_all_classes(j);
  j->failed = true;
  scree_fail(w, SCREE_EMPI, "as the test wants it");
}

static void send_all(scree_worker *w, job *j) {
  for (uint32_t i = 0; i < j->messages; i++)
    for (uint32_t d = 0; d < w->ranks; d++) {
      const uint32_t dest = (w->rank + d) % w->ranks;
      if (j->flooded >= w->ranks || dest == j->flooded) send_one(w, j, dest, j->depth);
    }
}

static void one_epoch(scree_worker *w, job *j) {
  check_equal(scree_begin(w), SCREE_OK);
  begin_late(w, j);
  send_all(w, j);
  const scree_status status = scree_end(w, NULL);
  check_equal(status, j->failing < w->ranks ? SCREE_EMPI : SCREE_OK);
  check_equal(scree_error(scree_world_of(w)), status);
  if (!status) check_text(j->under_way == 0, "rank %u left with %" PRId64 " messages under way", w->rank, j->under_way);
}

static void play(scree_world *world, void *job_) {
  job *j = job_;
  scree_stats s = {.size = sizeof s};
  j->worlds[world->rank] = world;
  check_equal(eight_register_with(world, SCREE_SERIAL, j, &j->eight), SCREE_OK);
  one_epoch(scree_worker_of(world, 0), j);
  scree_stats_read(world, &s);
  j->passed += s.passed;
  j->stalls += s.stalls;
  j->overflows[world->rank] += s.overflow_blocks;
}

static job job_of(uint64_t seed) {
  return (job){.random = seed, .messages = 3, .sleeper = UINT32_MAX, .flooded = UINT32_MAX, .failing = UINT32_MAX};
}

static scree__options tight_options(uint64_t route, uint64_t pool_blocks, uint64_t *random) {
  static const uint64_t sizes[] = {1, 100, 300, 1024};
  scree__options o = SCREE__OPTIONS_INIT;
  o.route = route;
  o.memory = UINT64_C(65536) << below(random, 3);
  o.test_pool_blocks = pool_blocks;
  o.in_flight = 1 + below(random, 4);
  o.coalesce_bytes = sizes[below(random, 4)];
  o.batch_max = 1 + below(random, 8);
  o.detector = below(random, 2);
  o.checked = below(random, 4) == 0;
  o.flush_age = UINT64_C(1000) * below(random, 1000);
  return o;
}

static void run(const scree_sim_config *config, const scree__options *o, job *j, scree_status expected) {
  const scree_status status = scree_sim_run(config, &o->user, play, j, NULL);
  check_text(status == expected,
             "%s, seed %" PRIu64 ", %u ranks on %u nodes, %" PRIu64 " blocks, in flight %" PRIu64 ": '%s'",
             words[o->route], config->seed, config->ranks, config->nodes, o->test_pool_blocks, o->in_flight,
             scree_status_text(status));
}

static scree_sim_config draw_config(uint64_t seed, uint32_t ranks, uint64_t *random) {
  const uint32_t nodes = 1 + below(random, ranks);
  return (scree_sim_config){.seed = seed,
                            .ranks = ranks,
                            .nodes = nodes,
                            .threads = 1,
                            .max_steps = 20000000,
                            .quiet = !getenv("SCREE_TEST_VERBOSE")};
}

/* ---- a far end that is slow ---- */

/* All send to one rank, which makes no progress while they do: what is passed on waits in inboxes, never in private
 * memory. */
static uint64_t flood(uint64_t route, uint64_t seed, uint32_t depth) {
  uint64_t random = seed;
  scree_sim_config config = draw_config(seed, 5 + below(&random, 12), &random);
  scree__options o = tight_options(route, 1 + below(&random, 2), &random);
  job j = job_of(seed);
  uint64_t elsewhere = 0;
  if (route == SCREE_ROUTE_NODE) config.nodes = 2;
  j.flooded = j.sleeper = config.ranks - 1;
  j.messages = 60;
  j.depth = depth;
  run(&config, &o, &j, SCREE_OK);
  for (uint32_t r = 0; r < config.ranks; r++) elsewhere += r == j.flooded ? 0 : j.overflows[r];
  check_equal(elsewhere, 0);
  if (!depth) check_equal(j.overflows[j.flooded], 0);
  if (depth) check(j.overflows[j.flooded] > 0);
  check(j.passed > 0);
  return j.stalls;
}

/* No handler sends, so nothing is private; then those of the last rank answer, and it alone has overflow. */
HARNESS_TEST(memory_is_bounded) {
  for (uint64_t route = 1; route < ROUTES; route++) {
    uint64_t stalls = 0;
    for (uint64_t k = 0; k < harness_seeds(2, 40) && harness_failures() == 0; k++)
      stalls += flood(route, 100 * route + k, 0) + flood(route, 100 * route + 50 + k, 1);
    check(stalls > 0);
  }
}

/* ---- failures ---- */

HARNESS_TEST(failures_while_all_classes_wait) {
  uint64_t whole = 0, runs = 0;
  for (uint64_t route = 1; route < ROUTES; route++)
    for (uint64_t k = 0; k < harness_seeds(3, 60) && harness_failures() == 0; k++, runs++) {
      uint64_t seed = 1000 * route + k, random = seed;
      scree_sim_config config = draw_config(seed, 5 + below(&random, 9), &random);
      const scree__options o = tight_options(route, 1 + k % 2, &random);
      job j = job_of(seed);
      j.failing = j.sleeper = below(&random, config.ranks);
      j.messages = 60;
      run(&config, &o, &j, SCREE_EMPI);
      check(j.failed);
      whole += j.all_classes;
    }
  printf("%" PRIu64 " of %" PRIu64 " failures with blocks in every class\n", whole, runs);
  check(2 * whole > runs);
}

/* ---- what is refused ---- */

static void check_refused(const scree_sim_config *config, const scree_options *o, const char *expected) {
  job j = job_of(1);
  char *text = capture_run(config, o, play, &j, SCREE_EINVAL);
  check_contains(text, expected);
  free(text);
}

HARNESS_TEST(options_that_are_refused) {
  const scree_sim_config small = {.seed = 1, .ranks = 2, .nodes = 2}, large = {.seed = 1, .ranks = 1025, .nodes = 1};
  for (uint64_t route = 0; route < ROUTES; route++) {
    scree_options comm = SCREE_OPTIONS_INIT;
    scree__options many = SCREE__OPTIONS_INIT;
    char expected[200], why[300] = "";
    comm.progress = SCREE_PROGRESS_COMM;
    comm.route = many.route = route;
    many.threads = 64;
    snprintf(expected, sizeof expected,
             "scree_sim_run: route=%s, aggregate=worker with progress=comm: a communication thread serves no",
             words[route]);
    if (route) check_refused(&small, &comm, expected);
    snprintf(expected, sizeof expected,
             "scree_sim_run: route=%s, aggregate=worker with 1025 ranks of 64 threads: legal are 65536 threads",
             words[route]);
    if (route) check_refused(&large, &many.user, expected);
    many.progress = SCREE_PROGRESS_NONE;
    check(scree__hops_allow(&many, 1024, why, sizeof why) && !why[0]);
    check(scree__hops_allow(&many, 1025, why, sizeof why) == (route == 0));
  }
}

/* ---- statistics ---- */

static void check_lane(const scree_world *world, uint32_t type, uint32_t to, uint64_t items, uint64_t aged) {
  scree_lane_stats s = {.size = sizeof s};
  check_equal(scree_stats_lane(world, type, to, &s), SCREE_OK);
  check_equal(s.items, items);
  check_equal(s.bytes, 12 * items);
  check_equal(s.blocks_aged, aged);
}

/* Of 9 ranks in 3 rows the last is reached through rank 2. */
static void send_by_way_of_2(scree_world *world, void *job_) {
  job *j = job_;
  scree_worker *w = scree_worker_of(world, 0);
  check_equal(eight_register(world, j, &j->eight), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  if (w->rank == 0) {
    for (int i = 0; i < 3; i++) send_one(w, j, 8, 0);
    scree_flush_lane(w, j->eight.id, 7);
    check_lane(world, j->eight.id, 2, 0, 0);
    scree_flush_lane(w, j->eight.id, 8);
    check_lane(world, j->eight.id, 2, 3, 1);
    check_lane(world, j->eight.id, 8, 0, 0);
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
  if (w->rank == 2) check_lane(world, j->eight.id, 8, 3, 0);
  scree_lane_stats s = {.size = sizeof s};
  check_equal(scree_stats_lane(world, j->eight.id, 9, &s), SCREE_EINVAL);
}

HARNESS_TEST(lanes_by_the_next_rank) {
  const scree_sim_config config = {.seed = 1, .ranks = 9, .nodes = 1, .unperturbed = true};
  scree_options o = SCREE_OPTIONS_INIT;
  job j = job_of(1);
  o.route = SCREE_ROUTE_ROOK;
  o.flush_age = UINT64_C(3600000000000);
  check_equal(scree_sim_run(&config, &o, send_by_way_of_2, &j, NULL), SCREE_OK);
  check_equal(j.under_way, 0);
}

HARNESS_MAIN
