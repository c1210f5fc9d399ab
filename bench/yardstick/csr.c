/* csr.c - a plain graph on one rank: from arcs, or gathered from a distributed one. */
#include <stdlib.h>
#include <string.h>

#include "yardstick/serial.h"

static void put_weight(serial_csr *csr, uint64_t at, double w) {
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

static bool allocate(serial_csr *csr, uint64_t n, uint64_t m, scree_weight_kind kind) {
  size_t bytes = kind == SCREE_WEIGHT_DOUBLE ? 8 : 4;
  *csr = (serial_csr){.n = n, .m = m, .kind = kind};
  if (n >= SERIAL_UNREACHED) return false;
  csr->offsets = calloc(n + 2, sizeof *csr->offsets);
  csr->targets = malloc((m + 1) * sizeof *csr->targets);
  if (kind) csr->weights = malloc((m + 1) * bytes);
  return csr->offsets && csr->targets && (!kind || csr->weights);
}

bool serial_csr_build(serial_csr *csr, uint64_t n, uint64_t m, const scree_edge *arcs, scree_weight_kind kind) {
  if (!allocate(csr, n, m, kind)) {
    serial_csr_free(csr);
    return false;
  }
  uint64_t *next = csr->offsets + 1; /* next[u]: where u's next arc goes; in the end u's row ends there */
  for (uint64_t i = 0; i < m; i++) next[arcs[i].u + 1]++;
  for (uint64_t u = 0; u < n; u++) next[u + 1] += next[u];
  for (uint64_t i = 0; i < m; i++) {
    uint64_t at = next[arcs[i].u]++;
    csr->targets[at] = (uint32_t)arcs[i].v;
    put_weight(csr, at, arcs[i].weight);
  }
  return true;
}

void serial_csr_free(serial_csr *csr) {
  free(csr->offsets);
  free(csr->targets);
  free(csr->weights);
  *csr = (serial_csr){0};
}

/* ---- gathering ---- */

/* A distributed graph of `ranks` times as many vertices, in blocks: rank 0 owns the first n, and so all arcs. */
static scree_status gather(const scree_graph *g, scree_graph **gathered) {
  const scree_graph_shape shape = {.n = g->vertices.n * g->vertices.ranks, .weight = g->weight, .directed = true};
  scree_graph_builder *builder;
  scree_status status = scree_graph_builder_begin(g->graphs, &shape, &builder);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      scree_graph_builder_add(builder, tail, scree_graph_vertex(g, scree_graph_target(g, e)), scree_arc_weight(g, e));
  }
  return scree_graph_builder_finish(builder, gathered);
}

/* Heads are vertices: rank 0 owns all. */
static bool copy(serial_csr *csr, const scree_graph *g) {
  if (!allocate(csr, g->locals, g->arcs, g->weight)) {
    serial_csr_free(csr);
    return false;
  }
  memcpy(csr->offsets, g->offsets, (csr->n + 1) * sizeof *csr->offsets);
  for (uint64_t e = 0; e < csr->m; e++) {
    csr->targets[e] = (uint32_t)scree_location_local(scree_graph_target(g, e));
    put_weight(csr, e, scree_arc_weight(g, e));
  }
  return true;
}

scree_status serial_csr_gather(const scree_graph *g, serial_csr *csr) {
  scree_graph *gathered;
  *csr = (serial_csr){0};
  scree_status status = gather(g, &gathered);
  if (status) return status;
  bool copied = scree_graph_rank(g) || copy(csr, gathered);
  scree_graph_free(gathered);
  return scree_graphs_agree(g->graphs, copied ? SCREE_OK : SCREE_ENOMEM, "out of memory for a graph on one rank");
}
