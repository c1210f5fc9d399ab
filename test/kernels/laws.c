/* laws.c - changes of a graph that change its answers in a known way: a function and a line of the table for each. */
#include "laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool names(case_change *c) {
  for (uint64_t v = c->out->shape.n; v > 1; v--) {
    const uint64_t other = case_draw(&c->state, v), kept = c->to[v - 1];
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

static bool order(case_change *c) {
  for (uint64_t i = c->out->m; i > 1; i--) {
    const uint64_t other = case_draw(&c->state, i);
    const scree_edge kept = c->out->edges[i - 1];
    c->out->edges[i - 1] = c->out->edges[other];
    c->out->edges[other] = kept;
  }
  c->out->shape.distribution = (scree_distribution_kind)case_draw(&c->state, 3);
  return true;
}

static bool reverse(case_change *c) {
  for (uint64_t i = 0; i < c->out->m; i++) {
    scree_edge *e = &c->out->edges[i];
    *e = (scree_edge){e->v, e->u, e->weight};
  }
  return !c->out->shape.directed;
}

/* By a power of two every sum is as exact as it was; other factors are for whole numbers. */
static bool scale(case_change *c) {
  const scree_weight_kind kind = c->out->shape.weight;
  c->scale = kind == SCREE_WEIGHT_UINT32 ? (double)(2 + case_draw(&c->state, 50)) : 8;
  if (kind == SCREE_WEIGHT_NONE) return false;
  for (uint64_t i = 0; i < c->out->m; i++) {
    c->out->edges[i].weight *= c->scale;
    if (c->out->edges[i].weight > (kind == SCREE_WEIGHT_UINT32 ? 4294967295.0 : 1e30)) return false;
  }
  return true;
}

/* An edge becomes two with the same sum: of whole numbers any two, of others one and 0. */
static bool split(case_change *c) {
  case_graph *g = c->out;
  if (g->shape.weight == SCREE_WEIGHT_NONE || g->m == 0) return false;
  const uint64_t i = case_draw(&c->state, g->m), between = g->shape.n++;
  const scree_edge e = g->edges[i];
  const bool whole = g->shape.weight == SCREE_WEIGHT_UINT32;
  const double part = whole ? (double)case_draw(&c->state, (uint64_t)e.weight + 1) : e.weight;
  g->edges[i] = (scree_edge){e.u, between, part};
  case_graph_add(g, between, e.v, e.weight - part);
  return true;
}

static bool clutter(case_change *c) { /* parallel edges and self loops */
  for (uint64_t i = 0, m = c->out->m; i < m; i += 3) {
    const scree_edge e = c->out->edges[i];
    case_graph_add(c->out, e.u, e.v, e.weight);
    case_graph_add(c->out, e.v, e.v, e.weight);
  }
  return true;
}

static bool unreached(case_change *c) {
  case_graph *g = c->out;
  uint64_t n = 0, m = 0;
  for (uint64_t v = 0; v < g->shape.n; v++) c->to[v] = isfinite(c->level[v]) ? n++ : SCREE_NO_VERTEX;
  for (uint64_t i = 0; i < g->m; i++) {
    const uint64_t a = c->to[g->edges[i].u], b = c->to[g->edges[i].v];
    if (a != SCREE_NO_VERTEX && b != SCREE_NO_VERTEX) g->edges[m++] = (scree_edge){a, b, g->edges[i].weight};
  }
  const bool changed = n < g->shape.n;
  g->shape.n = n;
  g->m = m;
  g->source = c->to[g->source];
  return changed;
}

/* In the order of the bits. */
static const struct {
  const char *name;
  bool (*apply)(case_change *c);
} laws[CASE_LAWS] = {
    {"other names", names},
    {"other order and distribution", order},
    {"edges turned round", reverse},
    {"weights scaled", scale},
    {"an edge split", split},
    {"more parallel edges and loops", clutter},
    {"without the unreached", unreached},
};

const char *case_law_name(size_t law) {
  return laws[law].name;
}

bool case_law_apply(size_t law, const case_graph *in, const double *level, uint64_t draw, case_graph *out,
                    case_change *change) {
  case_graph_copy(out, in);
  *change = (case_change){.level = level, .out = out, .state = draw, .scale = 1};
  change->to = malloc(in->shape.n * sizeof *change->to);
  if (!change->to) abort();
  for (uint64_t v = 0; v < in->shape.n; v++) change->to[v] = v;
  return laws[law].apply(change);
}
