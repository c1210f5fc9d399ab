/* validate.c - checks the ranks of the vertices. One iteration as it is defined, with a message for each arc. */
#include <scree/pagerank.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "graph/consensus.h"
#include "validate/failure.h"

typedef struct {
  const scree_graph *g;
  const double *rank;
  double damping;
  double *got; /* by local vertex */
  scree__failure first;
} check;

#define SUM_BOUND 1e-9
#define FLOATS    1e-6 /* of a change: more than what rounding it to 4 bytes leaves */
#define ROUNDING  1e-12

static void fails(check *c, int rule, uint64_t vertex, const char *format, double found, double expected) {
  char *text = c->first.text;
  const size_t size = sizeof c->first.text;
  if (!scree__failure_keep(&c->first, rule, vertex)) return;
  int n = snprintf(text, size, "rule %d", rule);
  if (rule == 1) n += snprintf(text + n, size - (size_t)n, ", vertex %" PRIu64, scree_graph_label(c->g, vertex));
  snprintf(text + n, size - (size_t)n, format, found, expected);
}

/* Adds a nonnegative number up over all ranks, where more than 2 of a rank counts as 2. Reductions sum whole numbers.
 */
static scree_status sum(scree_graphs *graphs, double *x) {
  const double unit = 0x1p-61 * scree_graphs_worker(graphs)->ranks;
  scree_reduce r = {.sum = {(uint64_t)((*x < 2 ? *x : 2) / unit)}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  *x = (double)r.sum[0] * unit;
  return status;
}

static void examine_ranks(check *c, double *all, double *without_arcs) {
  const double min = (1 - c->damping) / (double)c->g->vertices.n;
  for (uint64_t u = 0; u < c->g->locals; u++) {
    double rank = c->rank[u];
    if (!(rank >= min * (1 - SUM_BOUND) && rank <= 1 + SUM_BOUND))
      fails(c, 1, scree_graph_vertex(c->g, scree_location_make(scree_graph_rank(c->g), u)),
            ": found rank %.17g, expected at least %.17g, and no more than 1", rank, min);
    *all += rank;
    if (scree_graph_degree(c->g, u) == 0) *without_arcs += rank;
  }
}

typedef struct {
  uint64_t vertex; /* local index on the receiver */
  double value;
} contribution;

static void take(const void *data, size_t bytes, void *arg) {
  (void)bytes;
  const contribution *item = data;
  ((check *)arg)->got[item->vertex] += item->value;
}

static scree_status pass_on(check *c) {
  const scree_graph *g = c->g;
  scree_status status = scree_graphs_exchange_begin(g->graphs, take, c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      scree_location head = scree_graph_target(g, e);
      const contribution item = {scree_location_local(head), c->rank[u] / (double)scree_graph_degree(g, u)};
      scree_graphs_exchange_send(g->graphs, scree_location_owner(head), &item, sizeof item);
    }
  return scree_graphs_exchange_end(g->graphs);
}

static double difference(const check *c, double without_arcs) {
  double base = (1 - c->damping + c->damping * without_arcs) / (double)c->g->vertices.n, all = 0;
  for (uint64_t u = 0; u < c->g->locals; u++) all += fabs(base + c->damping * c->got[u] - c->rank[u]);
  return all;
}

/* Only rule 1 is about a vertex. */
static scree_status agree(const check *c, scree_verdict *verdict) {
  const scree_status status = scree__failure_verdict(&c->first, c->g, verdict);
  if (status == SCREE_OK && verdict->rule > 1) verdict->label = 0;
  return status;
}

/* Rank 0 reports failures of all. Rule 1 is checked before: with it all sums are in range. */
static scree_status examine(check *c, double change, scree_verdict *verdict) {
  double all = 0, without_arcs = 0, differences;
  examine_ranks(c, &all, &without_arcs);
  scree_status status = agree(c, verdict);
  if (status || !verdict->valid) return status;
  status = sum(c->g->graphs, &all);
  if (status == SCREE_OK) status = sum(c->g->graphs, &without_arcs);
  if (status == SCREE_OK) status = pass_on(c);
  differences = difference(c, without_arcs);
  if (status == SCREE_OK) status = sum(c->g->graphs, &differences);
  if (status) return status;
  bool speaks = scree_graph_rank(c->g) == 0;
  if (speaks && !(fabs(all - 1) <= SUM_BOUND)) fails(c, 2, 0, ": found a sum of %.17g, expected %g", all, 1);
  if (speaks && !(differences <= change * c->damping * (1 + FLOATS) + ROUNDING))
    fails(c, 3, 0, ": found that one more iteration changes %.17g, expected at most %.17g", differences,
          change * c->damping);
  return agree(c, verdict);
}

scree_status scree_pagerank_validate(const scree_graph *g, const double *rank, double damping, double change,
                                     scree_verdict *verdict) {
  if (!g || !verdict) return scree__missing(g, __func__, "place for the verdict");
  const scree_status given = scree__given(g->graphs, rank || !g->locals, __func__, "answer to check");
  if (given) return given;
  check c = {.g = g, .rank = rank, .damping = damping, .first.key = UINT64_MAX};
  c.got = calloc((size_t)g->locals + 1, sizeof *c.got);
  scree_status status = scree_graphs_agree(g->graphs, c.got ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory to check %" PRIu64 " vertices; use more ranks",
                                           scree_graph_rank(g), g->locals);
  if (status == SCREE_OK) status = examine(&c, change, verdict);
  free(c.got);
  return status;
}
