/* sim_graph_memory.c - the memory of a graph and of the kernels on it falls with the number of ranks.
 *
 * One graph, whose labels have gaps, on 1 to 64 virtual ranks: the mean bytes of a rank by the account of the graph
 * layer, which counts all tables by vertex and by arc, after the load and at most in a run. What is on the heap, which
 * the account does not count, is measured beside it: a table there would be seen. */
#include <malloc.h>
#include <scree/bfs.h>
#include <scree/cc.h>
#include <scree/kernel.h>
#include <scree/pagerank.h>
#include <scree/sssp.h>

#include "base/huge.h"
#include "graph_cases.h"
#include "observe/memory_stats.h"

enum { MOST_RANKS = 64, SCALE = 13 };
/* Of a rank, beside its share: bytes for each peer, and in any case (the ends of arrays, a few vertices more than the
 * mean). */
enum { A_PEER = 64, ALWAYS = 2048, HEAP_ALWAYS = 16384 };

typedef enum { LOADED, LOADING, BFS, BFS_DIRECTION, BFS_DC, BFS_HYBRID, SSSP, CC, PAGERANK, TC, PHASES } phase;
static const char *const names[] = {"graph",      "load, at most", "bfs level",  "bfs direction",    "bfs dc",
                                    "bfs hybrid", "sssp default",  "cc default", "pagerank default", "tc default"};

typedef struct {
  const char *path;
  uint32_t ranks;
  uint64_t bytes[PHASES];   /* of all ranks */
  uint64_t answers[PHASES]; /* of all ranks: bytes of the arrays */
  uint64_t heap[PHASES];    /* of all ranks: what was not counted */
  uint64_t entered[PHASES]; /* ranks; the first one takes the heap as it is */
  uint64_t heap_before;
  uint64_t arcs;
  uint64_t loaded[MOST_RANKS]; /* of each rank */
  const scree_world *worlds[MOST_RANKS];
} footprint;

static uint64_t heap(void) {
  const struct mallinfo2 m = mallinfo2();
  return (uint64_t)m.uordblks + (uint64_t)m.hblkhd;
}

static void enter(scree_graphs *graphs, footprint *f, phase p) {
  scree_reduce r = {.min = UINT64_MAX};
  check_equal(scree_graphs_reduce(graphs, &r), SCREE_OK); /* all have left the last one */
  scree__account_drop(graphs->account);                   /* what earlier runs left for the next ones */
  AO_store(&graphs->account->peak, AO_load(&graphs->account->held));
  if (f->entered[p]++ == 0) f->heap_before = heap();
  check_equal(scree_graphs_reduce(graphs, &r), SCREE_OK);
}

/* Messages that wait for a block are the world's, and counted there. */
static uint64_t overflow(const footprint *f) {
  uint64_t sum = 0;
  for (uint32_t r = 0; r < f->ranks; r++) {
    scree__memory m;
    scree__memory_read(f->worlds[r], &m);
    sum += m.overflow;
  }
  return sum;
}

static void see_heap(footprint *f, phase p) {
  const uint64_t waits = overflow(f), now = heap() > waits ? heap() - waits : 0;
  if (now > f->heap_before && now - f->heap_before > f->heap[p]) f->heap[p] = now - f->heap_before;
}

typedef struct {
  footprint *f;
  phase p;
} watched;

static void watch(const scree_work *work, void *arg) {
  const watched *w = arg;
  see_heap(w->f, w->p);
}

static scree_solver *open_solver(scree_graphs *graphs, const char *kernel) {
  scree_solver *solver = NULL;
  check_equal(scree_solver_open(graphs, scree_kernel_find(kernel), &solver), SCREE_OK);
  return solver;
}

/* A first run, of a small graph: it registers the message types. */
static void run_first(scree_graphs *graphs, scree_solver *solver, const void *options) {
  const scree_graph_options how = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 2};
  scree_graph *g = NULL;
  scree_answer answer = {0};
  check_equal(scree_graph_load(graphs, "kron:1,1", &how, &g), SCREE_OK);
  check_equal(scree_solver_run(solver, g, 0, options, &answer), SCREE_OK);
  scree_answer_free(&answer);
  scree_graph_free(g);
}

