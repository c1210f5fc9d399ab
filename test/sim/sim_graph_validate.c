/* sim_graph_validate.c - the validators on virtual ranks: each rule rejects a wrong answer, with its message. The tests
 * of kernels show that right answers of all kernels pass. */
#include <math.h>

#include "graph_cases.h"

/* An answer over all vertices, on every rank, of which each takes its part. */
enum { MOST = 8, NOBODY = -9 };
typedef struct {
  int64_t level[MOST];
  uint64_t parent[MOST];
  double dist[MOST];
} answer;

static scree_status validate_bfs(const scree_graph *g, uint64_t source, const answer *a, scree_verdict *verdict) {
  int64_t *level = malloc((g->locals + 1) * sizeof *level);
  uint64_t *parent = malloc((g->locals + 1) * sizeof *parent);
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    level[u] = a->level[v];
    parent[u] = a->parent[v];
  }
  scree_status status = scree_bfs_validate(g, source, level, parent, verdict);
  free(level);
  free(parent);
  return status;
}

static scree_status validate_sssp(const scree_graph *g, uint64_t source, const answer *a, scree_verdict *verdict) {
  double *dist = malloc((g->locals + 1) * sizeof *dist);
  for (uint64_t u = 0; u < g->locals; u++)
    dist[u] = a->dist[scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u))];
  scree_status status = scree_sssp_validate(g, source, dist, verdict);
  free(dist);
  return status;
}

/* ---- wrong answers ----------------------------------------------------------------------------------------------- */

/* Labels, written as the file has them:  10 - 20 - 30 - 40 - 50 - 60 - 10  is a ring, 70 - 80 apart; weights 1 but for
 * 20 - 30, which weighs 0. Vertices 0 .. 7. */
static const char ring[] = "10 20 1\n20 30 0\n30 40 1\n40 50 1\n50 60 1\n60 10 1\n70 80 1\n";
static const answer good = {.level = {0, 1, 2, 3, 2, 1, -1, -1},
                            .parent = {0, 0, 1, 2, 5, 0, SCREE_NO_VERTEX, SCREE_NO_VERTEX},
                            .dist = {0, 1, 1, 2, 2, 1, INFINITY, INFINITY}};

/* Of vertices from .. to an answer has this in place of what is right; from vertex to vertex it grows by `step`. */
typedef struct {
  enum { NOTHING, LEVEL, PARENT, DIST } field;
  uint32_t from, to;
  double value, step;
} change;

