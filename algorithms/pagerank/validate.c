/* validate.c - are these the ranks of the vertices?
 *
 * Room: the rules of scree_pagerank_validate: one iteration as it is defined, a message for each arc. */
#include <scree/pagerank.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "graph/internal.h"

typedef struct {
  const scree_graph *g;
  const double *rank;
  double damping;
  double *got;    /* by local vertex */
  uint64_t worst; /* key of the first failure here, UINT64_MAX: none */
  char text[256]; /* its text */
} check;

enum { RULE_SHIFT = 56 };
#define SUM_BOUND 1e-9
#define ROUNDING  1e-12

static void fails(check *c, int rule, uint64_t vertex, const char *format, double found, double expected) {
  uint64_t key = (uint64_t)rule << RULE_SHIFT | vertex;
  if (key >= c->worst) return;
  c->worst = key;
  int n = snprintf(c->text, sizeof c->text, "rule %d", rule);
  if (rule == 1)
    n += snprintf(c->text + n, sizeof c->text - (size_t)n, ", vertex %" PRIu64, scree_graph_label(c->g, vertex));
  snprintf(c->text + n, sizeof c->text - (size_t)n, format, found, expected);
}

/* Adds a nonnegative number up over all ranks, where more than 2 of a rank counts as 2. Reductions sum whole numbers.
 */
static scree_status sum(scree_graphs *graphs, double *x) {
  const double unit = 0x1p-61 * scree_ranks(graphs->worker);
  scree_reduce r = {{(uint64_t)((*x < 2 ? *x : 2) / unit), 0}, UINT64_MAX, 0};
  scree_status status = scree_graphs_reduce(graphs, &r);
  *x = (double)r.sum[0] * unit;
  return status;
}

static void look(check *c, double *all, double *without_arcs) {
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

static void take(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  for (uint32_t i = 0; i < count; i++) ((check *)arg)->got[items[i].a] += items[i].w;
}

static scree_status hand_on(check *c) {
  const scree_graph *g = c->g;
  scree_status status = scree__phase_begin(g->graphs, take, NULL, c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      scree_location head = scree_graph_target(g, e);
      graph_triple_send(g->graphs->worker, g->graphs->triple, scree_location_owner(head),
                        (scree__triple){scree_location_local(head), 0, c->rank[u] / (double)scree_graph_degree(g, u)});
    }
  return scree__phase_end(g->graphs, NULL);
}

static double difference(const check *c, double without_arcs) {
  double base = (1 - c->damping + c->damping * without_arcs) / (double)c->g->vertices.n, all = 0;
  for (uint64_t u = 0; u < c->g->locals; u++) all += fabs(base + c->damping * c->got[u] - c->rank[u]);
  return all;
}

/* The first failure of all ranks, if there is one, becomes the verdict on all. */
static scree_status elect(const check *c, scree_verdict *verdict) {
  uint64_t min;
  scree_status status = scree__elect_verdict(c->g->graphs, c->worst, c->text, &min, verdict);
  if (status || verdict->valid) return status;
  verdict->rule = (int)(min >> RULE_SHIFT);
  if (verdict->rule == 1) verdict->label = scree_graph_label(c->g, min & ((UINT64_C(1) << RULE_SHIFT) - 1));
  return SCREE_OK;
}

/* Failures of all are told by rank 0. Rule 1 goes before: with it all sums are in range. */
static scree_status examine(check *c, double change, scree_verdict *verdict) {
  double all = 0, without_arcs = 0, differences;
  look(c, &all, &without_arcs);
  scree_status status = elect(c, verdict);
  if (status || !verdict->valid) return status;
  status = sum(c->g->graphs, &all);
  if (status == SCREE_OK) status = sum(c->g->graphs, &without_arcs);
  if (status == SCREE_OK) status = hand_on(c);
  differences = difference(c, without_arcs);
  if (status == SCREE_OK) status = sum(c->g->graphs, &differences);
  if (status) return status;
  bool speaks = scree_graph_rank(c->g) == 0;
  if (speaks && !(fabs(all - 1) <= SUM_BOUND)) fails(c, 2, 0, ": found a sum of %.17g, expected %g", all, 1);
  if (speaks && !(differences <= change * c->damping * (1 + SUM_BOUND) + ROUNDING))
    fails(c, 3, 0, ": found that one more iteration changes %.17g, expected at most %.17g", differences,
          change * c->damping);
  return elect(c, verdict);
}

scree_status scree_pagerank_validate(const scree_graph *g, const double *rank, double damping, double change,
                                     scree_verdict *verdict) {
  check c = {.g = g, .rank = rank, .damping = damping, .worst = UINT64_MAX};
  c.got = calloc((size_t)g->locals + 1, sizeof *c.got);
  scree_status status =
      scree_graphs_agree(g->graphs, c.got ? SCREE_OK : SCREE_ENOMEM, "rank %u: no memory to check %" PRIu64 " vertices",
                         scree_graph_rank(g), g->locals);
  if (status == SCREE_OK) status = examine(&c, change, verdict);
  free(c.got);
  return status;
}
