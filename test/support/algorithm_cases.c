/* algorithm_cases.c - every BFS and SSSP variant on drawn graphs, with drawn options, against serial answers.
 *
 * Every rank knows the whole graph and its answers, so nothing is compared but by the
 * rank that owns it. */
#include "algorithm_cases.h"

#include "graph_labels.h"

#include <float.h>
#include <math.h>

#include "base/hash.h"
#include "harness.h"

void case_wrong(case_verdict *verdict, const char *format, ...) {
  va_list args;
  if (verdict->wrong) return;
  verdict->wrong = true;
  va_start(args, format);
  vsnprintf(verdict->text, sizeof verdict->text, format, args);
  va_end(args);
}

/* ---- drawn options: a line for each that must not change the answer ---- */

#define ONE_OF(...)                                                                                                    \
  (((const double[]){__VA_ARGS__})[case_draw(state, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))])

/* X(field, value); `max`: the largest weight. NONE leaves the field unset. */
#define NONE (-1.0)
#define SSSP_OPTIONS(X)                                                                                                \
  X(delta, positive(ONE_OF(NONE, NONE, max, max / 3, max / 50, max / 1000, DBL_MAX)))                                  \
  X(frequency, ONE_OF(NONE, 1, 2, 1000))                                                                               \
  X(k, ONE_OF(NONE, 0, 1, 2, 3, 1000))                                                                                 \
  X(queue, ONE_OF(NONE, 0, 1))                                                                                         \
  X(no_pruning, ONE_OF(NONE, NONE, 1))                                                                                 \
  X(pruning, ONE_OF(NONE, 0, 1, 1, 2))
#define BFS_OPTIONS(X)                                                                                                 \
  X(no_pruning, ONE_OF(NONE, NONE, 1))                                                                                 \
  X(pruning, ONE_OF(NONE, 0, 1, 1, 2))                                                                                 \
  X(alpha, ONE_OF(NONE, 1, 1000, 1e9, 1e-9)) /* the last but one: backward always; the last: never */                  \
  X(beta, ONE_OF(NONE, 1, 2, 1e9))

enum { WHO = 200 };

static void say(char *who, const char *format, ...) {
  va_list args;
  size_t used = strlen(who);
  va_start(args, format);
  vsnprintf(who + used, WHO - used, format, args);
  va_end(args);
}

/* On a graph whose weights are all 0, a part of the largest weight is no width. */
static double positive(double x) {
  return x > 0 ? x : NONE;
}

