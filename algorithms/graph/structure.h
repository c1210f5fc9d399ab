/* structure.h - the parts of a graph that the files which make graphs need. */
#ifndef SCREE__STRUCTURE_H
#define SCREE__STRUCTURE_H
#include <scree/graph.h>
#include <scree/memory.h>

/* A graph with nothing in it; NULL: no memory. Freed by scree_graph_free. Local. */
scree_graph *scree__graph_new(scree_graphs *graphs);
/* Decides on `wide` and `local_bits` of a graph whose distribution is known. Local. */
void scree__graph_set_width(scree_graph *g, bool wide);

/* Bytes of a weight. */
static inline size_t scree__weight_bytes(scree_weight_kind kind) {
  static const size_t bytes[] = {0, sizeof(uint32_t), sizeof(float), sizeof(double)};
  return bytes[kind];
}
/* Bytes of an arc's head in g->targets. */
static inline size_t scree__head_bytes(bool wide) {
  return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* Whether the arc from `tail` to `head` is the one that is written for its edge. */
static inline bool scree__represents_edge(const scree_graph *g, uint64_t tail, uint64_t head) {
  return g->directed || tail <= head;
}

/* The vertices with more than `times` the mean degree, and their arcs, of all ranks. Collective. */
scree_status scree__graph_hubs(const scree_graph *g, double times, uint64_t *vertices, uint64_t *arcs);

/* What is attached to a graph, the last one first. */
typedef struct scree__attachment scree__attachment;
struct scree__attachments {
  scree__attachment *last;
};
/* Destroys them and frees the list. Local. */
void scree__attachments_free(struct scree__attachments *attachments);

#endif
