/* graph.c - traversed edges per second of every variant of every kernel on a graph, against serial yardsticks.
 *
 * From each source in turn: each variant on rank 0 alone, the yardsticks, and each variant on all ranks, interleaved.
 * Rates are harmonic means over the sources, as the Graph500 specification requires. Without a graph: a Kronecker graph
 * of edge factor 16, and for shortest paths the same with whole numbers as weights. Regret is the time of a variant,
 * for example the default, divided by that of the best one: for a run, and for preparation and one run, which is what a
 * single run takes. What needs no source, and whose yardsticks need each arc in both directions, runs as often on
 * undirected graphs. */
#include <math.h>
#include <scree/kernel.h>
#include <scree/pagerank.h>
#include <scree/scree_mpi.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "yardstick/serial.h"

/* The last of RUNS is timed: the first one sorts rows, touches pages and warms the caches. Before them, from the first
 * source, each variant runs ONCE times as if one run were expected, in turn with the others, so that none alone is the
 * first: the best counts. */
enum { YARDSTICKS = 2, RUNS = 2, ONCE = 3, USUAL_SOURCES = 3, FULL_SOURCES = 64 };
enum { ITERATIONS = 20, BC_SOURCES = 16 };

/* ---- yardsticks ---- */

typedef struct {
  serial_scratch scratch;
  uint32_t *level, *parent;
  double *value, *share;
} arrays;

static void queue_bfs(const serial_csr *csr, uint32_t source, arrays *a) {
  serial_queue_bfs(csr, &a->scratch, source, a->level, a->parent);
}
static void bitmap_bfs(const serial_csr *csr, uint32_t source, arrays *a) {
  serial_bitmap_bfs(csr, &a->scratch, source, a->level, a->parent);
}
static void dijkstra(const serial_csr *csr, uint32_t source, arrays *a) {
  serial_heap_dijkstra(csr, &a->scratch, source, a->value);
}
static void union_find(const serial_csr *csr, uint32_t source, arrays *a) {
  (void)source;
  serial_union_find(csr, a->parent);
}
static void pagerank(const serial_csr *csr, uint32_t source, arrays *a) {
  (void)source;
  serial_pagerank(csr, ITERATIONS, a->value, a->share);
}
static void cores(const serial_csr *csr, uint32_t source, arrays *a) {
  (void)source;
  serial_cores(csr, &a->scratch, a->level, a->parent);
}
static void greedy_set(const serial_csr *csr, uint32_t source, arrays *a) {
  (void)source;
  serial_greedy_set(csr, (unsigned char *)a->level);
}
static void largest_first(const serial_csr *csr, uint32_t source, arrays *a) {
  (void)source;
  serial_largest_first(csr, &a->scratch, a->level);
}
static void forward(const serial_csr *csr, uint32_t source, arrays *a) {
  uint64_t triangles;
  (void)source;
  serial_triangles(csr, a->level, &triangles);
}
static void brandes(const serial_csr *csr, uint32_t source, arrays *a) {
  scree_bijection order;
  (void)source;
  scree_bijection_init(&order, csr->n, 1);
  memset(a->value, 0, csr->n * sizeof *a->value);
  for (uint64_t i = 0; i < BC_SOURCES && i < csr->n; i++)
    serial_brandes(csr, (uint32_t)scree_bijection_apply(&order, i), a->value);
}

/* passes: how often a kernel without a source traverses each edge, by which its variants are compared. The ratios are
 * to the first yardstick. */
typedef struct {
  const char *name;
  int passes;
  struct {
    const char *name;
    void (*run)(const serial_csr *csr, uint32_t source, arrays *a);
  } yardstick[YARDSTICKS];
} kernel_row;
static const kernel_row rows[] = {
    {"bfs", 0, {{"(serial BFS)", bitmap_bfs}, {"(textbook BFS)", queue_bfs}}},
    {"sssp", 0, {{"(serial Dijkstra)", dijkstra}}},
    {"cc", 1, {{"(union-find)", union_find}}},
    {"pagerank", ITERATIONS, {{"(serial)", pagerank}}},
    {"kcore", 1, {{"(buckets)", cores}}},
    {"mis", 1, {{"(greedy)", greedy_set}}},
    {"colour", 1, {{"(largest first)", largest_first}}},
    {"tc", 1, {{"(forward)", forward}}},
    {"bc", BC_SOURCES, {{"(Brandes)", brandes}}},
};
enum { KERNELS = sizeof rows / sizeof *rows };

