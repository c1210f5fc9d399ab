/* property_laws.c - changes of a graph that change its answers in a known way.
 *
 * Each law is a function and a line of the table. In all of them vertex v of one graph is vertex to[v] of the other,
 * where its distance is `scale` times as long; its level is the same if the law is about levels.
 */
#include "property_laws.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"

typedef struct {
  const case_answer *answer;
  case_graph *out; /* a copy of the graph; to be changed */
  uint64_t state;
  uint64_t to[CASE_VERTICES_MAX]; /* v; to be changed; SCREE_NO_VERTEX: not there */
  double scale;                   /* 1 */
} change;

static bool names(change *c) {
  uint64_t n = c->out->shape.n;
  for (uint64_t v = n; v > 1; v--) {
    uint64_t other = case_draw(&c->state, v), kept = c->to[v - 1];
    c->to[v - 1] = c->to[other];
    c->to[other] = kept;
  }
  for (uint64_t i = 0; i < c->out->m; i++) {
    c->out->edges[i].u = c->to[c->out->edges[i].u];
    c->out->edges[i].v = c->to[c->out->edges[i].v];
  }
  c->out->source = c->to[c->out->source];
  return true;
}

static bool order(change *c) {
  for (uint64_t i = c->out->m; i > 1; i--) {
    uint64_t other = case_draw(&c->state, i);
    scree_edge kept = c->out->edges[i - 1];
    c->out->edges[i - 1] = c->out->edges[other];
    c->out->edges[other] = kept;
  }
  c->out->shape.distribution = (scree_distribution_kind)case_draw(&c->state, 3);
  return true;
}

static bool reverse(change *c) {
  if (c->out->shape.directed) return false;
  for (uint64_t i = 0; i < c->out->m; i++) {
    scree_edge *e = &c->out->edges[i];
    *e = (scree_edge){e->v, e->u, e->weight};
  }
  return true;
}

/* By a power of two every sum is as exact as it was; other factors are for whole numbers. */
static bool scale(change *c) {
  scree_weight_kind kind = c->out->shape.weight;
  c->scale = kind == SCREE_WEIGHT_UINT32 ? (double)(2 + case_draw(&c->state, 50)) : 8;
  if (kind == SCREE_WEIGHT_NONE) return false;
  for (uint64_t i = 0; i < c->out->m; i++) {
    c->out->edges[i].weight *= c->scale;
    if (c->out->edges[i].weight > (kind == SCREE_WEIGHT_UINT32 ? 4294967295.0 : 1e30)) return false;
  }
  return true;
}

/* An edge becomes two with the same sum: of whole numbers any two, of others one and 0. */
static bool split(change *c) {
  case_graph *g = c->out;
  if (g->shape.weight == SCREE_WEIGHT_NONE || g->m == 0 || g->m == CASE_EDGES_MAX || g->shape.n == CASE_VERTICES_MAX)
    return false;
  scree_edge *e = &g->edges[case_draw(&c->state, g->m)];
  bool whole = g->shape.weight == SCREE_WEIGHT_UINT32;
  double part = whole ? (double)case_draw(&c->state, (uint64_t)e->weight + 1) : e->weight;
  uint64_t between = g->shape.n++;
  g->edges[g->m++] = (scree_edge){between, e->v, e->weight - part};
  e->v = between;
  e->weight = part;
  return true;
}

static bool clutter(change *c) { /* parallel edges, as long or longer, and self loops */
  case_graph *g = c->out;
  for (uint64_t i = 0, m = g->m; i < m && g->m + 2 <= CASE_EDGES_MAX; i += 3) {
    scree_edge e = g->edges[i];
    g->edges[g->m++] = e;
    g->edges[g->m++] = (scree_edge){e.v, e.v, e.weight};
  }
  return true;
}

static bool unreached(change *c) {
  case_graph *g = c->out;
  uint64_t n = 0, m = 0;
  for (uint64_t v = 0; v < g->shape.n; v++) c->to[v] = isfinite(c->answer->level[v]) ? n++ : SCREE_NO_VERTEX;
  if (n == g->shape.n) return false;
  for (uint64_t i = 0; i < g->m; i++) {
    uint64_t a = c->to[g->edges[i].u], b = c->to[g->edges[i].v];
    if (a != SCREE_NO_VERTEX && b != SCREE_NO_VERTEX) g->edges[m++] = (scree_edge){a, b, g->edges[i].weight};
  }
  g->shape.n = n;
  g->m = m;
  g->source = c->to[g->source];
  return true;
}

static const struct {
  const char *name;
  bool levels;
  bool (*apply)(change *c);
} laws[PROPERTY_LAWS] = {
    {"other names", true, names},
    {"other order and distribution", true, order},
    {"edges turned round", true, reverse},
    {"weights scaled", true, scale},
    {"an edge split", false, split},
    {"more parallel edges and loops", true, clutter},
    {"without the unreached", true, unreached},
};

const char *property_law_name(size_t law) {
  return laws[law].name;
}

static bool apply(size_t law, const case_graph *in, const case_answer *answer, uint64_t draw, case_graph *out,
                  change *c) {
  *out = *in;
  c->answer = answer;
  c->out = out;
  c->state = draw;
  c->scale = 1;
  for (uint64_t v = 0; v < CASE_VERTICES_MAX; v++) c->to[v] = v;
  return laws[law].apply(c);
}

bool property_law_apply(size_t law, const case_graph *in, const case_answer *answer, uint64_t draw, case_graph *out) {
  change c;
  return apply(law, in, answer, draw, out, &c);
}

bool property_law_holds(size_t law, const case_graph *in, const case_answer *answer, uint64_t draw,
                        const case_answer *changed, char *why, size_t size) {
  static case_graph again;
  change c;
  apply(law, in, answer, draw, &again, &c);
  for (uint64_t v = 0; v < in->shape.n; v++) {
    if (c.to[v] == SCREE_NO_VERTEX) continue;
    double distance = changed->distance[c.to[v]], level = changed->level[c.to[v]];
    if (distance == c.scale * answer->distance[v] && (!laws[law].levels || level == answer->level[v])) continue;
    snprintf(why, size, "%s: vertex %" PRIu64 " at distance %.17g, level %g; then at %.17g, %g", laws[law].name, v,
             answer->distance[v], answer->level[v], distance, level);
    return false;
  }
  return true;
}
