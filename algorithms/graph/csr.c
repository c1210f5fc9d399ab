/* csr.c - a plain graph on one rank: from arcs, or gathered from a distributed one.
 *
 * Room: see serial.h. */
#include <stdlib.h>
#include <string.h>

#include "graph/serial.h"

static void put_weight(scree__csr *csr, uint64_t at, double w) {
  switch (csr->kind) {
  case SCREE_WEIGHT_UINT32:
    ((uint32_t *)csr->weights)[at] = (uint32_t)w;
    break;
  case SCREE_WEIGHT_FLOAT:
    ((float *)csr->weights)[at] = (float)w;
    break;
  case SCREE_WEIGHT_DOUBLE:
    ((double *)csr->weights)[at] = w;
    break;
  case SCREE_WEIGHT_NONE:
    break;
  }
}

static bool allocate(scree__csr *csr, uint64_t n, uint64_t m, scree_weight_kind kind) {
  size_t bytes = kind == SCREE_WEIGHT_DOUBLE ? 8 : 4;
  *csr = (scree__csr){.n = n, .m = m, .kind = kind};
  if (n >= SCREE__UNREACHED) return false;
  csr->offsets = calloc(n + 2, sizeof *csr->offsets);
  csr->targets = malloc((m + 1) * sizeof *csr->targets);
  if (kind) csr->weights = malloc((m + 1) * bytes);
  return csr->offsets && csr->targets && (!kind || csr->weights);
}

bool scree__csr_build(scree__csr *csr, uint64_t n, uint64_t m, const scree__triple *arcs, scree_weight_kind kind) {
  if (!allocate(csr, n, m, kind)) {
    scree__csr_free(csr);
    return false;
  }
  uint64_t *next = csr->offsets + 1; /* next[u]: where u's next arc goes; in the end u's row ends there */
  for (uint64_t i = 0; i < m; i++) next[arcs[i].a + 1]++;
  for (uint64_t u = 0; u < n; u++) next[u + 1] += next[u];
  for (uint64_t i = 0; i < m; i++) {
    uint64_t at = next[arcs[i].a]++;
    csr->targets[at] = (uint32_t)arcs[i].b;
    put_weight(csr, at, arcs[i].w);
  }
  return true;
}

void scree__csr_free(scree__csr *csr) {
  free(csr->offsets);
  free(csr->targets);
  free(csr->weights);
  *csr = (scree__csr){0};
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

typedef struct {
  scree__triple *arcs;
  uint64_t count;
} heap_of_arcs;

static void take_arcs(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  heap_of_arcs *all = arg;
  memcpy(all->arcs + all->count, items, count * sizeof *items);
  all->count += count;
}

static void send_arcs(const scree_graph *g) {
  scree_graphs *graphs = g->graphs;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      graph_triple_send(graphs->worker, graphs->triple, 0,
                        (scree__triple){tail, scree_graph_vertex(g, scree_graph_target(g, e)), scree_arc_weight(g, e)});
    }
}

scree_status scree__csr_gather(const scree_graph *g, scree__csr *csr) {
  bool here = scree_graph_rank(g) == 0;
  heap_of_arcs all = {0};
  scree_status status = SCREE_OK;
  *csr = (scree__csr){0};
  if (here && !(all.arcs = malloc((g->arcs + 1) * sizeof *all.arcs)))
    status = scree__no_memory(g->graphs, g->arcs * 24);
  status = scree__agree(g->graphs, status);
  if (!status) status = scree__phase_begin(g->graphs, take_arcs, NULL, &all);
  if (!status) {
    send_arcs(g);
    status = scree__phase_end(g->graphs, NULL);
  }
  if (!status) {
    bool built = !here || scree__csr_build(csr, g->vertices.n, all.count, all.arcs, g->weight);
    status = scree__agree(g->graphs, built ? SCREE_OK : scree__no_memory(g->graphs, g->arcs * 16));
  }
  free(all.arcs);
  return status;
}
