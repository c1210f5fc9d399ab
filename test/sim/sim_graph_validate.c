/* sim_graph_validate.c - tests of the validators on virtual ranks: right answers pass, each rule rejects a wrong one.
 *
 * The answers given to the validators come from the serial references or are written by hand. */
#include <math.h>

#include "graph_cases.h"
#include "yardstick/serial.h"

/* An answer over all vertices, on every rank, of which each takes its part. */
enum { MOST = 1024 };
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

/* ---- right answers ----------------------------------------------------------------------------------------------- */

static void take_answer(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  if (check_equal(bytes, sizeof(answer))) memcpy(arg, data, bytes);
}

/* Rank 0 solves and tells all. */
static answer *solve(const scree_graph *g, uint64_t source) {
  answer *a = calloc(1, sizeof *a);
  serial_csr csr;
  scree_graphs *graphs = g->graphs;
  check_equal(serial_csr_gather(g, &csr), SCREE_OK);
  check_equal(scree__exchange_begin(graphs, (scree__receivers){.bytes = take_answer}, a), SCREE_OK);
  if (!scree_graph_rank(g)) {
    static uint32_t level[MOST], parent[MOST];
    answer *mine = calloc(1, sizeof *mine);
    check(serial_bfs(&csr, (uint32_t)source, level, parent));
    check(serial_dijkstra(&csr, (uint32_t)source, mine->dist));
    for (uint64_t v = 0; v < csr.n; v++) {
      mine->level[v] = level[v] == SERIAL_UNREACHED ? -1 : (int64_t)level[v];
      mine->parent[v] = level[v] == SERIAL_UNREACHED ? SCREE_NO_VERTEX : parent[v];
    }
    for (uint32_t r = 0; r < graphs->worker->ranks; r++)
      graph_bytes_send(graphs->worker, graphs->bytes, r, mine, sizeof *mine);

    free(mine);
  }
  check_equal(scree__exchange_end(graphs, NULL), SCREE_OK);
  serial_csr_free(&csr);
  return a;
}

typedef struct {
  const char *spec;
  scree_graph_options options;
} graph_of;

static void right(scree_graphs *graphs, void *arg) {
  const graph_of *c = arg;
  scree_graph *g = NULL;
  scree_verdict verdict;
  uint64_t source;
  if (!check_text(scree_graph_load(graphs, c->spec, &c->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs)))
    return;
  check_equal(scree_graph_random_source(g, 3, &source), SCREE_OK);
  answer *a = solve(g, source);
  check_equal(validate_bfs(g, source, a, &verdict), SCREE_OK);
  check_text(verdict.valid && verdict.rule == 0, "%s", verdict.text);
  check_equal(validate_sssp(g, source, a, &verdict), SCREE_OK);
  check_text(verdict.valid && verdict.rule == 0, "%s", verdict.text);
  check_equal(scree_sssp_validate(g, g->vertices.n, a->dist, &verdict), SCREE_EINVAL);
  check_contains(scree_graphs_error(graphs), "is no vertex; expected 0 .. ");
  free(a);
  scree_graph_free(g);
}

static void right_answers(void **state) {
  (void)state;
  graph_of graphs[] = {
      {"kron:8,4", {0}},
      {"kron:8,2,5", {.weights = SCREE_WEIGHTS_RANDOM_INT, .lo = 0, .hi = 2, .distribution = SCREE_DISTRIBUTION_HASH}},
      {"kron:7,1,2", {.weights = SCREE_WEIGHTS_UNIT, .distribution = SCREE_DISTRIBUTION_CYCLIC}}};
  uint64_t seed = 0;
  for (int i = 0; i < GRAPH_CASE_RANKS; i++)
    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++)
      graph_case_run(graph_case_ranks[i], seed++, right, &graphs[k]);
}

/* ---- wrong answers ----------------------------------------------------------------------------------------------- */

