/* sim_memory.c - the account of a world's memory: idle, with live destinations, after large records; and prefetching.
 *
 * The runs are unperturbed, so the bytes that must be held are known. */
#include <cjson/cJSON.h>
#include <scree/scree_sim.h>

#include "capture.h"
#include "harness.h"
#include "observe/memory_stats.h"

enum { MANY = 64, IDLE_MOST = 4 << 20, BLOCK = 16384, HEAD = 64 };

SCREE_MESSAGE(dot, uint64_t);

static void on_dot(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *arg) {
  *(uint64_t *)arg += batch->count;
}
SCREE_HANDLER(dot, uint64_t, on_dot);

static scree_status run(uint32_t ranks, uint64_t memory, scree_sim_fn *fn, void *arg) {
  scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = 1, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = memory;
  options.coalesce_bytes = BLOCK;
  options.transport = SCREE_TRANSPORT_MPI; /* over the simulated MPI */
  return scree_sim_run(&config, &options, fn, arg, NULL);
}

/* ---- idle ---- */

static void idle_rank(scree_world *world, void *arg) {
  scree__memory m;
  dot_type t;
  uint64_t got = 0;
  scree__memory_read(world, &m);
  uint64_t before = m.tables;
  check_equal(dot_register(world, &got, &t), SCREE_OK);
  scree__memory_read(world, &m);
  check_equal(m.blocks, 0);
  check_equal(m.overflow, 0);
  check(m.inbox > 0 || m.receives > 0);
  check(m.tables >= before + MANY * sizeof(scree__lane)); /* the new type's lanes */
  check(scree__memory_sum(&m) < IDLE_MOST);
  check_equal(scree__memory_sum(&m), m.inbox + m.receives + m.tables);
}

HARNESS_TEST(idle_world) {
  check_equal(run(MANY, 16 << 20, idle_rank, NULL), SCREE_OK);
}

/* ---- live destinations ---- */

typedef struct {
  uint64_t memory, got, blocks[MANY];
} growth;

/* Rank 0 sends one item to one more rank each time. */
static void growing_rank(scree_world *world, void *arg) {
  growth *g = arg;
  scree_worker *w = scree_worker_of(world, 0);
  dot_type t;
  check_equal(dot_register(world, &g->got, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  for (uint32_t i = 1; w->rank == 0 && i < MANY; i++) {
    scree__memory m;
    dot_send(w, t, i, i);
    scree__memory_read(world, &m);
    g->blocks[i] = m.blocks;
  }
  check_equal(scree_end(w, NULL), SCREE_OK);
}

/* A block for each live destination, and as many bytes as it has. */
HARNESS_TEST(grows_with_live_destinations) {
  growth g = {0};
  check_equal(run(MANY, 16 << 20, growing_rank, &g), SCREE_OK);
  check_equal(g.got, MANY - 1);
  for (uint32_t i = 1; i < MANY; i++) check_equal(g.blocks[i], (uint64_t)i * (BLOCK + HEAD));
}

/* Little memory: blocks get smaller, and all of them stay within it. */
HARNESS_TEST(stays_within_the_budget) {
  growth g = {0};
  uint64_t memory = 1 << 19;
  check_equal(run(MANY, memory, growing_rank, &g), SCREE_OK);
  check_equal(g.got, MANY - 1);
  for (uint32_t i = 1; i < MANY; i++) check(g.blocks[i] >= g.blocks[i - 1] && g.blocks[i] <= memory);
  check(g.blocks[MANY - 1] < (uint64_t)(MANY - 1) * BLOCK);
}

/* ---- own messages ---- */

static void own_rank(scree_world *world, void *arg) {
  scree_worker *w = scree_worker_of(world, 0);
  dot_type t;
  scree__memory m;
  check_equal(dot_register(world, arg, &t), SCREE_OK);
  check_equal(scree_begin(w), SCREE_OK);
  dot_send(w, t, w->rank, 1);
  scree__memory_read(world, &m);
  check_equal(m.blocks, BLOCK + HEAD);
  check_equal(scree_end(w, NULL), SCREE_OK);
}

HARNESS_TEST(own_messages) {
  for (uint64_t huge = SCREE_HUGE_PAGES_OFF; huge <= SCREE_HUGE_PAGES_ON; huge++) {
    scree_sim_config config = {.seed = 1, .ranks = 1, .nodes = 1, .unperturbed = true};
    scree_options options = SCREE_OPTIONS_INIT;
    uint64_t got = 0;
    options.coalesce_bytes = BLOCK;
    options.huge_pages = huge;
    check_equal(scree_sim_run(&config, &options, own_rank, &got, NULL), SCREE_OK);
    check_equal(got, 1);
  }
}

/* ---- in the statistics ---- */

static void printing_rank(scree_world *world, void *arg) {
  char *text = capture_stats(world, true);
  scree__memory m;
  scree__memory_read(world, &m);
  cJSON *json = cJSON_Parse(text);
  const cJSON *memory = cJSON_GetObjectItemCaseSensitive(json, "memory");
  const cJSON *sum = cJSON_GetObjectItemCaseSensitive(memory, "sum");
  check(cJSON_IsNumber(sum));
  check_equal(sum ? (uint64_t)sum->valuedouble : 0, scree__memory_sum(&m));
  cJSON_Delete(json);
  free(text);
}

HARNESS_TEST(in_the_statistics) {
  check_equal(run(2, 16 << 20, printing_rank, NULL), SCREE_OK);
}

/* ---- prefetching ---- */

/* Every index stays in the run, and is `distance` on while there are that many. */
HARNESS_TEST(ahead_stays_in_the_run) {
  static const uint32_t distances[] = {0, 1, 7, 64, UINT32_MAX};
  for (uint32_t count = 1; count < 100; count++)
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
      for (uint32_t i = 0; i < count; i++) {
        scree_batch r = {.count = count};
        uint64_t at = (uint64_t)i + distances[d];
        check_equal(scree_batch_ahead(&r, i, distances[d]), at < count ? at : count - 1);
      }
  scree_prefetch_write(NULL); /* no address faults */
  scree_prefetch_write((const void *)UINTPTR_MAX);
}

HARNESS_MAIN
