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
#include "core/memory_stats.h"
#include "graph_cases.h"

enum { MOST_RANKS = 64, SCALE = 13 };
/* Of a rank, beside its share: bytes for each peer, and in any case (the ends of arrays, a few vertices more than the
 * mean). */
enum { A_PEER = 64, ALWAYS = 2048, HEAP_ALWAYS = 16384 };

typedef enum { LOADED, LOADING, BFS, BFS_DIRECTION, BFS_DC, BFS_HYBRID, SSSP, CC, PAGERANK, PHASES } phase;
static const char *const names[] = {
    "graph",     "load, at most", "bfs level", "bfs direction", "bfs dc", "bfs hybrid", "sssp default", "cc default",
    "pagerank default"};

typedef struct {
  const char *path;
  uint32_t ranks;
  uint64_t bytes[PHASES];   /* of all ranks */
  uint64_t answers[PHASES]; /* of all ranks: bytes of the arrays */
  uint64_t heap[PHASES];    /* of all ranks: what was not counted */
  uint64_t entered[PHASES]; /* ranks; the first one takes the heap as it is */
  uint64_t heap_before;
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
  (void)work;
  see_heap(w->f, w->p);
}

static scree_solver *open_solver(scree_graphs *graphs, const char *kernel) {
  scree_solver *solver = NULL;
  check_equal(scree_solver_open(graphs, scree_kernel_find(kernel), &solver), SCREE_OK);
  return solver;
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
  run(g, f, BFS, "bfs", bfs, "level");
  run(g, f, BFS_DIRECTION, "bfs", bfs, "direction");
  run(g, f, BFS_DC, "bfs", bfs, "dc");
  run(g, f, BFS_HYBRID, "bfs", bfs, "hybrid");
  run(g, f, SSSP, "sssp", sssp, NULL);
  run(g, f, CC, "cc", cc, NULL);
  run(g, f, PAGERANK, "pagerank", pagerank, NULL);
  scree_solver_close(bfs);
  scree_solver_close(sssp);
  scree_solver_close(cc);
  scree_solver_close(pagerank);
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
    f->bytes[LOADING] += AO_load(&graphs->account->peak);
    f->bytes[LOADED] += AO_load(&graphs->account->held);
    see_heap(f, LOADED);
    f->loaded[scree_graph_rank(g)] = AO_load(&graphs->account->held);
    run_all(g, f);
  }
  scree_graph_free(g);
  check_equal(AO_load(&graphs->account->held), 0);
  scree_graphs_close(graphs);
}

static void measure(const char *path, uint32_t ranks, footprint *f) {
  scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = 1, .max_steps = UINT64_C(1) << 40, .unperturbed = true};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 18;
  *f = (footprint){.path = path, .ranks = ranks};
  check_equal(scree_sim_run(&config, &options, on_rank, f, NULL), SCREE_OK);
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

/* 1.5 times the share of the graph and the answers. */
static uint64_t bar(const footprint *one, phase p, uint32_t ranks) {
  return (one->bytes[LOADED] + one->answers[p]) * 3 / 2 / ranks + (uint64_t)A_PEER * ranks + ALWAYS;
}

static void print(const footprint *f, const footprint *one) {
  for (phase p = 0; p < PHASES; p++)
    printf("  %2u ranks, %-16s %9.1f KiB per rank, bar %9.1f, %5.2f times the share of graph and answers, heap %6.1f\n",
           f->ranks, names[p], (double)f->bytes[p] / f->ranks / 1024, (double)bar(one, p, f->ranks) / 1024,
           (double)f->bytes[p] / (double)(one->bytes[LOADED] + one->answers[p]),
           (double)f->heap[p] / f->ranks / 1024);
}

static void falls_with_ranks(void **state) {
  (void)state;
  static footprint all[7];
  char path[64];
  snprintf(path, sizeof path, "%s", graph_case_file("", 0, ".txt"));
  graph_case_run(1, 1, write_graph, path);
  for (int i = 0; i < 7; i++) {
    measure(path, 1U << i, &all[i]);
    print(&all[i], &all[0]);
  }
  unlink(path);
  static const phase barred[] = {LOADED, BFS, SSSP, CC, PAGERANK};
  const footprint *last = &all[6];
  for (size_t i = 0; i < sizeof barred / sizeof *barred; i++) {
    const phase p = barred[i];
    check_text(last->bytes[p] / MOST_RANKS <= bar(&all[0], p, MOST_RANKS),
               "%s: %" PRIu64 " bytes per rank on %d ranks, at most %" PRIu64 " expected", names[p],
               last->bytes[p] / MOST_RANKS, MOST_RANKS, bar(&all[0], p, MOST_RANKS));
    check_text(last->heap[p] / MOST_RANKS <= HEAP_ALWAYS, "%s: %" PRIu64 " bytes per rank are not counted", names[p],
               last->heap[p] / MOST_RANKS);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(falls_with_ranks)};
HARNESS_MAIN(tests)