/* What earlier runs left with the graph does not count. */
static void run(const scree_graph *g, footprint *f, phase p, const char *kernel, scree_solver *solver,
                const char *algorithm) {
  scree_graphs *graphs = g->graphs;
  const scree_kernel *k = scree_kernel_find(kernel);
  scree_answer answer = {0};
  watched w = {f, p};
  union {
    scree_kernel_options head;
    scree_sssp_options sssp;
    scree_bfs_options bfs;
    scree_cc_options cc;
    scree_pagerank_options pagerank;
  } options;
  scree_kernel_options_init(k, &options);
  options.head.algorithm = algorithm;
  run_first(graphs, solver, &options);
  options.head.watch = (scree_watch){watch, &w};
  enter(graphs, f, p);
  const uint64_t left = AO_load(&graphs->account->held) - f->loaded[scree_graph_rank(g)];
  check_text(scree_solver_run(solver, g, 1, &options, &answer) == SCREE_OK, "%s", scree_graphs_error(graphs));
  f->bytes[p] += AO_load(&graphs->account->peak) - left;
  for (size_t i = 0; k->arrays[i].name; i++) f->answers[p] += answer.locals * sizeof(uint64_t);
  scree_answer_free(&answer);
}

static void run_all(const scree_graph *g, footprint *f) {
  scree_solver *bfs = open_solver(g->graphs, "bfs"), *sssp = open_solver(g->graphs, "sssp");
  scree_solver *cc = open_solver(g->graphs, "cc"), *pagerank = open_solver(g->graphs, "pagerank");
  scree_solver *tc = open_solver(g->graphs, "tc");
  run(g, f, BFS, "bfs", bfs, "level");
  run(g, f, BFS_DIRECTION, "bfs", bfs, "direction");
  run(g, f, BFS_DC, "bfs", bfs, "dc");
  run(g, f, BFS_HYBRID, "bfs", bfs, "hybrid");
  run(g, f, SSSP, "sssp", sssp, NULL);
  run(g, f, CC, "cc", cc, NULL);
  run(g, f, PAGERANK, "pagerank", pagerank, NULL);
  run(g, f, TC, "tc", tc, NULL);
  scree_solver_close(bfs);
  scree_solver_close(sssp);
  scree_solver_close(cc);
  scree_solver_close(pagerank);
  scree_solver_close(tc);
}

static void simulate(uint32_t ranks, uint32_t workers, scree_sim_fn *fn, void *arg) {
  scree_sim_config config = {
      .seed = 1, .ranks = ranks, .nodes = 1, .max_steps = UINT64_C(1) << 40, .unperturbed = true, .threads = workers};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 18;
  check_equal(scree_sim_run(&config, &options, fn, arg, NULL), SCREE_OK);
}

static void on_rank(scree_world *world, void *arg) {
  footprint *f = arg;
  scree_graphs *graphs = NULL;
  scree_graph *g = NULL;
  const scree_graph_options how = {
      .direction = SCREE_UNDIRECTED, .weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 255};
  f->worlds[scree_worker_of(world, 0)->rank] = world;
  check_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  enter(graphs, f, LOADING);
  check_text(scree_graph_load(graphs, f->path, &how, &g) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (g) {
    check(g->labels != NULL);
    f->arcs = g->arcs;
    f->bytes[LOADING] += AO_load(&graphs->account->peak);
    f->bytes[LOADED] += AO_load(&graphs->account->held);
    see_heap(f, LOADED);
    f->loaded[scree_graph_rank(g)] = AO_load(&graphs->account->held);
    run_all(g, f);
  }
  scree_graph_free(g);
  scree__account_drop(graphs->account);
  check_equal(AO_load(&graphs->account->held), 0);
  scree_graphs_close(graphs);
}

static void measure(const char *path, uint32_t ranks, footprint *f) {
  *f = (footprint){.path = path, .ranks = ranks};
  simulate(ranks, 1, on_rank, f);
}

static void write_graph(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL;
  const scree_graph_options how = {.weights = SCREE_WEIGHTS_DROP};
  char spec[16];
  snprintf(spec, sizeof spec, "kron:%d", SCALE);
  check_equal(scree_graph_load(graphs, spec, &how, &g), SCREE_OK);
  check_equal(scree_graph_write(g, arg, &(scree_write_options){.format = SCREE_FORMAT_EDGES}), SCREE_OK);
  scree_graph_free(g);
}

/* Copies of the rows that a run keeps with the graph, on one rank: of SSSP they count as the graph's, since it has them
 * on any number of ranks (docs/decisions/0016-graphs-in-memory.md). */
static uint64_t rows(const footprint *one, phase p) {
  return p == SSSP ? 8 * one->arcs : 0;
}

/* 1.5 times the share of the graph and the answers. */
static uint64_t bar(const footprint *one, phase p, uint32_t ranks) {
  return (one->bytes[LOADED] + one->answers[p] + rows(one, p)) * 3 / 2 / ranks + (uint64_t)A_PEER * ranks + ALWAYS;
}

static void print(const footprint *f, const footprint *one) {
  for (phase p = 0; p < PHASES; p++)
    printf("  %2u ranks, %-16s %9.1f KiB per rank, bar %9.1f, %5.2f times the share of graph and answers, heap %6.1f\n",
           f->ranks, names[p], (double)f->bytes[p] / f->ranks / 1024, (double)bar(one, p, f->ranks) / 1024,
           (double)f->bytes[p] / (double)(one->bytes[LOADED] + one->answers[p]), (double)f->heap[p] / f->ranks / 1024);
}

HARNESS_TEST(falls_with_ranks) {
  static footprint all[7];
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file("", 0, ".txt"));
  graph_case_run(1, 1, write_graph, path);
  for (int i = 0; i < 7; i += harness_full() ? 1 : 2) { /* 16 and 64 ranks are compared with one */
    measure(path, 1U << i, &all[i]);
    print(&all[i], &all[0]);
  }
  unlink(path);
  static const phase barred[] = {LOADED, BFS, SSSP, CC, PAGERANK};
  const footprint *last = &all[6];
  check(all[4].bytes[TC] <= 2 * all[0].bytes[LOADED]); /* on 16 ranks, the graph included */
  for (size_t i = 0; i < sizeof barred / sizeof *barred; i++) {
    const phase p = barred[i];
    check_text(last->bytes[p] / MOST_RANKS <= bar(&all[0], p, MOST_RANKS),
               "%s: %" PRIu64 " bytes per rank on %d ranks, at most %" PRIu64 " expected", names[p],
               last->bytes[p] / MOST_RANKS, MOST_RANKS, bar(&all[0], p, MOST_RANKS));
    check_text(last->heap[p] / MOST_RANKS <= HEAP_ALWAYS, "%s: %" PRIu64 " bytes per rank are not counted", names[p],
               last->heap[p] / MOST_RANKS);
  }
}