static bool open_arrays(arrays *a, const serial_csr *csr) {
  a->level = bench_alloc(csr->n * sizeof *a->level, true);
  a->parent = bench_alloc(csr->n * sizeof *a->parent, true);
  a->value = bench_alloc(csr->n * sizeof *a->value, true);
  a->share = bench_alloc(csr->n * sizeof *a->share, true);
  return serial_scratch_open(&a->scratch, csr) && a->level && a->parent && a->value && a->share;
}

static void close_arrays(arrays *a) {
  serial_scratch_close(&a->scratch);
  scree_huge_free(a->level);
  scree_huge_free(a->parent);
  scree_huge_free(a->value);
  scree_huge_free(a->share);
}

/* ---- worlds ---- */

/* A world with the graph in it. */
typedef struct {
  scree_world *world; /* NULL: this rank is not in it */
  scree_graphs *graphs;
  scree_graph *graph;
  scree_solver *solver; /* of the current kernel */
  double kept;          /* seconds that the ordering took which variants of it keep with the graph */
} place;

static bool open_place(place *p, MPI_Comm comm, const char *spec, const scree_graph_options *options) {
  if ((ranks_are_local ? scree_open(NULL, &p->world) : scree_open_mpi(comm, NULL, &p->world)) != SCREE_OK) return false;
  if (scree_graphs_open(p->world, &p->graphs) == SCREE_OK &&
      scree_graph_load(p->graphs, spec, options, &p->graph) == SCREE_OK)
    return true;
  fprintf(stderr, "graph: %s\n", p->graphs ? scree_graphs_error(p->graphs) : "no memory");
  return false;
}

static void close_place(place *p) {
  if (!p->world) return;
  scree_graph_free(p->graph);
  scree_graphs_close(p->graphs);
  scree_close(p->world);
}

/* ---- one source ---- */

typedef struct {
  double inverse, seconds, sent; /* sums: of 1 / TEPS, of seconds, of relaxations */
  double once;                   /* seconds: of preparation and one run, from the first source */
  int runs;
} rate;

typedef struct {
  bench *b;
  const char *graph, *weights; /* for the table */
  place alone, all;            /* rank 0, every rank */
  serial_csr csr;              /* on rank 0 */
  arrays arrays;
  const kernel_row *row;
  const scree_kernel *kernel;
  int index; /* of the source */
  uint64_t source;
  double edges;                       /* traversed from it, on rank 0 */
  rate serial[YARDSTICKS], *rates[2]; /* rates: by variant; first of one rank, then of all ranks */
} session;

static void add(rate *r, double edges, double seconds, double sent) {
  if (edges <= 0) return; /* an isolated source yields no rate */
  r->inverse += seconds / edges;
  r->seconds += seconds;
  r->sent += sent;
  r->runs++;
}

static void run_yardsticks(session *s) {
  for (int k = 0; k < YARDSTICKS && s->row->yardstick[k].run; k++) {
    double start = 0;
    for (int run = 0; run < RUNS; run++) {
      start = bench_now();
      s->row->yardstick[k].run(&s->csr, (uint32_t)s->source, &s->arrays);
    }
    add(&s->serial[k], s->edges, bench_now() - start, 0);
  }
}

