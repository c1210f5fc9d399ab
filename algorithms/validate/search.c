/* search.c - the answers of BFS and SSSP checked by the rules of the Graph500 specification, over all ranks: one
 * exchange in which each arc sends its offer to its head (rules 2 to 5), one that walks the tree from the source (rule
 * 1). BFS is the case of unit weights with parents. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/consensus.h"
#include "validate/failure.h"

enum { HAS_PARENT = 1, HAS_TIGHT = 2, IN_TREE = 4 }; /* marks of a vertex */

/* An answer under examination. */
typedef struct {
  const scree_graph *g;
  uint64_t source;
  const double *dist; /* of the two one is NULL */
  const int64_t *level;
  const uint64_t *parent; /* or NULL */
  unsigned char *marks;   /* of local vertices */
  uint64_t *stack, top;   /* local vertices whose arcs are not yet followed */
  scree__failure first;   /* its rule's place in `order` in place of the rule */
} check;

static double value(const check *c, uint64_t v) {
  if (!c->level) return c->dist[v];
  return c->level[v] < 0 ? INFINITY : (double)c->level[v];
}

static uint64_t global(const check *c, uint64_t v) {
  return scree_distribution_global(&c->g->vertices, scree_graph_rank(c->g), v);
}

static bool is_source(const check *c, uint64_t v) {
  return scree_graph_location(c->g, c->source) == scree_location_make(scree_graph_rank(c->g), v);
}

/* ---- failures ---- */

/* The rules in the order in which a failure of one explains those of the next. */
static const int order[] = {0, 2, 3, 4, 5, 1}, rule_at[] = {0, 5, 1, 2, 3, 4};

/* Keeps the failure at local v if none precedes it. */
static void fails(check *c, int rule, uint64_t v, double found, const char *expected, double bound) {
  char number[40] = "";
  if (!scree__failure_keep(&c->first, order[rule], global(c, v))) return;
  if (!isnan(bound)) snprintf(number, sizeof number, " %.17g", bound);
  snprintf(c->first.text, sizeof c->first.text, "rule %d, vertex %" PRIu64 ": found %s %.17g, expected %s%s", rule,
           scree_graph_label(c->g, global(c, v)), c->level ? "level" : "distance", found, expected, number);
}

static scree_status first_failure(const check *c, scree_verdict *verdict) {
  const scree_status status = scree__failure_verdict(&c->first, c->g, verdict);
  if (status == SCREE_OK) verdict->rule = rule_at[verdict->rule];
  return status;
}

/* ---- each vertex by itself ---- */

static void check_parent(check *c, uint64_t v) {
  uint64_t p = c->parent[v];
  if ((p == SCREE_NO_VERTEX) != (c->level[v] < 0))
    fails(c, 4, v, (double)c->level[v], p == SCREE_NO_VERTEX ? "a parent too" : "no parent, it is unreached", NAN);
  else if (p != SCREE_NO_VERTEX && p >= c->g->vertices.n)
    fails(c, 5, v, (double)c->level[v], "its parent to be a vertex below", (double)c->g->vertices.n);
  else if (is_source(c, v) && p != c->source)
    fails(c, 1, v, (double)c->level[v], "the source to be its own parent", NAN);
}

static void check_vertices(check *c) {
  for (uint64_t v = 0; v < c->g->locals; v++) {
    double d = value(c, v);
    if (isnan(d) || d < 0) fails(c, 2, v, d, "0 or more", NAN);
    if (c->level && c->level[v] < -1) fails(c, 2, v, (double)c->level[v], "0 or more, or -1", NAN);
    if (is_source(c, v) && d != 0) fails(c, 2, v, d, "0 at the source", NAN);
    if (c->parent) check_parent(c, v);
  }
}

/* ---- arcs: rules 2 to 5 ---- */

/* Each arc u -> v of local u sends v: u, and the distance that u and the arc offer. */
static void send_offers(check *c, uint64_t u) {
  const scree_graph *g = c->g;
  scree_graphs *graphs = g->graphs;
  uint64_t tail = global(c, u);
  double d = value(c, u);
  if (d == INFINITY) return; /* an infinite offer is then one of a vertex that is reached */
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    double offer = d + (c->level ? 1 : scree_graph_weight(g, e));
    graph_triple_send(graphs->worker, graphs->triple, scree_location_owner(scree_graph_target(g, e)),
                      (scree__triple){scree_location_local(scree_graph_target(g, e)), tail, offer});
  }
}

