/* sim_types.c - several types registered at once, and when kernels register theirs: what ranks compare, how often, and
 * the bytes that types take.
 *
 * Gathers are counted by a decorator around the collectives of a virtual rank. */
#include <scree/kernel.h>
#include <scree/scree_sim.h>

#include "core/holder.h"
#include "core/world.h"
#include "harness.h"
#include "observe/memory_stats.h"

/* ---- counting gathers ---- */

static const scree__collective_ops *inner;
static uint64_t gathers; /* of all virtual ranks */

static scree_status count_gather(scree__collective *c, const void *mine, void *all, size_t bytes) {
  gathers++;
  return inner->gather(c, mine, all, bytes);
}

static void count_gathers_of(scree_world *world) {
  static scree__collective_ops counting;
  scree__collective *c = world->worker[0]->transport->collective;
  if (c->ops != &counting) inner = c->ops;
  counting = *inner;
  counting.gather = count_gather;
  c->ops = &counting;
}

/* ---- several at once ---- */

SCREE_MESSAGE(a, uint8_t);
SCREE_MESSAGE_ROUTED(b, uint64_t);
SCREE_VARIABLE(c);

static void on_a(scree_worker *w, const scree_batch *batch, const uint8_t *items, void *sum) {
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
static void on_b(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
static void on_c(scree_worker *w, const scree_batch *batch, const void *items, void *sum) {
  *(uint64_t *)sum += 10000 * batch->count;
}
SCREE_HANDLER(a, uint8_t, on_a);
SCREE_HANDLER(b, uint64_t, on_b);
SCREE_VARIABLE_HANDLER(c, on_c);

enum { RANKS = 3, ODD = 2 }; /* ODD: the rank that does something else */

static void send_all_three(scree_world *world, const uint32_t *ids, uint64_t *sum) {
  scree_worker *w = scree_worker_of(world, 0);
  *sum = 0;
  check_equal(scree_begin(w), SCREE_OK);
  a_send(w, (a_type){ids[0]}, (w->rank + 1) % RANKS, 1);
  b_send(w, (b_type){ids[1]}, (w->rank + 1) % RANKS, 100);
  c_send(w, (c_type){ids[2]}, (w->rank + 1) % RANKS, "x", 1);
  check_equal(scree_end(w, NULL), SCREE_OK);
  check_equal(*sum, 10101);
}

static void three_at_once(scree_world *world, void *arg) {
  uint64_t sum = 0;
  const scree_type_desc types[] = {a_desc(0, &sum), b_desc(0, &sum), c_desc(SCREE_SERIAL, &sum)};
  uint32_t ids[4] = {9, 9, 9, 9};
  count_gathers_of(world);
  check_equal(scree_register_all(world, types, 3, ids), SCREE_OK);
  check_equal(scree_register_all(world, types, 0, ids), SCREE_OK);
  for (uint32_t i = 0; i < 4; i++) check_equal(ids[i], i < 3 ? i + 1 : 9);
  send_all_three(world, ids, &sum);
  check_equal(scree_register_all(world, types, 3, ids), SCREE_OK); /* names need not differ */
  for (uint32_t i = 0; i < 3; i++) check_equal(ids[i], 4 + i);
  send_all_three(world, ids, &sum);
}

HARNESS_TEST(several) {
  scree_sim_config config = {.seed = 1, .ranks = RANKS, .nodes = 2};
  for (uint64_t route = SCREE_ROUTE_DIRECT; route <= SCREE_ROUTE_ROOK; route++) {
    scree_options options = SCREE_OPTIONS_INIT;
    options.route = route;
    gathers = 0;
    check_equal(scree_sim_run(&config, &options, three_at_once, NULL, NULL), SCREE_OK);
    check_equal(gathers, 3 * RANKS);
  }
}

/* ---- ranks that differ ---- */

static void refused(scree_world *world, const scree_type_desc *types, uint32_t count, scree_status status,
                    const char *text) {
  uint32_t ids[3] = {77, 77, 77};
  check_equal(scree_register_all(world, types, count, ids), status);
  check_contains(scree_error_text(world), text);
  check_equal(world->type_count, 0);
  for (uint32_t i = 0; i < 3; i++) check_equal(ids[i], i < count ? 0 : 77);
}

static const char *scarce; /* the type for which the odd rank has no memory; NULL: none */

static bool has_memory(scree_world *world, const scree_type_desc *desc, scree__type *type) {
  return world->rank != ODD || !scarce || strcmp(desc->name, scarce) != 0;
}

/* Joins a feature that fails as one that lacks memory does. */
static void join_scarcity(scree_world *world) {
  static const scree__feature scarcity = {.add_type = has_memory};
  static const scree__feature *with[SCREE__FEATURES_MAX + 1];
  size_t i = 0;
  for (; world->features[i] && world->features[i] != &scarcity; i++) with[i] = world->features[i];
  with[i] = &scarcity;
  world->features = with;
}

static void make_scarce(const scree_world *world, const char *type) {
  if (world->rank == ODD) scarce = type;
}

static void differing(scree_world *world, void *arg) {
  uint64_t sum = 0;
  const bool odd = world->rank == ODD;
  const scree_type_desc types[] = {a_desc(0, &sum), b_desc(0, &sum), c_desc(0, &sum)};
  scree_type_desc other[3];
  uint32_t ids[3];
  join_scarcity(world);
#define OTHER(i, field, value) memcpy(other, types, sizeof other), other[i].field = odd ? (value) : types[i].field
  OTHER(2, name, "d");
  refused(world, other, 3, SCREE_EINVAL,
          "rank 0 registers 'c' (0 bytes, flags 0, number 3), rank 2 'd' (0 bytes, flags 0, number 3): register");
  OTHER(1, item, 4);
  refused(world, other, 3, SCREE_EINVAL,
          "rank 0 registers 'b' (8 bytes, flags 4, number 2), rank 2 'b' (4 bytes, flags 4, number 2): register");
  OTHER(2, flags, SCREE_SERIAL);
  refused(world, other, 3, SCREE_EINVAL,
          "rank 0 registers 'c' (0 bytes, flags 0, number 3), rank 2 'c' (0 bytes, flags 1, number 3): register");
  refused(world, types, odd ? 2 : 3, SCREE_EINVAL,
          "rank 0 registers 'c' (0 bytes, flags 0, number 3), rank 2 '(none)' (0 bytes, flags 0, number 3): register");
  OTHER(2, name, "(none)");
  refused(world, odd ? other : types, odd ? 3 : 2, SCREE_EINVAL,
          "rank 0 registers '(none)' (0 bytes, flags 0, number 3)");
  refused(world, types, odd ? 2 : 0, SCREE_EINVAL,
          "rank 0 registers '(none)' (0 bytes, flags 0, number 1), rank 2 'a' (1 bytes, flags 0, number 1): register");
  OTHER(1, item, SCREE_ITEM_MAX);
  refused(world, other, 3, SCREE_EINVAL,
          odd ? "type 'b': item of 32768 bytes, legal 1..32764" : "type 'b' refused on rank 2: invalid argument");
  OTHER(1, size, sizeof(scree_type_desc) + 8);
  refused(world, other, 3, SCREE_EINVAL, odd ? "description without size, name or handler" : "refused on rank 2");
  make_scarce(world, "c");
  refused(world, types, 3, SCREE_ENOMEM,
          odd ? "type 'c': no memory for the lanes to 3 ranks: free memory on this host"
              : "type 'c' refused on rank 2: out of memory: free memory on its host");
  make_scarce(world, NULL);
  check_equal(scree_register_all(world, types, 3, ids), SCREE_OK);
  send_all_three(world, ids, &sum);
}

HARNESS_TEST(ranks_differ) {
  scree_sim_config config = {.seed = 2, .ranks = RANKS, .nodes = 2};
  check_equal(scree_sim_run(&config, NULL, differing, NULL, NULL), SCREE_OK);
}

/* ---- kernels ---- */

typedef struct {
  const char *const *kernels; /* each run by its first variant; ends with NULL */
  uint64_t gathers;           /* of each rank */
  uint64_t tables_max;        /* bytes of all types, at most on a rank */
} kernel_run;

static uint64_t tables_of(const scree_world *world) {
  scree__memory m;
  scree__memory_read(world, &m);
  return m.tables;
}

static void run_kernels(scree_world *world, void *arg) {
  kernel_run *r = arg;
  scree_graphs *graphs = NULL;
  scree_graph *g = NULL;
  scree_solver *solver[4] = {NULL};
  const uint64_t before = tables_of(world);
  count_gathers_of(world);
  check_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  check_equal(scree_graph_load(graphs, "kron:7,4", NULL, &g), SCREE_OK);
  for (size_t i = 0; r->kernels[i]; i++) {
    scree_answer answer = {0};
    check_equal(scree_solver_open(graphs, scree_kernel_find(r->kernels[i]), &solver[i]), SCREE_OK);
    for (int twice = 0; twice < 2; twice++) {
      check_equal(scree_solver_run(solver[i], g, 1, NULL, &answer), SCREE_OK);
      scree_answer_free(&answer);
    }
  }
  const uint64_t bytes = tables_of(world) - before;
  if (bytes > r->tables_max) r->tables_max = bytes;
  for (size_t i = 0; r->kernels[i]; i++) scree_solver_close(solver[i]);
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

/* Runs them on many ranks, where types are mostly lanes. */
static kernel_run on_many(const char *const *kernels) {
  enum { MANY = 128 };
  scree_sim_config config = {.seed = 3, .ranks = MANY, .nodes = 1, .max_steps = UINT64_C(1) << 32, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  kernel_run r = {.kernels = kernels};
  options.node_arrays = SCREE_NODE_ARRAYS_OFF; /* more gathers */
  gathers = 0;
  check_equal(scree_sim_run(&config, &options, run_kernels, &r, NULL), SCREE_OK);
  check_equal(gathers % MANY, 0);
  r.gathers = gathers / MANY;
  printf("    %" PRIu64 " gathers, %" PRIu64 " bytes\n", r.gathers, r.tables_max);
  return r;
}

enum { OPENING = 4 }; /* gathers for the arrays of two runs of BFS */

/* BEFORE: bytes of types when each took a gather, and a solver registered those of all variants when it was opened. */
HARNESS_TEST(one_bfs) {
  enum { BEFORE = 161104 }; /* and 11 gathers */
  static const char *const bfs[] = {"bfs", NULL};
  const kernel_run r = on_many(bfs);
  check(r.gathers <= 2 + OPENING);
  check(10 * r.tables_max <= 6 * (uint64_t)BEFORE);
}

HARNESS_TEST(four_kernels) {
  enum { BEFORE = 687208 }; /* and 29 gathers */
  static const char *const all[] = {"sssp", "bfs", "cc", "pagerank", NULL};
  const kernel_run r = on_many(all);
  check(r.gathers <= 5 + OPENING);
  check(10 * r.tables_max <= 6 * (uint64_t)BEFORE);
}

/* ---- variants, one after another ---- */

typedef struct {
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *g;
  scree_solver *solver;
} place;

/* A run, or what precedes the first one. */
static scree_status run_variant(const place *p, const char *algorithm, bool prepare) {
  scree_kernel_options how;
  scree_answer answer = {0};
  scree_kernel_options_init(scree_kernel_find("cc"), &how);
  how.algorithm = algorithm;
  const scree_status status =
      prepare ? scree_solver_prepare(p->solver, p->g, &how) : scree_solver_run(p->solver, p->g, 0, &how, &answer);
  scree_answer_free(&answer);
  return status;
}

static void refuses(const place *p, const char *algorithm, bool prepare, scree_status status, const char *text) {
  check_equal(run_variant(p, algorithm, prepare), status);
  check_contains(scree_graphs_error(p->graphs), text);
}

/* Each has two types of its own, or one. */
static void change_variants(const place *p) {
  const bool odd = p->world->rank == ODD;
  for (int prepare = 0; prepare < 2; prepare++) {
    refuses(p, odd ? "label" : "afforest", prepare, SCREE_EINVAL,
            "the option algorithm is afforest on rank 0 and label on others: give all ranks the same");
    refuses(p, odd ? "lable" : "afforest", prepare, SCREE_EINVAL, "algorithm 'lable' is unknown");
  }
  check_equal(p->world->type_count, 4);
  make_scarce(p->world, "cc.afforest.request");
  refuses(p, "afforest", false, SCREE_ENOMEM, "type 'cc.afforest.request' refused on rank 2: out of memory");
  check_equal(p->world->type_count, 4);
  make_scarce(p->world, NULL);
  check_equal(run_variant(p, "afforest", false), SCREE_OK);
  check_equal(p->world->type_count, 6);
  make_scarce(p->world, "cc.label");
  refuses(p, "label", true, SCREE_ENOMEM, "type 'cc.label' refused on rank 2: out of memory: free memory on its host");
  check_equal(run_variant(p, "afforest", false), SCREE_OK);
  check_equal(p->world->type_count, 6);
  make_scarce(p->world, NULL);
  check_equal(run_variant(p, "label", true), SCREE_OK);
  check_equal(p->world->type_count, 7);
  check_equal(run_variant(p, "label", false), SCREE_OK);
  refuses(p, odd ? "label" : "afforest", false, SCREE_EINVAL, "the option algorithm is");
  check_equal(run_variant(p, NULL, false), SCREE_OK);
  check_equal(p->world->type_count, 7);
}

static void with_solver(scree_world *world, void *arg) {
  place p = {.world = world};
  join_scarcity(world);
  check_equal(scree_graphs_open(world, &p.graphs), SCREE_OK);
  check_equal(scree_graph_load(p.graphs, "kron:6,4", NULL, &p.g), SCREE_OK);
  check_equal(scree_solver_open(p.graphs, scree_kernel_find("cc"), &p.solver), SCREE_OK);
  change_variants(&p);
  scree_solver_close(p.solver);
  scree_graph_free(p.g);
  scree_graphs_close(p.graphs);
}

HARNESS_TEST(variants) {
  scree_sim_config config = {.seed = 4, .ranks = RANKS, .nodes = 2};
  check_equal(scree_sim_run(&config, NULL, with_solver, NULL, NULL), SCREE_OK);
}

HARNESS_MAIN