static scree_status count_edges(session *s, const place *p, const scree_answer *a) {
  const bool levels = s->kernel->arrays[0].kind == SCREE_VALUE_LEVEL;
  uint64_t vertices, edges = (uint64_t)s->row->passes * p->graph->edges;
  const double *values = levels ? NULL : a->array[0];
  scree_status status = SCREE_OK;
  if (s->kernel->source)
    status = scree_graph_traversed(p->graph, values, levels ? a->array[0] : NULL, &vertices, &edges);
  s->edges = (double)edges;
  return status;
}

/* Chaotic SSSP repeats most of its work and takes as long as all the others together: one run from one source suffices,
 * after the others have warmed what they share. */
static bool is_slow(const scree_algorithm *a) {
  return strcmp(a->name, "chaotic") == 0;
}

/* A run for which one run was expected. What it needs may have been made before. */
static void add_once(const session *s, place *p, const scree_answer *answer, rate *r) {
  const scree_graph *g = p->graph;
  const scree_graph_shape shape = {.n = g->vertices.n,
                                   .distribution = g->vertices.kind,
                                   .weight = g->weight,
                                   .directed = g->directed,
                                   .wide = g->wide};
  const bool keeps = scree_kernel_plan(s->kernel, answer->algorithm, &shape, g->edges, g->vertices.ranks, 1).kept;
  if (answer->prepared) p->kept = answer->preparation_seconds;
  const double once = answer->seconds + answer->preparation_seconds + (keeps && !answer->prepared ? p->kept : 0);
  if (r->once == 0 || once < r->once) r->once = once;
}

/* NULL: no memory. */
static scree_kernel_options *options_of(const session *s, const scree_algorithm *a) {
  scree_kernel_options *options = malloc(s->kernel->options_size);
  if (options) scree_kernel_options_init(s->kernel, options);
  if (options) options->algorithm = a->name;
  if (options && strcmp(s->kernel->name, "bc") == 0) ((scree_bc_options *)(void *)options)->sources = BC_SOURCES;
  if (options && strcmp(s->kernel->name, "pagerank") == 0)
    ((scree_pagerank_options *)(void *)options)->iterations = ITERATIONS;
  return options;
}

static bool run_once(session *s, place *p, const scree_algorithm *a, rate *r) {
  scree_kernel_options *options = options_of(s, a);
  scree_answer answer = {0};
  scree_solver_expect(p->solver, true);
  const bool good = options && scree_solver_run(p->solver, p->graph, s->source, options, &answer) == SCREE_OK;
  if (good) add_once(s, p, &answer, r);
  scree_answer_free(&answer);
  free(options);
  return good;
}

/* Answers are validated from the first source, with --full from all: validation takes as long as the runs. */
static bool run_variant(session *s, place *p, const scree_algorithm *a, rate *r) {
  scree_kernel_options *options = options_of(s, a);
  scree_answer answer = {0};
  scree_verdict verdict = {.valid = true};
  scree_status status = options ? SCREE_OK : SCREE_ENOMEM;
  scree_solver_expect(p->solver, false);
  for (int run = is_slow(a) ? RUNS - 1 : 0; run < RUNS && status == SCREE_OK; run++) {
    scree_answer_free(&answer);
    status = scree_solver_run(p->solver, p->graph, s->source, options, &answer);
  }
  if (status == SCREE_OK && is_slow(a)) add_once(s, p, &answer, r);
  if (status == SCREE_OK && (s->index == 0 || s->b->full))
    status = scree_solver_validate(p->solver, p->graph, s->source, options, &answer, &verdict);
  if (status == SCREE_OK) status = count_edges(s, p, &answer);
  free(options);
  if ((status != SCREE_OK || !verdict.valid) && s->b->rank == 0)
    fprintf(stderr, "graph: %s: %s\n", a->name, status ? scree_graphs_error(p->graphs) : verdict.text);
  add(r, s->edges, answer.seconds, (double)(answer.work.messages + answer.work.direct));
  scree_answer_free(&answer);
  return status == SCREE_OK && verdict.valid;
}

static const scree_algorithm *variant(const session *s, size_t i) {
  return scree_kernel_variant_at(s->kernel, i);
}

