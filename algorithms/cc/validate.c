/* validate.c - checks whether an answer is the connected components. One epoch checks the representatives, one goes
 * from them along the arcs. The messages are those of the graph layer. */
#include <scree/cc.h>

#include <inttypes.h>
#include <stdlib.h>

#include "graph/consensus.h"
#include "ordering/ordering.h"
#include "validate/failure.h"

typedef struct {
  const scree_graph *g; /* with both directions of each arc */
  const scree_graph *labels;
  const uint64_t *component;
  bool *reached;        /* by local vertex */
  uint64_t *stack, top; /* local vertices whose arcs are to be followed */
  scree__failure first;
  uint64_t at;          /* its local vertex */
  const char *expected; /* there */
} check;

static uint64_t vertex_at(const check *c, uint64_t u) {
  return scree_graph_vertex(c->g, scree_location_make(scree_graph_rank(c->g), u));
}

static void fails(check *c, int rule, uint64_t u, const char *expected) {
  if (!scree__failure_keep(&c->first, rule, vertex_at(c, u))) return;
  c->at = u;
  c->expected = expected;
}

/* ---- rule 1 ---- */

/* The component that a vertex is expected to have. */
typedef struct {
  uint64_t vertex, component; /* local index on the receiver */
} claim;

static void take_name(const void *data, size_t bytes, void *arg) {
  (void)bytes;
  check *c = arg;
  const claim *item = data;
  if (c->component[item->vertex] != item->component) fails(c, 1, item->vertex, "itself, since others name it");
}

static void send(const check *c, scree_location to, uint64_t component) {
  const claim item = {scree_location_local(to), component};
  scree_graphs_exchange_send(c->g->graphs, scree_location_owner(to), &item, sizeof item);
}

static scree_status check_names(check *c) {
  scree_status status = scree_graphs_exchange_begin(c->g->graphs, take_name, c);
  if (status) return status;
  for (uint64_t u = 0; u < c->g->locals; u++) {
    uint64_t named = c->component[u];
    if (named > vertex_at(c, u))
      fails(c, 1, u, "a vertex that is not greater");
    else
      send(c, scree_graph_location(c->g, named), named);
  }
  return scree_graphs_exchange_end(c->g->graphs);
}

/* ---- rules 2 and 3 ---- */

static void reach(check *c, uint64_t u) {
  if (c->reached[u]) return;
  c->reached[u] = true;
  c->stack[c->top++] = u;
}

static void take_arc(const void *data, size_t bytes, void *arg) {
  (void)bytes;
  check *c = arg;
  const claim *item = data;
  if (c->component[item->vertex] == item->component)
    reach(c, item->vertex);
  else
    fails(c, 2, item->vertex, "that of its neighbour");
}

/* A vertex that is reached notifies its neighbours, so where rule 3 holds each arc is examined. */
static scree_status follow(check *c) {
  scree_worker *worker = scree_graphs_worker(c->g->graphs);
  scree_status status = scree_graphs_exchange_begin(c->g->graphs, take_arc, c);
  if (status) return status;
  for (uint64_t u = 0; u < c->g->locals; u++)
    if (c->component[u] == vertex_at(c, u)) reach(c, u);
  while (!scree_test(worker, c->top == 0, NULL)) {
    if (c->top == 0) continue;
    uint64_t u = c->stack[--c->top];
    for (uint64_t e = c->g->offsets[u]; e < c->g->offsets[u + 1]; e++)
      send(c, scree_graph_target(c->g, e), c->component[u]);
  }
  for (uint64_t u = 0; u < c->g->locals; u++)
    if (!c->reached[u]) fails(c, 3, u, "arcs that join it with that vertex");
  return scree_graphs_agree(c->g->graphs, scree_error(scree_world_of(worker)), "the world failed");
}

/* ---- verdict ---- */

/* The text of this rank's first failure. Collective: the component's label may be another rank's. */
static scree_status describe(check *c) {
  const bool failed = c->first.key != UINT64_MAX;
  uint64_t named = failed ? c->component[c->at] : 0;
  const uint64_t vertex = named;
  scree_status status = scree_graph_labels(c->labels, failed && vertex < c->g->vertices.n, &vertex, &named);
  if (failed && !status)
    snprintf(c->first.text, sizeof c->first.text,
             "rule %d, vertex %" PRIu64 ": found component %" PRIu64 ", expected %s", scree__failure_rule(&c->first),
             scree_graph_label(c->labels, vertex_at(c, c->at)), named, c->expected);
  return status;
}

static scree_status examine(check *c, scree_verdict *verdict) {
  bool ready = c->reached && c->stack;
  scree_status status = scree_graphs_agree(c->g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory to check %" PRIu64 " vertices; use more ranks",
                                           scree_graph_rank(c->g), c->g->locals);
  if (status == SCREE_OK) status = check_names(c);
  if (status == SCREE_OK) status = follow(c);
  if (status == SCREE_OK) status = describe(c);
  return status ? status : scree__failure_verdict(&c->first, c->labels, verdict);
}

scree_status scree_cc_validate(const scree_graph *g, const uint64_t *component, scree_verdict *verdict) {
  if (!g || !verdict) return scree__missing(g, __func__, "place for the verdict");
  const scree_status given = scree__given(g->graphs, component || !g->locals, __func__, "answer to check");
  if (given) return given;
  const scree_graph *both = g;
  scree_status status = g->directed ? scree__symmetrized_of(g, &both) : SCREE_OK;
  if (status) return status;
  size_t n = (size_t)g->locals + 1;
  check c = {.g = both, .labels = g, .component = component, .first.key = UINT64_MAX};
  c.reached = calloc(n, sizeof *c.reached);
  c.stack = malloc(n * sizeof *c.stack);
  status = examine(&c, verdict);
  free(c.reached);
  free(c.stack);
  return status;
}