/* Labels, written as the file has them:  10 - 20 - 30 - 40 - 50 - 60 - 10  is a ring, 70 - 80 apart; weights 1 but for
 * 20 - 30, which weighs 0. Vertices 0 .. 7. */
static const char ring[] = "10 20 1\n20 30 0\n30 40 1\n40 50 1\n50 60 1\n60 10 1\n70 80 1\n";
static const answer good = {.level = {0, 1, 2, 3, 2, 1, -1, -1},
                            .parent = {0, 0, 1, 2, 5, 0, SCREE_NO_VERTEX, SCREE_NO_VERTEX},
                            .dist = {0, 1, 1, 2, 2, 1, INFINITY, INFINITY}};

typedef struct {
  int rule;
  uint64_t label; /* where it fails */
  const char *part;
  answer answer;
  bool sssp;
  scree_graph_options options;
  const char *path;
} wrong_case;

static void wrong(scree_graphs *graphs, void *arg) {
  const wrong_case *c = arg;
  scree_graph *g = NULL;
  scree_verdict verdict = {.valid = true};
  if (!check_text(scree_graph_load(graphs, c->path, &c->options, &g) == SCREE_OK, "%s", scree_graphs_error(graphs)))
    return;
  if (c->sssp)
    check_equal(validate_sssp(g, 0, &c->answer, &verdict), SCREE_OK);
  else
    check_equal(validate_bfs(g, 0, &c->answer, &verdict), SCREE_OK);
  check_equal(verdict.valid, c->rule == 0);
  check_text(verdict.rule == c->rule, "rule %d, not %d: %s", verdict.rule, c->rule, verdict.text);
  if (c->rule) {
    check_equal(verdict.label, c->label);
    check_contains(verdict.text, c->part);
  }
  scree_graph_free(g);
}

static void run_wrong(wrong_case *c, const char *graph, scree_graph_direction direction) {
  c->options = (scree_graph_options){.direction = direction, .columns = {1, 2, 3}};
  c->path = graph_case_file(graph, strlen(graph), ".txt");
  for (int i = 0; i < GRAPH_CASE_RANKS; i++) {
    c->options.distribution = (scree_distribution_kind)(i % 3);
    graph_case_run(graph_case_ranks[i], (uint64_t)i, wrong, c);
  }
  unlink(c->path);
}

static wrong_case bfs_case(int rule, uint64_t label, const char *part) {
  return (wrong_case){.rule = rule, .label = label, .part = part, .answer = good};
}

static wrong_case sssp_case(int rule, uint64_t label, const char *part) {
  return (wrong_case){.rule = rule, .label = label, .part = part, .answer = good, .sssp = true};
}