static bool run_variants(session *s, place *p, rate *rates) {
  bool good = true;
  for (int round = 0; s->index == 0 && round < ONCE; round++)
    for (size_t v = 0; good && variant(s, v); v++)
      if (!is_slow(variant(s, v))) good = run_once(s, p, variant(s, v), &rates[v]);
  for (size_t v = 0; good && variant(s, v); v++)
    if (s->index == 0 || !is_slow(variant(s, v))) good = run_variant(s, p, variant(s, v), &rates[v]);
  return good;
}

static bool run_alone(bench *b, void *arg) {
  session *s = arg;
  (void)b;
  if (s->alone.world && !run_variants(s, &s->alone, s->rates[0])) return false;
  run_yardsticks(s);
  return true;
}

static double seconds_of(const rate *r) {
  return r->seconds / r->runs;
}

/* `best` is of all variants. */
static void report(const session *s, const char *name, const rate *one, const rate *all, const rate *best) {
  const double alone = one->runs / one->inverse, together = all->runs / all->inverse;
  bench_row(s->b, BENCH_TEXT("graph", "%-12s", s->graph), BENCH_TEXT("kernel", " %-8s", s->row->name),
            BENCH_TEXT("algorithm", " %-17s", name),
            BENCH_TEXT("weights", " %-8s", s->kernel->weights ? s->weights : "-"),
            BENCH_CELL("ranks", NULL, s->b->ranks, 1), BENCH_CELL("teps_1_rank", " %9.2f", alone, 1e-6),
            BENCH_CELL("teps", " %9.2f", together, 1e-6), BENCH_CELL(NULL, " %7.2f", together / alone, 1),
            BENCH_CELL("serial_ratio", " %8.2f", together * s->serial[0].inverse / s->serial[0].runs, 1),
            BENCH_CELL("seconds", " %9.2f", seconds_of(all), 1e3),
            BENCH_CELL("regret", " %7.2f", seconds_of(all) / seconds_of(best), 1),
            BENCH_CELL("seconds_once", " %9.2f", all->once, 1e3),
            BENCH_CELL("regret_once", " %7.2f", all->once / best->once, 1),
            BENCH_CELL("made_per_arc", " %9.3f", all->sent / all->runs / (double)s->all.graph->arcs, 1),
            BENCH_CELL("sources", " %8.0f", all->runs, 1));
}

static bool run_sources(session *s) {
  bool good = true;
  for (s->index = 0; good && s->index < (s->b->full ? FULL_SOURCES : USUAL_SOURCES); s->index++)
    good = scree_graph_random_source(s->all.graph, (uint64_t)s->index + 1, &s->source) == SCREE_OK &&
           bench_on_ranks(s->b, 1, run_alone, s) && bench_all(run_variants(s, &s->all, s->rates[1]));
  return good;
}

static rate best_of(const session *s) {
  rate best = {.seconds = INFINITY, .once = INFINITY, .runs = 1};
  for (size_t v = 0; variant(s, v); v++) {
    const rate *r = &s->rates[1][v];
    if (seconds_of(r) < best.seconds) best.seconds = seconds_of(r);
    if (r->once < best.once) best.once = r->once;
  }
  return best;
}

static bool run_kernel(session *s, const kernel_row *row) {
  s->row = row;
  s->kernel = scree_kernel_find(row->name);
  memset(s->serial, 0, sizeof s->serial);
  size_t variants = 0;
  while (variant(s, variants)) variants++;
  for (int i = 0; i < 2; i++) s->rates[i] = calloc(variants, sizeof *s->rates[i]);
  s->alone.kept = s->all.kept = 0;
  bool good = s->rates[0] && s->rates[1];
  good = scree_solver_open(s->all.graphs, s->kernel, &s->all.solver) == SCREE_OK && good;
  if (s->alone.world) good = scree_solver_open(s->alone.graphs, s->kernel, &s->alone.solver) == SCREE_OK && good;
  good = bench_all(good) && run_sources(s);
  const rate best = good ? best_of(s) : (rate){0};
  for (size_t v = 0; good && variant(s, v); v++)
    report(s, variant(s, v)->name, &s->rates[0][v], &s->rates[1][v], &best);
  for (int k = 0; good && k < YARDSTICKS && row->yardstick[k].name; k++)
    report(s, row->yardstick[k].name, &s->serial[k], &s->serial[k], &best);
  scree_solver_close(s->alone.solver);
  scree_solver_close(s->all.solver);
  for (int i = 0; i < 2; i++) free(s->rates[i]);
  return good;
}