#define DRAW(field, expression)                                                                                        \
  {                                                                                                                    \
    const double drawn = expression;                                                                                   \
    if (drawn >= 0) how.field = (__typeof__(how.field))drawn;                                                          \
    if (drawn >= 0) say(who, " %s=%.17g", #field, drawn);                                                              \
  }

static scree_sssp_options draw_sssp(const case_try *t, size_t i, char *who) {
  scree_sssp_options how = SCREE_SSSP_OPTIONS_INIT;
  how.algorithm = scree_kernel_variant_at(scree_kernel_find("sssp"), i)->name;
  uint64_t stream = scree__hash_draw(t->draw, i), *state = &stream;
  const double max = t->graph->weight_max;
  *who = 0;
  say(who, "sssp %s", how.algorithm);
  SSSP_OPTIONS(DRAW)
  return how;
}

static scree_bfs_options draw_bfs(const case_try *t, size_t i, char *who) {
  scree_bfs_options how = SCREE_BFS_OPTIONS_INIT;
  how.algorithm = scree_kernel_variant_at(scree_kernel_find("bfs"), i)->name;
  uint64_t stream = scree__hash_draw(t->draw, 100 + i), *state = &stream;
  *who = 0;
  say(who, "bfs %s", how.algorithm);
  BFS_OPTIONS(DRAW)
  return how;
}

/* ---- an answer and what is asked of it ---- */

/* Of either kind: of distance and level one is NULL. */
typedef struct {
  const case_try *t;
  const char *who;
  const double *expected, *distance;
  const int64_t *level;
  const uint64_t *parent;
  uint64_t locals;
  const scree_work *work;
  const uint64_t *labels; /* of all vertices */
} result;

static double value_at(const result *r, uint64_t u) {
  if (r->distance) return r->distance[u];
  return r->level[u] < 0 ? (double)INFINITY : (double)r->level[u];
}

/* Vertices are called by their labels here: a graph may have been numbered anew. */
static bool mine(const result *r, uint64_t v, uint64_t *u) {
  const scree_graph *g = r->t->graph;
  scree_location place = scree_graph_location(g, graph_labels_find(g, r->labels, v));
  *u = scree_location_local(place);
  return scree_location_owner(place) == scree_graph_rank(g);
}

static uint64_t parent_at(const result *r, uint64_t u) {
  const scree_graph *g = r->t->graph;
  return r->parent[u] < g->vertices.n ? r->labels[r->parent[u]] : r->parent[u];
}

/* The parent of reached v is known to be right if `proved`. */
static void check_vertex(const result *r, uint64_t v, uint64_t u, bool proved) {
  case_verdict *verdict = r->t->verdict;
  uint64_t p = parent_at(r, u);
  if (value_at(r, u) != r->expected[v])
    case_wrong(verdict, "%s: vertex %" PRIu64 ": found %.17g, expected %.17g", r->who, v, value_at(r, u),
               r->expected[v]);
  else if (v == r->t->given->source ? p != v : isfinite(r->expected[v]) ? !proved : p != SCREE_NO_VERTEX)
    case_wrong(verdict, "%s: vertex %" PRIu64 ": its parent is %" PRIu64, r->who, v, p);
  if (!r->t->found) return;
  r->t->found->value[v] = value_at(r, u);
  r->t->found->parent[v] = p;
}

static void prove(const result *r, const scree_edge *e, uint64_t from, uint64_t to, bool *proved) {
  uint64_t u;
  double w = r->distance ? e->weight : 1;
  if (mine(r, to, &u) && parent_at(r, u) == from && r->expected[from] + w == r->expected[to]) proved[to] = true;
}

static void check_vertices(const result *r) {
  const case_graph *given = r->t->given;
  bool proved[CASE_VERTICES_MAX] = {false};
  for (uint64_t i = 0; i < given->m; i++) {
    const scree_edge *e = &given->edges[i];
    prove(r, e, e->u, e->v, proved);
    if (!given->shape.directed) prove(r, e, e->v, e->u, proved);
  }
  for (uint64_t v = 0, u; v < given->shape.n; v++)
    if (mine(r, v, &u)) check_vertex(r, v, u, proved[v]);
}

static void check_work(const result *r) {
  const scree_work *w = r->work;
  case_verdict *verdict = r->t->verdict;
  uint64_t reached = 0;
  for (uint64_t v = 0; v < r->t->given->shape.n; v++) reached += isfinite(r->expected[v]) ? 1 : 0;
  if (w->sent + w->direct != w->useful + w->invalidated + w->rejected)
    case_wrong(verdict,
               "%s: sent %" PRIu64 " + direct %" PRIu64 ", useful %" PRIu64 " + invalidated %" PRIu64
               " + rejected %" PRIu64,
               r->who, w->sent, w->direct, w->useful, w->invalidated, w->rejected);
  else if (w->useful != reached - 1)
    case_wrong(verdict, "%s: useful %" PRIu64 ", reached %" PRIu64, r->who, w->useful, reached);
  else if (w->epochs == 0)
    case_wrong(verdict, "%s: no epoch", r->who);
}

/* From each vertex the parents lead to the source: the validator of distances does not look at them. */
static void check_tree(const result *r) {
  const case_found *found = r->t->found;
  uint64_t n = r->t->given->shape.n, source = r->t->given->source;
  if (scree_graph_rank(r->t->graph) || r->t->verdict->wrong) return;
  for (uint64_t v = 0; v < n; v++) {
    uint64_t at = v, steps = 0;
    while (at != source && at < n && steps++ <= n) at = found->parent[at];
    if (isfinite(found->value[v]) && at != source)
      case_wrong(r->t->verdict, "%s: the parents of vertex %" PRIu64 " go round in a circle", r->who, v);
  }
}

/* ---- the validator's word, on the answer and on one with a wrong value ---- */

static void check_validator(const result *r, bool expected, const char *what) {
  const case_try *t = r->t;
  uint64_t source = graph_labels_find(t->graph, r->labels, t->given->source);
  scree_verdict verdict;
  scree_status status = r->distance ? scree_sssp_validate(t->graph, source, r->distance, &verdict)
                                    : scree_bfs_validate(t->graph, source, r->level, r->parent, &verdict);
  if (status)
    case_wrong(t->verdict, "%s: the validator says %s", r->who, scree_status_text(status));
  else if (verdict.valid != expected)
    case_wrong(t->verdict, "%s: the validator calls %s %s %s", r->who, what, expected ? "invalid:" : "valid",
               verdict.text);
}

/* A wrong value near or far from a right one. */
static double corrupt_value(double right, bool whole, uint64_t *state) {
  const double some[] = {INFINITY, 0, right + 1, right - 1, right + 1000, right / 2 + 0.5, nextafter(right, 0)};
  if (isinf(right)) return (double)case_draw(state, 20);
  for (;;) {
    double value = some[case_draw(state, sizeof some / sizeof *some)];
    if (whole && isfinite(value)) value = floor(value);
    if (value != right && !(whole && value < 0)) return value;
  }
}

/* A vertex that is not v's parent in any right answer; v itself is one but for the source. */
static uint64_t corrupt_parent(const result *r, uint64_t v, uint64_t *state) {
  const case_graph *given = r->t->given;
  bool reached = isfinite(r->expected[v]);
  uint64_t p = case_draw(state, given->shape.n);
  if (case_draw(state, 8) == 0) return reached ? SCREE_NO_VERTEX : p;
  if (v == given->source) return p == v ? SCREE_NO_VERTEX : p;
  return reached && case_graph_joins(given, p, v, r->expected[p], r->expected[v], false) ? v : p;
}

/* The parts of an answer belong to the run's caller, so they may be written here. */
static void check_corrupted(const result *r, double *distance, int64_t *level, uint64_t *parent) {
  uint64_t stream = scree__hash_draw(r->t->draw, 200), *state = &stream, u, v = case_draw(state, r->t->given->shape.n);
  bool here = mine(r, v, &u), by_parent = level && case_draw(state, 2);
  double value = corrupt_value(r->expected[v], level != NULL, state);
  uint64_t p = by_parent ? corrupt_parent(r, v, state) : 0;
  char what[120];
  snprintf(what, sizeof what, "vertex %" PRIu64 " with %s %.17g instead of %.17g", v, by_parent ? "parent" : "value",
           by_parent ? (double)p : value, r->expected[v]);
  if (here && by_parent)
    parent[u] = p < r->t->given->shape.n ? graph_labels_find(r->t->graph, r->labels, p) : p;
  else if (here && level)
    level[u] = isfinite(value) ? (int64_t)value : -1;
  else if (here)
    distance[u] = value;
  check_validator(r, false, what);
}

/* ---- runs ---- */

static void examine(const result *r, double *distance, int64_t *level, uint64_t *parent) {
  if (r->locals != r->t->graph->locals) {
    case_wrong(r->t->verdict, "%s: an answer for %" PRIu64 " vertices", r->who, r->locals);
    return;
  }
  check_vertices(r);
  check_work(r);
  check_validator(r, true, "the answer");
  if (!r->t->found) return;
  check_tree(r);
  if (scree__hash_draw(r->t->draw, 300) % 4 == 0) check_corrupted(r, distance, level, parent);
}

static void refused(const case_try *t, const char *who, scree_status status) {
  case_wrong(t->verdict, "%s: %s%s %s", who, scree_status_text(status), status == SCREE_EPEER ? ", or it hangs" : "",
             scree_graphs_error(t->layer->graphs));
}

static void run_one(const case_try *t, bool is_sssp, const char *who, const void *how) {
  const uint64_t source = scree_graph_find(t->graph, t->given->source);
  scree_answer a;
  scree_status status = scree_solver_run(is_sssp ? t->layer->sssp : t->layer->bfs, t->graph, source, how, &a);
  if (status) {
    refused(t, who, status);
    return;
  }
  uint64_t *labels = graph_labels_of(t->graph);
  double *distance = is_sssp ? a.array[0] : NULL;
  int64_t *level = is_sssp ? NULL : a.array[0];
  const result r = {.t = t,
                    .who = who,
                    .expected = is_sssp ? t->answer->distance : t->answer->level,
                    .distance = distance,
                    .level = level,
                    .parent = a.array[1],
                    .locals = a.locals,
                    .work = &a.work,
                    .labels = labels};
  if (check(labels != NULL)) examine(&r, distance, level, a.array[1]);
  free(labels);
  scree_answer_free(&a);
}

void case_sssp(const case_try *t, size_t i) {
  char who[WHO];
  const scree_sssp_options how = draw_sssp(t, i, who);
  run_one(t, true, who, &how);
}

void case_bfs(const case_try *t, size_t i) {
  char who[WHO];
  const scree_bfs_options how = draw_bfs(t, i, who);
  run_one(t, false, who, &how);
}

/* ---- two graphs that live at once ---- */

typedef struct {
  case_graph given[2];
  case_answer answer[2];
} pair;

static void run_all(const case_try *t) {
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("sssp"), i); i++) case_sssp(t, i);
  for (size_t i = 0; scree_kernel_variant_at(scree_kernel_find("bfs"), i); i++) case_bfs(t, i);
}