/* ---- what is planned, and refused ---- */

typedef struct {
  const scree_kernel *kernel;
  const char *algorithm, *spec;
  scree_graph_shape shape;
  uint32_t ranks, workers;
  uint64_t edges;
  uint64_t bytes;   /* of all ranks: taken by a run */
  uint64_t longest; /* rows of the ranks, summed */
} planned;

static scree_graph *load(scree_graphs *graphs, planned *c) {
  scree_graph_options how = {0};
  scree_graph *g = NULL;
  check_equal(scree_graph_load(graphs, c->spec, &how, &g), SCREE_OK);
  if (!g) return NULL;
  c->shape = (scree_graph_shape){.n = g->vertices.n, .weight = g->weight, .directed = g->directed};
  c->edges = g->edges;
  uint64_t longest = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  c->longest += longest;
  return g;
}

static void check_answer(const planned *c, scree_solver *solver, const scree_graph *g, const void *how,
                         const scree_answer *answer) {
  scree_verdict verdict = {0};
  check_equal(scree_solver_validate(solver, g, 1, how, answer, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s %s, %s, %u ranks: %s", c->kernel->name, c->algorithm, c->spec, (unsigned)c->ranks,
             verdict.text);
}

static void planned_rank(scree_world *world, void *arg) {
  planned *c = arg;
  scree_graphs *graphs = NULL;
  check_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  scree_graph *g = load(graphs, c);
  scree_solver *solver = NULL;
  scree_answer answer = {0};
  char how[256], why[200]; /* any kernel's structure begins like this */
  assert_true(c->kernel->options_size <= sizeof how);
  scree_kernel_options_init(c->kernel, how);
  ((scree_kernel_options *)(void *)how)->algorithm = c->algorithm;
  scree_kernel_options_set(c->kernel, how, "sources", "16", why, sizeof why); /* where there are any: all take longer */
  check_equal(scree_solver_open(graphs, c->kernel, &solver), SCREE_OK);
  if (g && solver) {
    const AO_t held = AO_load(&graphs->account->held);
    AO_store(&graphs->account->peak, held);
    check_text(scree_solver_run(solver, g, 1, how, &answer) == SCREE_OK, "%s", scree_graphs_error(graphs));
    c->bytes += AO_load(&graphs->account->peak) - held;
    check_answer(c, solver, g, how, &answer);
    graphs->memory_left = 1;
    scree_answer_free(&answer);
    check_equal(scree_solver_run(solver, g, 1, how, &answer), SCREE_ENOMEM);
    check_contains(scree_graphs_error(graphs), "a run of ");
    graphs->memory_left = 0;
    check_equal(scree_solver_run(solver, g, 1, how, &answer), SCREE_OK);
    scree_answer_free(&answer);
  }
  scree_solver_close(solver);
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

/* A plan counts every table, but not the longest row, of which indices are sorted: else it is at least what a run
 * takes, and not much more: where neighbours are near, fewer values of other ranks are needed than arcs lead there. */
static uint64_t check_plan(const char *spec, const scree_kernel *kernel, const char *algorithm, uint32_t ranks,
                           uint32_t workers) {
  planned c = {.kernel = kernel, .algorithm = algorithm, .spec = spec, .ranks = ranks, .workers = workers};
  simulate(ranks, workers, planned_rank, &c);
  const scree_run_bytes plan = scree_kernel_plan(kernel, algorithm, &c.shape, c.edges, ranks, workers);
  const uint64_t all = plan.run + plan.kept + plan.node / ranks, mean = c.bytes / ranks, row = 12 * c.longest / ranks;
  check_text(mean <= all + row + all / 20 + 512 && all <= mean * 3 + 4096,
             "%s %s, %s, %u ranks, %u workers: %" PRIu64 " bytes per rank taken, %" PRIu64 " planned", kernel->name,
             algorithm, spec, (unsigned)ranks, (unsigned)workers, mean, all);
  return mean;
}

/* Every variant with all its tables and, on 40 ranks, without those that save messages; of a grid also without
 * bitmaps. */
HARNESS_TEST(plans_count_all) {
  for (size_t k = 0; scree_kernel_at(k); k++)
    for (size_t v = 0; scree_kernel_variant_at(scree_kernel_at(k), v); v++) {
      const char *algorithm = scree_kernel_variant_at(scree_kernel_at(k), v)->name;
      check_plan("kron:11", scree_kernel_at(k), algorithm, 3, 1);
      check_plan("kron:11", scree_kernel_at(k), algorithm, 40, 1);
      check_plan("grid:60,60", scree_kernel_at(k), algorithm, 40, 1);
    }
}

/* Four workers of a rank share its tables: what they add are their queues, and at most an eighth of the graph. */
HARNESS_TEST(workers_share_tables) {
  const scree_kernel *bfs = scree_kernel_find("bfs");
  for (uint32_t ranks = 1; ranks <= 16; ranks *= 16) {
    const uint64_t one = check_plan("grid:60,60", bfs, "hybrid", ranks, 1),
                   four = check_plan("grid:60,60", bfs, "hybrid", ranks, 4);
    const uint64_t locals = 60 * 60 / ranks, part = 8 * locals + 8 * (uint64_t)(4 * 60 * 59) / ranks;
    check_text(four <= one + 3 * 8 * (locals + 1) + part / 8, "%u ranks: %" PRIu64 " bytes, %" PRIu64 " of 4 workers",
               (unsigned)ranks, one, four);
  }
}

/* ---- ids far apart: each rank has a range of them ---- */

enum { FACTOR = 1000003, FAR_EDGES = 3000, FAR_IDS = 2000 };

typedef struct {
  char near[64], far[64];
} far_case;

static const char *far_file(uint64_t factor) {
  static char text[FAR_EDGES * 32];
  size_t at = 0;
  for (uint64_t i = 0; i < FAR_EDGES; i++) {
    const uint64_t bits = scree__hash_draw(7, i), u = bits % FAR_IDS * 3, v = (bits >> 32) % FAR_IDS * 3;
    at += (size_t)snprintf(text + at, sizeof text - at, "%" PRIu64 " %" PRIu64 "\n", u * factor, v * factor);
  }
  return graph_case_file(text, at, ".txt");
}

static void far_rank(scree_graphs *graphs, void *arg) {
  const far_case *c = arg;
  const scree_graph_options how = {.direction = SCREE_DIRECTED, .distribution = SCREE_DISTRIBUTION_CYCLIC};
  scree_graph *near = NULL, *far = NULL;
  check_equal(scree_graph_load(graphs, c->near, &how, &near), SCREE_OK);
  check_text(scree_graph_load(graphs, c->far, &how, &far) == SCREE_OK, "%s", scree_graphs_error(graphs));
  if (near && far && check_equal(near->vertices.n, far->vertices.n)) {
    uint64_t min, max;
    check_equal(scree_graph_label_range(far, &min, &max), SCREE_OK);
    check_equal(scree_graph_find(far, max), near->vertices.n - 1);
    check_equal(far->label_base, min);
    for (uint64_t u = 0; u < near->locals; u++) {
      check_equal(far->labels[u], near->labels[u] * FACTOR);
      check_equal(scree_graph_degree(far, u), scree_graph_degree(near, u));
    }
  }
  scree_graph_free(near);
  scree_graph_free(far);
}

HARNESS_TEST(ids_far_apart) {
  static const uint32_t ranks[] = {1, 2, 7, 40};
  far_case c;
  snprintf(c.near, sizeof c.near, "%s", far_file(1));
  snprintf(c.far, sizeof c.far, "%s", far_file(FACTOR));
  for (int i = 0; i < 4; i++) graph_case_run(ranks[i], 1 + (uint64_t)i, far_rank, &c);
  unlink(c.near);
  unlink(c.far);
}

HARNESS_MAIN
