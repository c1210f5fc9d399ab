/* sim_relaxations.c - the defaults of SSSP and BFS on graphs that are hard for one algorithm or another: under every
 * schedule, ranks that starve included, they make few relaxations, and their answers are right. */
#include <math.h>
#include <scree/generate.h>
#include <scree/kernel.h>
#include <scree/scree_sim.h>

#include "base/hash.h"
#include "graphs.h"
#include "harness.h"

enum { RELAXATIONS = 3, EXAMINED = 4 };

static double unit(uint64_t key) {
  return (double)(scree__hash(key) >> 11) * 0x1p-53;
}

/* ---- families of graphs ----
 *
 * X(name, vertices, edges, directed, tail, head, weight) of edge i of n vertices; u is the tail; weight 0: drawn.
 * - small-world: a ring whose vertices know 4 neighbours; one edge in 32 leads anywhere (Watts & Strogatz, Nature 393,
 *   1998).
 * - path-to-uniform: first many levels of one vertex, then few of many.
 * - power-law: few vertices are led to by many.
 * - jumps: a row of vertices with arcs over 1, 2, 4, ... of them, which cost the more, per vertex passed, the longer
 * they
 *   are: a vertex is reached first by few long arcs, then again and again by more and shorter ones.
 * - clique-chain: in a clique the path over all vertices is the shortest one, arcs that skip some cost more, and the
 * arc to
 *   the next clique as much as many buckets: an algorithm that relaxes a clique's vertices in another order than by
 *   distance improves them again and again. */
enum { CLIQUE = 32, INSIDE = CLIQUE * (CLIQUE - 1) / 2 /* edges of a clique */, CLIQUES = 33, SIZE = 1 << 13 };
#define K    (i % (INSIDE + 1))
#define FROM (i / (INSIDE + 1) * CLIQUE)
#define HIGH ((uint64_t)((1 + sqrt((double)(8 * K + 1))) / 2))
#define LOW  (K - HIGH * (HIGH - 1) / 2)
#define OVER (UINT64_C(1) << i % 13)
#define FAMILIES(X)                                                                                                    \
  X("tree", SIZE, n - 1, false, i / 2, i + 1, 0)                                                                       \
  X("small-world", SIZE, 4 * n, false, i / 4, (scree__hash(i) % 32 ? u + 1 + i % 4 : scree__hash(scree__hash(i))) % n, \
    0)                                                                                                                 \
  X("path-to-uniform", SIZE / 2, 4 * n, false, i / 4, u < n / 64 ? u + 1 : n / 64 + scree__hash(i) % (n - n / 64), 0)  \
  X("power-law", SIZE / 2, 8 * n, true, scree__hash(2 * i + 1) % n, (uint64_t)(pow(unit(2 * i), 3) * (double)n), 0)    \
  X("jumps", SIZE / 8, 13 * n, false, i / 13, u + OVER < n ? u + OVER : n - 1, (double)(OVER * (10 + i % 13)))         \
  X("clique-chain", CLIQUES *CLIQUE, CLIQUES *(INSIDE + 1) - 1, false, K == INSIDE ? FROM + CLIQUE - 1 : FROM + LOW,   \
    K == INSIDE ? FROM + CLIQUE : FROM + HIGH, K == INSIDE ? 1000 : (double)(2 * (HIGH - LOW) - 1))

#define NAME(name, vertices, edges, directed, tail, head, weight) name,
static const char *const families[] = {
    "kron:13",     "kron:11",     "kron:9",    "uniform:8192,8192", "uniform:8192,16384", "uniform:4096,32768",
    "grid:64,128", "grid:16,512", "path:2048", "star:8192",         FAMILIES(NAME)};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

#define MAKE(name, vertices, count, is_directed, tail, head, weight)                                                   \
  if (strcmp(family, name) == 0) {                                                                                     \
    const uint64_t n = (vertices), edges = (count);                                                                    \
    for (uint64_t i = 0; i < edges; i++) {                                                                             \
      const uint64_t u = (tail);                                                                                       \
      case_graph_add(c, u, (head), (weight));                                                                          \
    }                                                                                                                  \
    c->shape = (scree_graph_shape){.n = n, .directed = is_directed};                                                   \
  }

static void make_family(case_graph *c, const char *family) {
  scree_generated *generated;
  char why[200];
  FAMILIES(MAKE)
  if (scree_generated_parse(family, why, sizeof why, &generated) != SCREE_OK) return;
  c->shape = (scree_graph_shape){.n = scree_generated_vertices(generated)};
  for (uint64_t i = 0; i < scree_generated_edges(generated); i++) {
    scree_edge e;
    scree_generated_make(generated, i, 1, &e);
    case_graph_add(c, e.u, e.v, 0);
  }
  scree_generated_free(generated);
}

/* ---- weights: X(name, kind, of a random number) ---- */