static void receive_arcs(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  check *c = arg;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t v = items[i].a;
    double offer = items[i].w, d = value(c, v);
    if (d == INFINITY) fails(c, 4, v, d, "it to be reached, at most at", offer);
    if (offer < d && d < INFINITY) fails(c, 3, v, d, "at most", offer);
    if (c->parent && c->parent[v] != items[i].b) continue;
    c->marks[v] |= HAS_PARENT;
    if (offer == d) c->marks[v] |= HAS_TIGHT;
  }
}

static scree_status check_arcs(check *c) {
  scree_status status = scree__exchange_begin(c->g->graphs, (scree__receivers){.triples = receive_arcs}, c);
  if (status) return status;
  for (uint64_t u = 0; u < c->g->locals; u++) send_offers(c, u);
  status = scree__exchange_end(c->g->graphs, NULL);
  for (uint64_t v = 0; v < c->g->locals; v++) {
    double d = value(c, v);
    if (d == INFINITY || is_source(c, v) || c->marks[v] & HAS_TIGHT) continue;
    if (!c->parent)
      fails(c, 5, v, d, "an arc that leads to it with that distance", NAN);
    else if (c->marks[v] & HAS_PARENT)
      fails(c, 2, v, d, "one more than its parent's", NAN);
    else
      fails(c, 5, v, d, "an arc from its parent to it", NAN);
  }
  return status;
}

/* ---- the tree: rule 1 ---- */

static void add_to_tree(check *c, uint64_t v) {
  c->marks[v] |= IN_TREE;
  c->stack[c->top++] = v;
}

static void receive_tree(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  check *c = arg;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t v = items[i].a;
    if (c->marks[v] & IN_TREE) continue;
    if (c->parent ? c->parent[v] == items[i].b : value(c, v) == items[i].w) add_to_tree(c, v);
  }
}

/* Goes from the source along tree arcs (BFS), or arcs that determine a distance (SSSP). */
static scree_status check_tree(check *c) {
  scree_graphs *graphs = c->g->graphs;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_tree}, c);
  if (status) return status;
  scree_location source = scree_graph_location(c->g, c->source);
  if (scree_location_owner(source) == scree_graph_rank(c->g)) add_to_tree(c, scree_location_local(source));
  while (!scree_test(graphs->worker, c->top == 0, NULL))
    if (c->top) send_offers(c, c->stack[--c->top]);
  status = scree_error(graphs->world);
  for (uint64_t v = 0; v < c->g->locals; v++)
    if (value(c, v) < INFINITY && !(c->marks[v] & IN_TREE))
      fails(c, 1, v, value(c, v), "a path to it from the source along the tree", NAN);
  return status;
}

/* ---- all ---- */

static scree_status rules(check *c, scree_verdict *verdict) {
  check_vertices(c);
  scree_status status = first_failure(c, verdict);
  if (status || !verdict->valid) return status; /* the other rules assume that these hold */
  status = check_arcs(c);
  if (!status) status = check_tree(c);
  return status ? status : first_failure(c, verdict);
}

static scree_status validate(check *c, scree_verdict *verdict) {
  scree_graphs *graphs = c->g->graphs;
  uint64_t locals = c->g->locals;
  c->first.key = UINT64_MAX;
  c->marks = calloc(locals + 1, 1);
  c->stack = malloc((locals + 1) * sizeof *c->stack);
  scree_status status = SCREE_OK;
  if (!c->marks || !c->stack) status = scree__no_memory(graphs, "a search of the answer", locals * 9);
  if (c->source >= c->g->vertices.n)
    status = scree__why(graphs, SCREE_EINVAL, "source %" PRIu64 " is not a vertex; expected 0 .. %" PRIu64, c->source,
                        c->g->vertices.n - 1);
  status = scree__consensus(graphs, status);
  if (!status) status = rules(c, verdict);
  free(c->marks);
  free(c->stack);
  return status;
}

scree_status scree_bfs_validate(const scree_graph *g, uint64_t source, const int64_t *level, const uint64_t *parent,
                                scree_verdict *verdict) {
  if (!g || !verdict) return scree__missing(g, __func__, "place for the verdict");
  const scree_status given = scree__given(g->graphs, (level && parent) || !g->locals, __func__, "answer to check");
  if (given) return given;
  check c = {.g = g, .source = source, .level = level, .parent = parent};
  return validate(&c, verdict);
}

scree_status scree_sssp_validate(const scree_graph *g, uint64_t source, const double *dist, scree_verdict *verdict) {
  if (!g || !verdict) return scree__missing(g, __func__, "place for the verdict");
  const scree_status given = scree__given(g->graphs, dist || !g->locals, __func__, "answer to check");
  if (given) return given;
  check c = {.g = g, .source = source, .dist = dist};
  return validate(&c, verdict);
}
