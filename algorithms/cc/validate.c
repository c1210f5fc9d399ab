/* validate.c - is an answer the connected components?
 *
 * Room: the rules of scree_cc_validate. One epoch asks the representatives about themselves, one goes from them along
 * the arcs. Its messages are those of the graph layer. */
#include <scree/cc.h>

#include <inttypes.h>
#include <stdlib.h>

#include "cc/both_ways.h"
#include "graph/internal.h"

typedef struct {
  const scree_graph *g; /* with both ways of each arc */
  const scree_graph *labels;
  const uint64_t *component;
  bool *reached;        /* by local vertex */
  uint64_t *stack, top; /* local vertices whose arcs are to be followed */
  uint64_t worst;       /* key of the first failure here, UINT64_MAX: none */
  char text[256];       /* its text */
} check;

enum { RULE_SHIFT = 56 };

static uint64_t vertex_at(const check *c, uint64_t u) {
  return scree_graph_vertex(c->g, scree_location_make(scree_graph_rank(c->g), u));
}

static void fails(check *c, int rule, uint64_t u, const char *expected) {
  uint64_t v = vertex_at(c, u), named = c->component[u], key = (uint64_t)rule << RULE_SHIFT | v;
  if (key >= c->worst) return;
  c->worst = key;
  snprintf(c->text, sizeof c->text, "rule %d, vertex %" PRIu64 ": found component %" PRIu64 ", expected %s", rule,
           scree_graph_label(c->labels, v), named < c->g->vertices.n ? scree_graph_label(c->labels, named) : named,
           expected);
}

/* ---- rule 1 ---- */

static void take_names(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  check *c = arg;
  for (uint32_t i = 0; i < count; i++)
    if (c->component[items[i].a] != items[i].b) fails(c, 1, items[i].a, "itself, since others name it");
}

static void tell(const check *c, scree_location to, uint64_t component) {
  graph_triple_send(c->g->graphs->worker, c->g->graphs->triple, scree_location_owner(to),
                    (scree__triple){scree_location_local(to), component, 0});
}

static scree_status check_names(check *c) {
  scree_status status = scree__phase_begin(c->g->graphs, take_names, NULL, c);
  if (status) return status;
  for (uint64_t u = 0; u < c->g->locals; u++) {
    uint64_t named = c->component[u];
    if (named > vertex_at(c, u))
      fails(c, 1, u, "a vertex that is not greater");
    else
      tell(c, scree_graph_location(c->g, named), named);
  }
  return scree__phase_end(c->g->graphs, NULL);
}

/* ---- rules 2 and 3 ---- */

static void reach(check *c, uint64_t u) {
  if (c->reached[u]) return;
  c->reached[u] = true;
  c->stack[c->top++] = u;
}

static void take_arcs(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  check *c = arg;
  for (uint32_t i = 0; i < count; i++)
    if (c->component[items[i].a] == items[i].b)
      reach(c, items[i].a);
    else
      fails(c, 2, items[i].a, "that of its neighbour");
}

/* A vertex that is reached tells its neighbours, so where rule 3 holds each arc is seen. */
static scree_status follow(check *c) {
  scree_worker *worker = c->g->graphs->worker;
  scree_status status = scree__phase_begin(c->g->graphs, take_arcs, NULL, c);
  if (status) return status;
  for (uint64_t u = 0; u < c->g->locals; u++)
    if (c->component[u] == vertex_at(c, u)) reach(c, u);
  while (!scree_test(worker, c->top == 0, NULL)) {
    if (c->top == 0) continue;
    uint64_t u = c->stack[--c->top];
    for (uint64_t e = c->g->offsets[u]; e < c->g->offsets[u + 1]; e++)
      tell(c, scree_graph_target(c->g, e), c->component[u]);
  }
  for (uint64_t u = 0; u < c->g->locals; u++)
    if (!c->reached[u]) fails(c, 3, u, "arcs that join it with that vertex");
  return scree_graphs_agree(c->g->graphs, scree_error(c->g->graphs->world), "the world failed");
}

/* ---- verdict ---- */

/* The first failure of all ranks, if there is one, becomes the verdict on all. */
static scree_status elect(const check *c, scree_verdict *verdict) {
  uint64_t min;
  scree_status status = scree__elect_verdict(c->g->graphs, c->worst, c->text, &min, verdict);
  if (status || verdict->valid) return status;
  verdict->rule = (int)(min >> RULE_SHIFT);
  verdict->label = scree_graph_label(c->labels, min & ((UINT64_C(1) << RULE_SHIFT) - 1));
  return SCREE_OK;
}

static scree_status examine(check *c, scree_verdict *verdict) {
  bool ready = c->reached && c->stack;
  scree_status status =
      scree_graphs_agree(c->g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory to check %" PRIu64 " vertices", scree_graph_rank(c->g), c->g->locals);
  if (status == SCREE_OK) status = check_names(c);
  if (status == SCREE_OK) status = follow(c);
  return status ? status : elect(c, verdict);
}

scree_status scree_cc_validate(const scree_graph *g, const uint64_t *component, scree_verdict *verdict) {
  scree_graph *copy = NULL;
  scree_status status = g->directed ? scree__cc_both_ways(g, &copy) : SCREE_OK;
  if (status) return status;
  size_t n = (size_t)g->locals + 1;
  check c = {.g = copy ? copy : g, .labels = g, .component = component, .worst = UINT64_MAX};
  c.reached = calloc(n, sizeof *c.reached);
  c.stack = malloc(n * sizeof *c.stack);
  status = examine(&c, verdict);
  free(c.reached);
  free(c.stack);
  scree_graph_free(copy);
  return status;
}