static void bfs_good(void **state) {
  (void)state;
  wrong_case c = bfs_case(0, 0, "");
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c.answer.parent[3] = 4; /* 50 is as good a parent of 40 */
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void bfs_rule_1(void **state) {
  (void)state;
  wrong_case c = bfs_case(1, 30, "rule 1, vertex 30: found level 2, expected a path to it from the source");
  c.answer.parent[2] = 3; /* 30 and 40 are each other's parent */
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(1, 10, "expected the source to be its own parent");
  c.answer.parent[0] = 1;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(1, 70, "vertex 70"); /* an island that holds itself up */
  c.answer.level[6] = 1;
  c.answer.level[7] = 2;
  c.answer.parent[6] = 7;
  c.answer.parent[7] = 6;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void bfs_rule_2(void **state) {
  (void)state;
  wrong_case c = bfs_case(2, 40, "rule 2, vertex 40: found level 4, expected one more than its parent's");
  c.answer.level[3] = 4;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(2, 10, "found level 1, expected 0 at the source");
  c.answer.level[0] = 1;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(2, 70, "found level -7, expected 0 or more, or -1");
  c.answer.level[6] = -7;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void bfs_rule_3(void **state) {
  (void)state;
  wrong_case c = bfs_case(3, 60, "rule 3, vertex 60: found level 5, expected at most 1"); /* round the long way */
  for (uint64_t v = 0; v < 6; v++) {
    c.answer.level[v] = (int64_t)v;
    c.answer.parent[v] = v ? v - 1 : 0;
  }
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c.rule = 0; /* with directed edges there is no other way */
  run_wrong(&c, "10 20 1\n20 30 0\n30 40 1\n40 50 1\n50 60 1\n60 10 1\n70 80 1\n", SCREE_DIRECTED);
}

static void bfs_rule_4(void **state) {
  (void)state;
  wrong_case c = bfs_case(4, 40, "rule 4, vertex 40: found level inf, expected it to be reached");
  c.answer.level[3] = -1;
  c.answer.parent[3] = SCREE_NO_VERTEX;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(4, 40, "expected a parent too");
  c.answer.parent[3] = SCREE_NO_VERTEX;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(4, 70, "expected no parent, it is unreached");
  c.answer.parent[6] = 0;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void bfs_rule_5(void **state) {
  (void)state;
  wrong_case c = bfs_case(5, 40, "rule 5, vertex 40: found level 3, expected an arc from its parent to it");
  c.answer.parent[3] = 0;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(5, 30, "expected its parent to be a vertex below 8");
  c.answer.parent[2] = 8;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = bfs_case(5, 50, "expected an arc from its parent to it"); /* the arc leads the other way */
  run_wrong(&c, ring, SCREE_DIRECTED);
}

static void sssp_good(void **state) {
  (void)state;
  wrong_case c = sssp_case(0, 0, "");
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

/* 20 - 30 weighs 0: at one distance they hold each other up, but nothing holds up both. */
static void sssp_rule_1(void **state) {
  (void)state;
  wrong_case c = sssp_case(1, 20, "rule 1, vertex 20: found distance 0.5, expected a path to it from the source");
  c.answer.dist[1] = c.answer.dist[2] = .5;
  c.answer.dist[3] = 1.5;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void sssp_rule_2(void **state) {
  (void)state;
  wrong_case c = sssp_case(2, 10, "rule 2, vertex 10: found distance 1, expected 0 at the source");
  c.answer.dist[0] = 1;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = sssp_case(2, 40, "expected 0 or more");
  c.answer.dist[3] = -2;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c.answer.dist[3] = (double)NAN;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void sssp_rule_3(void **state) {
  (void)state;
  wrong_case c = sssp_case(3, 60, "rule 3, vertex 60: found distance 4, expected at most 1"); /* the long way */
  c.answer.dist[3] = 2;
  c.answer.dist[4] = 3;
  c.answer.dist[5] = 4;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void sssp_rule_4(void **state) {
  (void)state;
  wrong_case c = sssp_case(4, 40, "rule 4, vertex 40: found distance inf, expected it to be reached");
  c.answer.dist[3] = INFINITY;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static void sssp_rule_5(void **state) {
  (void)state;
  wrong_case c = sssp_case(5, 50, "rule 5, vertex 50: found distance 1.75, expected an arc that leads to it");
  c.answer.dist[4] = 1.75;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
  c = sssp_case(5, 70, "expected an arc that leads to it"); /* an island */
  c.answer.dist[6] = 5;
  c.answer.dist[7] = 6;
  run_wrong(&c, ring, SCREE_UNDIRECTED);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_answers), cmocka_unit_test(bfs_good),    cmocka_unit_test(bfs_rule_1),
    cmocka_unit_test(bfs_rule_2),    cmocka_unit_test(bfs_rule_3),  cmocka_unit_test(bfs_rule_4),
    cmocka_unit_test(bfs_rule_5),    cmocka_unit_test(sssp_good),   cmocka_unit_test(sssp_rule_1),
    cmocka_unit_test(sssp_rule_2),   cmocka_unit_test(sssp_rule_3), cmocka_unit_test(sssp_rule_4),
    cmocka_unit_test(sssp_rule_5)};
HARNESS_MAIN(tests)