static void run_pair(case_layer *layer, uint64_t seed, pair *p) {
  case_verdict verdict = {0};
  scree_graph *graphs[2] = {NULL, NULL};
  uint64_t state = seed;
  bool ready = true;
  for (int k = 0; k < 2 && ready; k++) {
    case_graph_draw(&p->given[k], &state);
    ready = check(case_graph_solve(&p->given[k], &p->answer[k]));
    graphs[k] = ready ? case_graph_build(layer->graphs, &p->given[k], state) : NULL;
    ready = check(graphs[k] != NULL);
  }
  for (uint64_t k = 0; k < 4 && ready; k++) {
    const case_try t = {layer, graphs[k % 2], &p->given[k % 2], &p->answer[k % 2], seed + k, &verdict, NULL};
    run_all(&t);
    check_text(!verdict.wrong, "graph %d of seed %" PRIu64 " (%s): %s", (int)(k % 2), seed, t.given->name,
               verdict.text);
  }
  for (int k = 0; k < 2; k++) scree_graph_free(graphs[k]);
}

void case_run(case_layer *layer, uint64_t seed) {
  pair *p = malloc(sizeof *p);
  if (check(p != NULL)) run_pair(layer, seed, p);
  free(p);
}

bool case_open(scree_world *world, case_layer *layer) {
  *layer = (case_layer){0};
  return check(scree_graphs_open(world, &layer->graphs) == SCREE_OK) &&
         check(scree_solver_open(layer->graphs, scree_kernel_find("bfs"), &layer->bfs) == SCREE_OK) &&
         check(scree_solver_open(layer->graphs, scree_kernel_find("sssp"), &layer->sssp) == SCREE_OK);
}

void case_close(case_layer *layer) {
  scree_solver_close(layer->bfs);
  scree_solver_close(layer->sssp);
  scree_graphs_close(layer->graphs);
}
