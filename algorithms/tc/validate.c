/* validate.c - checks counts of triangles by three rules:
 *   1 the clustering coefficient is that of the count, and at most 1
 *   2 the count is as recomputed by comparing the whole rows of the vertex and of all its neighbours: of all vertices,
 *     or of a drawn part if that would compare more than BUDGET entries
 *   3 the counts sum to three times the number of triangles */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/u64_vector.h"
#include "tc/run.h"
#include "validate/failure.h"

enum { BUDGET = 1 << 24 };

typedef struct {
  const scree_graph *g;
  const uint64_t *triangles;
  const double *clustering;
  uint64_t *heads, *end; /* neighbours of u from offsets[u] on: ascending, without loops and parallel edges */
  uint64_t *seen;        /* by local vertex: twice its triangles */
  uint64_t one_in;       /* vertices that are recomputed */
  scree__failure first;
} check;

static uint64_t vertex_at(const check *c, uint64_t location) {
  return scree_graph_vertex(c->g, scree_graph_unpack(c->g, location));
}

static bool is_drawn(const check *c, uint64_t location) {
  return c->one_in == 1 || scree__hash_draw(vertex_at(c, location), 1) % c->one_in == 0;
}

static void fail(check *c, int rule, uint64_t u, double expected) {
  const uint64_t v = vertex_at(c, (uint64_t)scree_graph_rank(c->g) << c->g->local_bits | u);
  if (!scree__failure_keep(&c->first, rule, v)) return;
  snprintf(c->first.text, sizeof c->first.text,
           "rule %d, vertex %" PRIu64 ": found %" PRIu64 " triangles, clustering %.17g, expected %.17g", rule,
           scree_graph_label(c->g, v), c->triangles[u], c->clustering[u], expected);
}

static void sort_rows(check *c, uint64_t *spare) {
  const scree_graph *g = c->g;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t self = (uint64_t)scree_graph_rank(g) << g->local_bits | u;
    uint64_t *row = c->heads + g->offsets[u], *sorted = row, n = 0;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      if (scree_graph_packed_target(g, e) != self) row[n++] = scree_graph_packed_target(g, e);
    const uint64_t kept = scree__u64_sort_unique(&sorted, spare, n);
    memmove(row, sorted, kept * sizeof *row);
    c->end[u] = g->offsets[u] + kept;
    if (c->clustering[u] != scree__tc_clustering(c->triangles[u], kept) || c->clustering[u] > 1)
      fail(c, 1, u, scree__tc_clustering(c->triangles[u], kept));
  }
}

/* A record: local index on the receiver, and a neighbour's row. */
static void take(const void *data, size_t bytes, void *arg) {
  check *c = arg;
  const uint64_t *record = data, u = record[0];
  uint64_t at = c->g->offsets[u];
  for (size_t i = 1; i < bytes / sizeof *record; i++) {
    while (at < c->end[u] && c->heads[at] < record[i]) at++;
    c->seen[u] += at < c->end[u] && c->heads[at] == record[i];
  }
}

static scree_status recompute(check *c, uint64_t *record) {
  const scree_graph *g = c->g;
  scree_status status = scree_graphs_exchange_begin(g->graphs, take, c);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t count = c->end[u] - g->offsets[u];
    memcpy(record + 1, c->heads + g->offsets[u], count * sizeof *record);
    for (uint64_t e = g->offsets[u]; e < c->end[u]; e++) {
      if (!is_drawn(c, c->heads[e])) continue;
      const scree_location to = scree_graph_unpack(g, c->heads[e]);
      record[0] = scree_location_local(to);
      scree_graphs_exchange_send(g->graphs, scree_location_owner(to), record, (count + 1) * sizeof *record);
    }
  }
  status = scree_graphs_exchange_end(g->graphs);
  const uint64_t first = (uint64_t)scree_graph_rank(g) << g->local_bits;
  for (uint64_t u = 0; u < g->locals; u++)
    if (is_drawn(c, first | u) && c->seen[u] != 2 * c->triangles[u]) fail(c, 2, u, (double)c->seen[u] / 2);
  return status;
}

static scree_status examine(check *c, uint64_t *spare, double figure, scree_verdict *verdict) {
  const scree_graph *g = c->g;
  scree_reduce all = SCREE_REDUCE_INIT;
  sort_rows(c, spare);
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t degree = c->end[u] - g->offsets[u];
    all.sum[0] += c->triangles[u];
    all.sum[1] += degree * degree;
  }
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  c->one_in = all.sum[1] / BUDGET + 1;
  if (status == SCREE_OK) status = recompute(c, spare);
  if (status) return status;
  if ((double)all.sum[0] != 3 * figure && scree_graph_rank(g) == 0 && scree__failure_keep(&c->first, 3, 0))
    snprintf(c->first.text, sizeof c->first.text, "rule 3: the counts sum to %" PRIu64 ", expected 3 * %.0f",
             all.sum[0], figure);
  status = scree__failure_verdict(&c->first, g, verdict);
  if (status == SCREE_OK && verdict->valid && c->one_in > 1)
    snprintf(verdict->text, sizeof verdict->text,
             "the counts sum to three times the triangles; one vertex in %" PRIu64 " was recomputed", c->one_in);
  return status;
}

scree_status scree__tc_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                scree_verdict *verdict) {
  check c = {.g = g, .triangles = answer->array[0], .clustering = answer->array[1], .first = {.key = UINT64_MAX}};
  uint64_t longest = 0;
  (void)source;
  (void)options;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > longest) longest = scree_graph_degree(g, u);
  uint64_t *spare = malloc((longest + 1) * sizeof *spare);
  c.heads = scree_graphs_alloc(g->graphs, (g->offsets[g->locals] + 1) * sizeof *c.heads);
  c.end = malloc((g->locals + 1) * sizeof *c.end);
  c.seen = calloc(g->locals + 1, sizeof *c.seen);
  scree_status status =
      scree_graphs_agree(g->graphs, spare && c.heads && c.end && c.seen ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory to check the triangles of %" PRIu64 " vertices; use more ranks",
                         scree_graph_rank(g), g->locals);
  if (status == SCREE_OK) status = examine(&c, spare, answer->figure[0], verdict);
  scree_huge_free(c.heads);
  free(c.seen);
  free(c.end);
  free(spare);
  return status;
}
