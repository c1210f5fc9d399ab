/* validate.c - checks betweenness by three rules:
 *   1 each value is a number from 0 on
 *   2 it is that of Brandes' algorithm on one rank, with a relative error of 1e-6 at most
 *   3 in place of 2 on graphs that each rank cannot hold as a whole: all values have the sum that distances have, of
 *     which each counts the vertices within its paths: one less than it is */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bc/run.h"
#include "sort/counting_sort.h"
#include "validate/failure.h"

#define WITHIN 1e-6
/* Of a graph that each rank gets as a whole; and arcs that a rank examines, about 20 s. */
enum { ARCS_MAX = 1 << 24, STEPS_BITS = 31 };

typedef struct {
  const scree_graph *g;
  const double *value;
  scree__bc_sources sources;
  double *expected; /* by local vertex */
  scree__failure first;
  /* the whole graph */
  uint64_t arcs, *offsets;
  uint32_t *tails, *heads, *rows;
  /* distances */
  uint32_t *queue;
  uint64_t count, found, *seen; /* seen: the last source that has reached it, from 1 on */
  uint64_t source;
} check;

static void fail(check *c, int rule, uint64_t v, double found, double expected) {
  char *text = c->first.text;
  const size_t size = sizeof c->first.text;
  int n;
  if (!scree__failure_keep(&c->first, rule, v)) return;
  if (rule == 3)
    n = snprintf(text, size, "rule 3, all vertices");
  else
    n = snprintf(text, size, "rule %d, vertex %" PRIu64, rule, scree_graph_label(c->g, v));
  snprintf(text + n, size - (size_t)n, ": found betweenness %.17g, expected %s%.17g", found,
           rule == 1 ? "at least " : "", expected);
}

static uint64_t vertex_at(const scree_graph *g, uint64_t u) {
  return scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
}

static bool agrees(double found, double expected) {
  return fabs(found - expected) <= WITHIN * expected;
}

/* ---- on one rank ---- */

typedef struct {
  uint32_t tail, head;
} whole_arc;

static void take_arc(const void *data, size_t bytes, void *arg) {
  const whole_arc *arc = data;
  check *c = arg;
  (void)bytes;
  c->tails[c->arcs] = arc->tail;
  c->heads[c->arcs++] = arc->head;
}

/* Every rank gets all arcs. */
static scree_status gather(check *c) {
  const scree_graph *g = c->g;
  const scree_status status = scree_graphs_exchange_begin(g->graphs, take_arc, c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      const whole_arc arc = {(uint32_t)vertex_at(g, u), (uint32_t)scree_graph_vertex(g, scree_graph_target(g, e))};
      for (uint32_t r = 0; r < g->vertices.ranks; r++) scree_graphs_exchange_send(g->graphs, r, &arc, sizeof arc);
    }
  return scree_graphs_exchange_end(g->graphs);
}

static void make_rows(check *c) {
  SCREE__COUNTING_SORT(c->offsets + 1, c->g->vertices.n, c->arcs, i, c->tails[i], at, c->rows[at] = c->heads[i]);
}

/* What the pass from one source needs, by vertex. */
typedef struct {
  int64_t *depth;
  double *sigma, *delta;
  uint32_t *order;
} pass;

static void brandes(const check *c, const pass *p, uint64_t source, double *score) {
  uint64_t count = 1;
  for (uint64_t v = 0; v < c->g->vertices.n; v++) p->depth[v] = -1, p->sigma[v] = p->delta[v] = 0;
  p->depth[source] = 0;
  p->sigma[source] = 1;
  p->order[0] = (uint32_t)source;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t v = p->order[i];
    for (uint64_t e = c->offsets[v]; e < c->offsets[v + 1]; e++) {
      const uint32_t w = c->rows[e];
      if (p->depth[w] < 0) p->depth[p->order[count++] = w] = p->depth[v] + 1;
      if (p->depth[w] == p->depth[v] + 1) p->sigma[w] += p->sigma[v];
    }
  }
  while (count-- > 1) {
    const uint32_t v = p->order[count];
    for (uint64_t e = c->offsets[v]; e < c->offsets[v + 1]; e++)
      if (p->depth[c->rows[e]] == p->depth[v] + 1)
        p->delta[v] += p->sigma[v] / p->sigma[c->rows[e]] * (1 + p->delta[c->rows[e]]);
    score[v] += p->delta[v];
  }
}

