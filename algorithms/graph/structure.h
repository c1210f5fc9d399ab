/* structure.h - the parts of a graph that the files which make graphs need. */
#ifndef SCREE__STRUCTURE_H
#define SCREE__STRUCTURE_H
#include <scree/graph.h>
#include <scree/memory.h>

/* From so many ranks on, memory of a rank must fall with their number. */
enum { SCREE__MANY_RANKS = 32 };

/* A graph with nothing in it; NULL: no memory. Freed by scree_graph_free. Local. */
scree_graph *scree__graph_new(scree_graphs *graphs);
/* Frees its rows, those that are mapped and others. Local. */
void scree__graph_free_rows(scree_graph *g);
/* Decides on `wide` and `local_bits` of a graph whose distribution is known. Local. */
void scree__graph_set_width(scree_graph *g, bool wide);

/* Bytes of a weight. */
static inline size_t scree__weight_bytes(scree_weight_kind kind) {
  static const size_t bytes[] = {0, sizeof(uint32_t), sizeof(float), sizeof(double)};
  return bytes[kind];
}
/* A head of 4 bytes in g->targets, which may be those of a mapped file, at any address. */
typedef uint32_t scree__head32 __attribute__((aligned(1), may_alias));
/* Number i of packed locations in an array of either width. */
static inline uint64_t scree__head_get(const void *heads, bool wide, uint64_t i) {
  return wide ? ((const uint64_t *)heads)[i] : ((const scree__head32 *)heads)[i];
}
static inline void scree__head_set(void *heads, bool wide, uint64_t i, uint64_t head) {
  if (wide)
    ((uint64_t *)heads)[i] = head;
  else
    ((uint32_t *)heads)[i] = (uint32_t)head;
}
/* Bytes of an arc's head in g->targets. */
static inline size_t scree__head_bytes(bool wide) {
  return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* Whether the arc from `tail` to `head` is the one that is written for its edge. */
static inline bool scree__represents_edge(const scree_graph *g, uint64_t tail, uint64_t head) {
  return g->directed || tail <= head;
}

/* Of a graph with label_index: the number of this rank's vertices whose labels have a lower index; `by_label` is that
 * of scree_graph_by_label. Local. */
uint64_t scree__label_search(const scree_graph *g, const uint32_t *by_label, uint64_t index);
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