static const struct {
  enum { BFS, DIRECTED_BFS, SSSP } kernel;
  int rule;       /* 0: the answer is right */
  uint64_t label; /* where it fails */
  const char *part;
  change changes[2];
} cases[] = {
    {BFS, 0, 0, "", {{0}}},
    {BFS, 0, 0, "", {{PARENT, 3, 3, 4, 0}}}, /* 50 is as good a parent of 40 */
    {BFS, 1, 30, "rule 1, vertex 30: found level 2, expected a path to it from the source", {{PARENT, 2, 2, 3, 0}}},
    {BFS, 1, 10, "expected the source to be its own parent", {{PARENT, 0, 0, 1, 0}}},
    {BFS, 1, 70, "vertex 70", {{LEVEL, 6, 7, 1, 1}, {PARENT, 6, 7, 7, -1}}}, /* an island that holds itself up */
    {BFS, 2, 40, "rule 2, vertex 40: found level 4, expected one more than its parent's", {{LEVEL, 3, 3, 4, 0}}},
    {BFS, 2, 10, "found level 1, expected 0 at the source", {{LEVEL, 0, 0, 1, 0}}},
    {BFS, 2, 70, "found level -7, expected 0 or more, or -1", {{LEVEL, 6, 6, -7, 0}}},
    {BFS, 3, 60, "rule 3, vertex 60: found level 5, expected at most 1", {{LEVEL, 0, 5, 0, 1}, {PARENT, 1, 5, 0, 1}}},
    {DIRECTED_BFS, 0, 0, "", {{LEVEL, 0, 5, 0, 1}, {PARENT, 1, 5, 0, 1}}}, /* the long path is the only one */
    {BFS,
     4,
     40,
     "rule 4, vertex 40: found level inf, expected it to be reached",
     {{LEVEL, 3, 3, -1, 0}, {PARENT, 3, 3, NOBODY, 0}}},
    {BFS, 4, 40, "expected a parent too", {{PARENT, 3, 3, NOBODY, 0}}},
    {BFS, 4, 70, "expected no parent, it is unreached", {{PARENT, 6, 6, 0, 0}}},
    {BFS, 5, 40, "rule 5, vertex 40: found level 3, expected an arc from its parent to it", {{PARENT, 3, 3, 0, 0}}},
    {BFS, 5, 30, "expected its parent to be a vertex below 8", {{PARENT, 2, 2, 8, 0}}},
    {DIRECTED_BFS, 5, 50, "expected an arc from its parent to it", {{0}}}, /* the arc leads in the other direction */
    {SSSP, 0, 0, "", {{0}}},
    /* 20 - 30 weighs 0: at one distance they hold each other up, but nothing holds up both. */
    {SSSP,
     1,
     20,
     "rule 1, vertex 20: found distance 0.5, expected a path to it from the source",
     {{DIST, 1, 2, .5, 0}, {DIST, 3, 3, 1.5, 0}}},
    {SSSP, 2, 10, "rule 2, vertex 10: found distance 1, expected 0 at the source", {{DIST, 0, 0, 1, 0}}},
    {SSSP, 2, 40, "expected 0 or more", {{DIST, 3, 3, -2, 0}}},
    {SSSP, 2, 40, "expected 0 or more", {{DIST, 3, 3, (double)NAN, 0}}},
    {SSSP, 3, 60, "rule 3, vertex 60: found distance 4, expected at most 1", {{DIST, 3, 5, 2, 1}}},
    {SSSP,
     4,
     40,
     "rule 4, vertex 40: found distance inf, expected it to be reached",
     {{DIST, 3, 3, (double)INFINITY, 0}}},
    {SSSP, 5, 50, "rule 5, vertex 50: found distance 1.75, expected an arc that leads to it", {{DIST, 4, 4, 1.75, 0}}},
    {SSSP, 5, 70, "expected an arc that leads to it", {{DIST, 6, 7, 5, 1}}}, /* an island */
};
enum { CASES = sizeof cases / sizeof *cases };

static answer answer_of(size_t i) {
  answer a = good;
  for (const change *c = cases[i].changes; c < cases[i].changes + 2; c++)
    for (uint32_t v = c->from; v <= c->to; v++) {
      const double value = c->value + c->step * (v - c->from);
      if (c->field == LEVEL) a.level[v] = (int64_t)value;
      if (c->field == PARENT) a.parent[v] = value == NOBODY ? SCREE_NO_VERTEX : (uint64_t)value;
      if (c->field == DIST) a.dist[v] = value;
    }
  return a;
}

typedef struct {
  size_t index;
  scree_graph_options options;
  const char *path;
} run;

static void judge(scree_graphs *graphs, void *arg) {
  const run *r = arg;
  const answer a = answer_of(r->index);
  const int rule = cases[r->index].rule;
  scree_graph *g = NULL;
  scree_verdict verdict = {.valid = rule != 0};
  if (!check_text(scree_graph_load(graphs, r->path, &r->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs)))
    return;
  check_equal((cases[r->index].kernel == SSSP ? validate_sssp : validate_bfs)(g, 0, &a, &verdict), SCREE_OK);
  check_text(verdict.valid == (rule == 0) && verdict.rule == rule, "case %u: rule %d, not %d: %s", (unsigned)r->index,
             verdict.rule, rule, verdict.text);
  if (rule) {
    check_equal(verdict.label, cases[r->index].label);
    check_contains(verdict.text, cases[r->index].part);
  }
  check_equal(scree_sssp_validate(g, g->vertices.n, a.dist, &verdict), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "is not a vertex; expected 0 .. ");
  scree_graph_free(g);
}

HARNESS_TEST(wrong_answers) {
  run r = {.path = graph_case_file(ring, strlen(ring), ".txt")};
  for (r.index = 0; r.index < CASES; r.index++)
    for (int i = 0; i < GRAPH_CASE_RANKS; i++) {
      r.options =
          (scree_graph_options){.direction = cases[r.index].kernel == DIRECTED_BFS ? SCREE_DIRECTED : SCREE_UNDIRECTED,
                                .columns = {1, 2, 3},
                                .distribution = (scree_distribution_kind)(i % 3)};
      graph_case_run(graph_case_ranks[i], (uint64_t)i, judge, &r);
    }
  unlink(r.path);
}

HARNESS_MAIN