typedef struct {
  uint64_t vertex; /* local index on the receiver */
  double value;
} share;

static void take_share(const void *data, size_t bytes, void *arg) {
  const share *item = data;
  (void)bytes;
  ((check *)arg)->expected[item->vertex] += item->value;
}

static scree_status send_scores(check *c, const double *score) {
  const scree_graph *g = c->g;
  const scree_status status = scree_graphs_exchange_begin(g->graphs, take_share, c);
  if (status) return status;
  for (uint64_t v = 0; v < g->vertices.n; v++) {
    const scree_location at = scree_graph_location(g, v);
    const share item = {scree_location_local(at), score[v] * c->sources.scale};
    if (score[v] > 0) scree_graphs_exchange_send(g->graphs, scree_location_owner(at), &item, sizeof item);
  }
  return scree_graphs_exchange_end(g->graphs);
}

/* Each rank takes a part of the sources. */
static scree_status compare(check *c, const pass *p, double *score) {
  const scree_graph *g = c->g;
  scree_status status = gather(c);
  if (status) return status;
  make_rows(c);
  for (uint64_t i = scree_graph_rank(g); i < c->sources.count; i += g->vertices.ranks)
    brandes(c, p, scree__bc_source(&c->sources, i), score);
  status = send_scores(c, score);
  for (uint64_t u = 0; u < g->locals; u++)
    if (!agrees(c->value[u], c->expected[u])) fail(c, 2, vertex_at(g, u), c->value[u], c->expected[u]);
  return status;
}

static scree_status by_oracle(check *c) {
  const size_t n = (size_t)c->g->vertices.n + 2, m = (size_t)c->g->arcs + 1;
  uint32_t *arcs = malloc(3 * m * sizeof *arcs), *order = malloc(n * sizeof *order);
  double *values = calloc(3 * n, sizeof *values);
  const pass p = {malloc(n * sizeof *p.depth), values, values + n, order};
  c->offsets = calloc(n, sizeof *c->offsets);
  c->expected = calloc((size_t)c->g->locals + 1, sizeof *c->expected);
  const bool ready = arcs && order && values && p.depth && c->offsets && c->expected;
  scree_status status = scree_graphs_agree(c->g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory to check %" PRIu64 " vertices and %" PRIu64 " arcs",
                                           scree_graph_rank(c->g), c->g->vertices.n, c->g->arcs);
  if (status == SCREE_OK) c->tails = arcs, c->heads = arcs + m, c->rows = arcs + 2 * m;
  if (status == SCREE_OK) status = compare(c, &p, values + 2 * n);
  free(arcs);
  free(order);
  free(values);
  free(p.depth);
  free(c->offsets);
  free(c->expected);
  return status;
}

/* ---- by distances ---- */

static void take_reached(const void *data, size_t bytes, void *arg) {
  const uint64_t u = *(const uint64_t *)data;
  check *c = arg;
  (void)bytes;
  if (c->seen[u] == c->source) return;
  c->seen[u] = c->source;
  c->queue[c->found++] = (uint32_t)u;
}

