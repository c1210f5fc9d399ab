/* graph.c - the beginning and the end of a graph, and how wide its arcs' heads are. */
#include <stdlib.h>
#include <sys/mman.h>

#include "graph/structure.h"

scree_graph *scree__graph_new(scree_graphs *graphs) {
  scree_graph *g = calloc(1, sizeof *g);
  struct scree__attachments *attachments = calloc(1, sizeof *attachments);
  if (!g || !attachments) {
    free(g);
    free(attachments);
    return NULL;
  }
  g->graphs = graphs;
  g->attachments = attachments;
  return g;
}

void scree_graph_allow_reordering(scree_graph *g) {
  if (!g) return;
  g->may_reorder = true;
}

void scree__graph_free_rows(scree_graph *g) {
  if (!g->mapping) scree_huge_free((void *)g->targets);
  if (!g->mapping || g->mapping_heads) {
    scree_huge_free((void *)g->offsets);
    scree_huge_free((void *)g->weights);
  }
  if (g->mapping) munmap(g->mapping, g->mapping_bytes);
  g->mapping = NULL;
}

void scree_graph_free(scree_graph *g) {
  if (!g) return;
  scree__attachments_free(g->attachments);
  scree__graph_free_rows(g);
  scree_huge_free((void *)g->labels);
  scree_huge_free((void *)g->label_index);
  free(g);
}

void scree__graph_set_width(scree_graph *g, bool wide) {
  uint64_t max = scree_distribution_count(&g->vertices, 0); /* no rank has more than rank 0 */
  while (UINT64_C(1) << g->local_bits < max) g->local_bits++;
  g->wide = wide || scree_graph_slots(g) > (UINT64_C(1) << 32);
}
