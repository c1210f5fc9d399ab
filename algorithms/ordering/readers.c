/* readers.c - which ranks read values of which vertices. */
#include "ordering/readers.h"

#include <scree/memory.h>

#include "graph/consensus.h"

static scree_status make(const scree_graph *g, void *ordering) {
  scree__readers *r = ordering;
  r->words = g->locals / SCREE__READERS_BLOCK / 64 + 1;
  const uint64_t bytes = g->vertices.ranks * r->words * sizeof *r->bits;
  r->bits = scree_graphs_alloc(g->graphs, bytes);
  for (uint64_t u = 0; r->bits && u < g->locals; u++)
    for (uint64_t e = g->offsets[u], block = u / SCREE__READERS_BLOCK; e < g->offsets[u + 1]; e++)
      r->bits[(scree__head_get(g->targets, g->wide, e) >> g->local_bits) * r->words + block / 64] |= UINT64_C(1)
                                                                                                     << block % 64;
  return scree__ordering_ready(g, r->bits, bytes);
}

static void clear(void *ordering) {
  scree_huge_free(((scree__readers *)ordering)->bits);
}

const scree__ordering scree__read_by = {SCREE__ORDERING_KEY("the ranks that read each vertex"), SCREE__READERS,
                                        sizeof(scree__readers), make, clear};

scree_status scree__readers_of(const scree_graph *g, const scree__readers **readers) {
  scree_status status;
  *readers = scree__ordering_of(g, &scree__read_by, &status);
  return status;
}