static scree_status next_level(check *c, uint64_t from) {
  const scree_graph *g = c->g;
  const scree_status status = scree_graphs_exchange_begin(g->graphs, take_reached, c);
  if (status) return status;
  for (uint64_t i = from; i < c->count; i++)
    for (uint64_t e = g->offsets[c->queue[i]]; e < g->offsets[c->queue[i] + 1]; e++) {
      const scree_location head = scree_graph_target(g, e);
      const uint64_t local = scree_location_local(head);
      scree_graphs_exchange_send(g->graphs, scree_location_owner(head), &local, sizeof local);
    }
  return scree_graphs_exchange_end(g->graphs);
}

/* Adds, for each vertex that source number i reaches, the vertices within the path to it. */
static scree_status add_distances(check *c, uint64_t i, uint64_t *sum) {
  const scree_location at = scree_graph_location(c->g, scree__bc_source(&c->sources, i));
  const uint64_t local = scree_location_local(at);
  scree_status status = SCREE_OK;
  scree_reduce more = {.sum = {1}};
  uint64_t from = 0;
  c->source = i + 1;
  c->count = c->found = 0;
  if (scree_location_owner(at) == scree_graph_rank(c->g)) take_reached(&local, sizeof local, c);
  for (uint64_t level = 0; more.sum[0] && status == SCREE_OK; level++) {
    from = c->count;
    c->count = c->found;
    more = (scree_reduce){.sum = {c->count - from}, .min = UINT64_MAX};
    status = scree_graphs_reduce(c->g->graphs, &more);
    if (level > 1) *sum += more.sum[0] * (level - 1);
    if (status == SCREE_OK) status = next_level(c, from);
  }
  return status;
}

static void take_sum(const void *data, size_t bytes, void *arg) {
  (void)bytes;
  *(double *)arg += *(const double *)data;
}

/* Rank 0 compares. */
static scree_status by_law(check *c) {
  const scree_graph *g = c->g;
  double all = 0, mine = 0;
  uint64_t sum = 0;
  c->queue = malloc(((size_t)g->locals + 1) * sizeof *c->queue);
  c->seen = calloc((size_t)g->locals + 1, sizeof *c->seen);
  scree_status status =
      scree_graphs_agree(g->graphs, c->queue && c->seen ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory to check %" PRIu64 " vertices", scree_graph_rank(g), g->locals);
  for (uint64_t i = 0; i < c->sources.count && !status; i++) status = add_distances(c, i, &sum);
  free(c->queue);
  free(c->seen);
  if (status == SCREE_OK) status = scree_graphs_exchange_begin(g->graphs, take_sum, &all);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) mine += c->value[u];
  scree_graphs_exchange_send(g->graphs, 0, &mine, sizeof mine);
  status = scree_graphs_exchange_end(g->graphs);
  const double expected = (double)sum * c->sources.scale;
  if (scree_graph_rank(g) == 0 && !agrees(all, expected)) fail(c, 3, 0, all, expected);
  return status;
}

scree_status scree__bc_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                scree_verdict *verdict) {
  check c = {.g = g, .value = answer->array[0], .first = {.key = UINT64_MAX}};
  (void)source;
  scree_status status = scree__bc_sources_of(g, options, &c.sources);
  if (status) return status;
  const uint64_t size = g->vertices.n + g->arcs;
  const bool whole = size <= ARCS_MAX && (c.sources.count / g->vertices.ranks + 1) * size >> STEPS_BITS == 0;
  for (uint64_t u = 0; u < g->locals; u++)
    if (!(c.value[u] >= 0 && isfinite(c.value[u]))) fail(&c, 1, vertex_at(g, u), c.value[u], 0);
  status = scree__failure_verdict(&c.first, g, verdict);
  if (status || !verdict->valid) return status;
  status = whole ? by_oracle(&c) : by_law(&c);
  if (status == SCREE_OK) status = scree__failure_verdict(&c.first, g, verdict);
  if (status == SCREE_OK && verdict->valid && !whole)
    snprintf(verdict->text, sizeof verdict->text,
             "too large for Brandes' algorithm on each rank: checked that all values together are the sum over the "
             "distances from the sources of what is within them (rule 3)");
  return status;
}