#define WEIGHTS(X)                                                                                                     \
  X("1", SCREE_WEIGHT_UINT32, 1)                                                                                       \
  X("1..100", SCREE_WEIGHT_UINT32, 1 + floor(100 * r))                                                                 \
  X("1..10^6", SCREE_WEIGHT_UINT32, 1 + floor(1e6 * r))                                                                \
  X("float", SCREE_WEIGHT_FLOAT, (double)(float)r)                                                                     \
  X("heavy-tailed", SCREE_WEIGHT_UINT32, floor(fmin(1e6, pow(1 - r, -1.5))))                                           \
  X("mostly-zero", SCREE_WEIGHT_UINT32, r < 0.9 ? 0 : 1 + floor(1000 * (r - 0.9)))

#define WORD(name, kind, value) name,
#define KIND(name, kind, value) kind,
static const char *const weights[] = {WEIGHTS(WORD)};
static const scree_weight_kind kinds[] = {WEIGHTS(KIND)};
enum { WEIGHT_COUNT = sizeof weights / sizeof *weights };

#define DRAW(name, kind, value)                                                                                        \
  if (k-- == 0) return value;
static double draw_weight(size_t k, double r) {
  WEIGHTS(DRAW)
  return 1;
}

/* ---- the runs ---- */

typedef struct {
  const char *family, *weights;
  case_graph given;
} job;

static void make_job(job *j, size_t family, size_t k) {
  *j = (job){.family = families[family], .weights = weights[k]};
  make_family(&j->given, families[family]);
  j->given.shape.weight = kinds[k];
  for (uint64_t i = 0; i < j->given.m; i++)
    if (j->given.edges[i].weight == 0) j->given.edges[i].weight = draw_weight(k, unit(~i));
}

static void look_at(const job *j, const scree_kernel *kernel, scree_solver *solver, const scree_graph *g,
                    const scree_answer *a) {
  const bool levels = kernel->arrays[0].kind == SCREE_VALUE_LEVEL;
  const char *family = j->family, *weight = j->weights;
  scree_verdict verdict = {.valid = false};
  uint64_t vertices, edges, made = a->work.messages + a->work.direct;
  check_equal(scree_solver_validate(solver, g, 0, NULL, a, &verdict), SCREE_OK);
  check_text(verdict.valid, "%s, %s, %s: %s", kernel->name, family, weight, verdict.text);
  check_equal(scree_graph_traversed(g, levels ? NULL : a->array[0], levels ? a->array[0] : NULL, &vertices, &edges),
              SCREE_OK);
  const uint64_t arcs = (g->directed ? 1U : 2U) * edges;
  check_text(made <= RELAXATIONS * arcs && a->work.edges <= EXAMINED * arcs,
             "%s, %s, %s: %llu relaxations, %llu edges examined, of %llu; %s", kernel->name, family, weight,
             (unsigned long long)made, (unsigned long long)a->work.edges, (unsigned long long)arcs,
             a->reason ? a->reason : "no reason");
  check(strcmp(family, "jumps") != 0 || levels || strcmp(a->algorithm, "dc") == 0 ||
        (a->reason && strstr(a->reason, "in windows")));           /* it left them */
  check(strcmp(family, "path:2048") != 0 || !levels || a->reason); /* it left the levels */
}

/* `runs` are expected: for one, of shortest paths, another variant runs. */
static void solve_one(const job *j, scree_graphs *graphs, const scree_graph *g, const char *name, uint64_t runs) {
  const scree_kernel *kernel = scree_kernel_find(name);
  scree_solver *solver;
  scree_answer a;
  check_equal(scree_solver_open(graphs, kernel, &solver), SCREE_OK);
  scree_solver_expect(solver, runs);
  if (check_equal(scree_solver_run(solver, g, 0, NULL, &a), SCREE_OK)) {
    look_at(j, kernel, solver, g, &a);
    scree_answer_free(&a);
  }
  scree_solver_close(solver);
}

static void solve(scree_world *world, void *arg) {
  job *j = arg;
  scree_graphs *graphs;
  if (!check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) return;
  scree_graph *g = case_graph_build(graphs, &j->given, 2);
  if (check(g != NULL)) {
    solve_one(j, graphs, g, "sssp", 0);
    solve_one(j, graphs, g, "sssp", 1);
    solve_one(j, graphs, g, "bfs", 0);
    scree_graph_free(g);
  }
  scree_graphs_close(graphs);
}

HARNESS_TEST(bounded) {
  enum { ALL = FAMILY_COUNT * WEIGHT_COUNT };
  for (uint64_t seed = 1; seed <= harness_seeds(ALL, 10 * ALL) && harness_failures() == 0; seed++) {
    job j;
    scree_sim_config config = {.seed = seed, .ranks = 1 + (uint32_t)(seed * 7 % 5), .nodes = 1 + (uint32_t)(seed % 2)};
    if (config.nodes > config.ranks) config.nodes = 1;
    make_job(&j, seed % FAMILY_COUNT, seed / FAMILY_COUNT % WEIGHT_COUNT);
    check_text(scree_sim_run(&config, NULL, solve, &j, NULL) == SCREE_OK, "seed %u", (unsigned)seed);
    case_graph_free(&j.given);
  }
}

HARNESS_MAIN