static bool run_graph(bench *b, const char *spec, const scree_graph_options *options, const char *only) {
  static const char *const weights[] = {"-", "integers", "float", "double"}; /* by kind */
  session s = {.b = b, .graph = strrchr(spec, '/') ? strrchr(spec, '/') + 1 : spec};
  bool good = bench_all(open_place(&s.all, MPI_COMM_WORLD, spec, options));
  if (good && ranks_are_local) good = serial_csr_gather(s.all.graph, &s.csr) == SCREE_OK;
  if (good && !ranks_are_local && b->rank == 0)
    good = open_place(&s.alone, MPI_COMM_SELF, spec, options) && serial_csr_gather(s.alone.graph, &s.csr) == SCREE_OK;
  if (good && b->rank == 0) good = open_arrays(&s.arrays, &s.csr);
  good = bench_all(good);
  for (const kernel_row *row = rows; good && row < rows + KERNELS; row++) {
    const scree_graph *g = s.all.graph;
    s.weights = weights[g->weight];
    if (only ? !strcmp(only, row->name) : (g->weight || row != &rows[1]) && !(g->directed && row->passes))
      good = run_kernel(&s, row);
  }
  close_arrays(&s.arrays);
  serial_csr_free(&s.csr);
  close_place(&s.alone);
  close_place(&s.all);
  return good;
}

/* The arguments after "--": options of the graph as --name=text, then the graph. NULL: the reason is on standard
 * error. */
static const char *read_graph(bench *b, scree_graph_options *options) {
  static char why[256];
  for (char **at = b->rest; *at; at++) {
    char *text = *at, *name = strncmp(text, "--", 2) ? NULL : strsep(&text, "=") + 2;
    if (!name && !at[1]) return text;
    snprintf(why, sizeof why, "unknown");
    if (name && scree_graph_options_set(options, name, text, why, sizeof why) == 0) continue;
    if (b->rank == 0) fprintf(stderr, "graph: cannot use '%s' after --: %s\n", name ? name : text, why);
    return NULL;
  }
  if (b->rank == 0) fprintf(stderr, "graph: no graph after --\n");
  return NULL;
}

static bool run(bench *b) {
  scree_graph_options options = {0};
  char kronecker[32];
  const char *given = *b->rest ? read_graph(b, &options) : NULL;
  if (*b->rest && !given) return false;
  if (b->rank == 0)
    printf("%-12s %-8s %-17s %-8s %9s %9s %7s %8s %9s %7s %9s %7s %9s %8s   (million edges per second; ms of a run on "
           "all, "
           "and of one with its preparation, each over the best)\n",
           "", "", "", "weights", "1 rank", "all", "all/1", "/serial", "ms", "/best", "once ms", "/best", "relax/arc",
           "sources");
  if (given) return run_graph(b, given, &options, NULL);
  snprintf(kronecker, sizeof kronecker, "kron:%d", b->scale ? b->scale : 18);
  const scree_graph_options integers = {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 1, .hi = 100};
  return run_graph(b, kronecker, &options, NULL) && run_graph(b, kronecker, &integers, "sssp");
}

const bench_mode bench_modes[] = {
    {.name = "graph",
     .what = "every variant of each kernel (PageRank: 20 iterations, bc: 16 sources) on one rank and on all, against "
             "serial yardsticks; --scale: log2 of the vertices, default 18; after --: options of the graph as "
             "--name=text, and "
             "the graph",
     .run = run,
     .takes_rest = true},
    {0}};
