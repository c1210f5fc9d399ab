/* pull_float.c - PageRank as in pull.c, with a table of floats: where many arcs read a value, the time is that of
 * reading the table.
 *
 * The table has the change of a contribution since it was read last. The rounding error is in the next change; until
 * then it counts as mass that is spread over all vertices, so the sum stays 1. The error of an iteration is about 10^-7
 * of its change, and falls as the changes do. */
#include <math.h>

#include "graph/structure.h"
#include "pagerank/table.h"

enum { AHEAD = 64, ROW = 2048 }; /* arcs between prefetching the value of a head, or a part of a row, and reading it */
enum { LINES = 32, HUB = 8 };    /* arcs that are prefetched for each vertex; times the mean degree */

typedef struct {
  scree__pr_table table; /* first */
  float *left;           /* of local vertices: what rounding left of the change; part of the next one */
  bool even;             /* no vertex is a hub */
  bool past;             /* rows are prefetched past the second-level cache */
  double base;           /* ranks are this and damping * the sum of all changes read */
} state;

/* On processors of AMD, rows that are prefetched past the second-level cache do not replace values there that are read
 * again. Intel's prefetch them into the first level alone then, where values push them out before they are read: half
 * the speed on 2^20 vertices with 32 random arcs each. */
static bool rows_pass(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

static scree_status setup(scree__run *run) {
  state *s = run->own;
  uint64_t hubs, arcs;
  scree_status status = scree__pr_table_open(run, "pull-float", sizeof(float), &s->table);
  if (status == SCREE_OK) status = scree__graph_hubs(run->graph, HUB, &hubs, &arcs);
  if (status) return status;
  s->even = hubs == 0;
  s->past = rows_pass();
  s->base = 1 / (double)run->graph->vertices.n;
  s->left = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof *s->left);
  return scree__run_ready(run, true, "contributions");
}

/* The change of a contribution, rounded down, so that no more mass is sent than there is: `degree` arcs share a change
 * of the rank, and each adds what was left the time before. Returns the mass that is not sent. */
static inline double change_of(double by, double degree, double inverse, float *left, float *to) {
  const double change = by * inverse + (double)*left;
  *to = (float)(change - fabs(change) * 0x1p-23);
  *left = (float)(change - (double)*to);
  return (double)*left * degree;
}

static double divide(scree__run *run) {
  float *to = scree__pr_table_own(run, run->own, false);
  double mass = 0;
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    const uint64_t degree = scree_graph_degree(run->graph, u);
    const double rank = scree__rank(run)[u], inverse = scree__pr_inverse(scree__pagerank_of(run)->inverse, degree);
    mass += degree ? change_of(rank, (double)degree, inverse, &((state *)run->own)->left[u], &to[u]) : rank;
  }
  return mass;
}

static void send(scree__run *run) {
  scree__pr_table_send(run, run->own);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__pr_table_take(run, run->own, items, count);
}

/* Vertices from u to end; `wide`, `ahead`, `row`, `past` and `four` are constants. With `row` rows are prefetched, with
 * `past` too past the second-level cache; that pays where no row is long. `four` sums
 * at once are for graphs that are numbered by degree, where rows of one length follow each other and values that are
 * read often are near each other. Elsewhere an addition waits for the one before it, but reading at random takes
 * longer, and a second loop for the rest of a row would be a second branch that is mispredicted. */
static inline __attribute__((always_inline)) double collect_some(const scree__run *run, uint64_t u, uint64_t end,
                                                                 double more, double *mass, bool wide, uint64_t ahead,
                                                                 uint64_t row, bool past, bool four) {
  const scree_graph *g = run->graph;
  const state *s = run->own;
  const double damping = scree__pagerank_of(run)->damping, *const inverse = scree__pagerank_of(run)->inverse;
  const void *const targets = g->targets;
  const uint64_t *const offsets = g->offsets;
  const float *const table = scree__pr_table_at(&s->table, false);
  float *const next = scree__pr_table_own(run, &s->table, true), *const left = s->left;
  double *const rank = scree__rank(run);
  double change = 0, kept = 0;
  bool rough = false;
  for (uint64_t e = offsets[u]; u < end; u++) {
    const uint64_t begin = e, row_end = offsets[u + 1];
    double sum = 0, part[4] = {0};
    for (; four && e + 4 <= row_end; e += 4)
      for (uint64_t i = 0; i < 4; i++) part[i] += (double)table[scree__head_get(targets, wide, e + i)];
    if (four) sum = (part[0] + part[1]) + (part[2] + part[3]);
    for (uint64_t i = 0; row && i < LINES; i += 16) {
      const scree__head32 *later = (const scree__head32 *)targets + e + row + i;
      if (past)
        __builtin_prefetch(later, 0, 0);
      else
        __builtin_prefetch(later);
    }
    for (; e < row_end; e++) {
      if (ahead) __builtin_prefetch(&table[scree__head_get(targets, wide, e + ahead)]);
      sum += (double)table[scree__head_get(targets, wide, e)];
    }
    const double by = more + damping * sum, now = rank[u] + by;
    change += fabs(by);
    rough |= scree__pr_is_rough(fabs(by), now);
    rank[u] = now;
    const uint64_t degree = e - begin;
    kept += degree ? change_of(by, (double)degree, scree__pr_inverse(inverse, degree), &left[u], &next[u]) : now;
  }
  *mass += kept;
  scree__pagerank_of(run)->rough |= rough;
  return change;
}

static double collect(scree__run *run, double base, double *mass) {
  const scree_graph *g = run->graph;
  state *s = run->own;
  const double more = base - s->base;
  double change = 0;
  *mass = 0;
  for (uint64_t u = 0; u < g->locals; u += SCREE__PR_STRIDE) {
    const uint64_t end = g->locals - u < SCREE__PR_STRIDE ? g->locals : u + SCREE__PR_STRIDE;
    scree_node_array_step(s->table.array, run->worker);
    if (g->wide)
      change += collect_some(run, u, end, more, mass, true, 0, 0, false, false);
    else if (g->label_index && !s->even)
      change += collect_some(run, u, end, more, mass, false, 0, 0, false, true);
    else if (s->even && g->offsets[end] + ROW + LINES <= g->offsets[g->locals])
      change += s->past ? collect_some(run, u, end, more, mass, false, AHEAD, ROW, true, false)
                        : collect_some(run, u, end, more, mass, false, AHEAD, ROW, false, false);
    else if (g->offsets[end] + AHEAD <= g->offsets[g->locals])
      change += collect_some(run, u, end, more, mass, false, AHEAD, 0, false, false);
    else
      change += collect_some(run, u, end, more, mass, false, 0, 0, false, false);
  }
  s->base = base;
  s->table.second = !s->table.second;
  run->work.edges += g->offsets[g->locals];
  return change;
}

static scree_status solve(scree__run *run) {
  static const scree__pr_steps steps = {.divide = divide, .send = send, .collect = collect};
  return scree__pagerank_iterate(run, &steps);
}

const scree__variant scree__pagerank_pull_float = {
    .about = {"pull-float", "undirected graphs: as pull, but changes of contributions, in 4 bytes, are read"},
    .options = scree__pagerank_options,
    .messages = {{"pagerank.pull_float", sizeof(scree__pr_block), take, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 4, .node_bits = 2 * 32, .orderings = SCREE__READERS},
};
