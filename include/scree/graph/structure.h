/* graph/structure.h - a distributed graph: its arrays, its properties, and data that is kept with it. The terms and
 * rules of graph.h apply. C11 and C++. */
#ifndef SCREE_GRAPH_STRUCTURE_H
#define SCREE_GRAPH_STRUCTURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <scree/distribution.h>
#include <scree/graph/layer.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- graphs ------------------------------------------------------------ */

typedef enum { SCREE_WEIGHT_NONE, SCREE_WEIGHT_UINT32, SCREE_WEIGHT_FLOAT, SCREE_WEIGHT_DOUBLE } scree_weight_kind;

/* One rank's part. Read only; built by a builder or scree_graph_load. An undirected graph stores each edge as two
 * arcs, a self loop as one. Parallel edges and self loops are kept. */
typedef struct scree_graph {
  scree_graphs *graphs;
  scree_distribution vertices; /* .n is the number of vertices of the whole graph */
  uint64_t edges;              /* whole graph: input edges, as counted by TEPS */
  uint64_t arcs;               /* whole graph: stored arcs; equal to edges if directed */
  uint64_t locals;             /* this rank: vertices */
  const uint64_t *offsets;     /* this rank: arcs of local u are offsets[u] .. offsets[u + 1] - 1 */
  const void *targets;         /* this rank: heads of the arcs, packed; read by scree_graph_target */
  const void *weights;         /* this rank: array of `weight`, NULL if NONE; read by scree_graph_weight */
  scree_weight_kind weight;
  bool directed;
  bool wide;                   /* `targets` are uint64_t, not uint32_t, because the graph is too large for these */
  uint32_t local_bits;         /* a packed location is owner << local_bits | local index; scree_graph_pack */
  double weight_max;           /* whole graph: largest weight, 1 without weights */
  uint64_t label_base;         /* private: labels, see scree_graph_label */
  const uint64_t *labels;      /* private: of this rank's vertices; NULL: vertex v has the label label_base + v */
  const uint64_t *label_index; /* private: of this rank's vertices, see scree_graph_label_index; NULL: the identity */
  void *mapping;               /* private: the mapped file that holds offsets, targets and weights, or NULL */
  size_t mapping_bytes;
  bool mapping_copied;                    /* private: it is memory instead, which holds what was read of the file */
  bool mapping_heads;                     /* private: it holds the targets alone */
  bool may_reorder;                       /* private: see scree_graph_allow_reordering */
  struct scree__attachments *attachments; /* private: see scree_graph_attach */
} scree_graph;

/* This rank. */
static inline uint32_t scree_graph_rank(const scree_graph *g) {
  return scree_graphs_worker(g->graphs)->rank;
}
/* Converts a location to few bits, and back. Packed locations of all vertices are below scree_graph_slots, so they can
 * index tables by vertex. */
static inline uint64_t scree_graph_pack(const scree_graph *g, scree_location p) {
  return (uint64_t)scree_location_owner(p) << g->local_bits | scree_location_local(p);
}
static inline scree_location scree_graph_unpack(const scree_graph *g, uint64_t packed) {
  return scree_location_make((uint32_t)(packed >> g->local_bits), packed & ((UINT64_C(1) << g->local_bits) - 1));
}
static inline uint64_t scree_graph_slots(const scree_graph *g) {
  return (uint64_t)g->vertices.ranks << g->local_bits;
}
/* Packed location of the head of arc e of this rank, and the location itself. */
static inline uint64_t scree_graph_packed_target(const scree_graph *g, uint64_t e) {
  uint32_t head; /* it may be unaligned, since a graph may be a mapped file */
  if (g->wide) return ((const uint64_t *)g->targets)[e];
  memcpy(&head, (const char *)g->targets + 4 * e, sizeof head);
  return head;
}
static inline scree_location scree_graph_target(const scree_graph *g, uint64_t e) {
  return scree_graph_unpack(g, scree_graph_packed_target(g, e));
}
/* Weight of arc e of this rank: exact for every kind, 1 without weights. */
static inline double scree_graph_weight(const scree_graph *g, uint64_t e) {
  switch (g->weight) {
  case SCREE_WEIGHT_UINT32:
    return ((const uint32_t *)g->weights)[e];
  case SCREE_WEIGHT_FLOAT:
    return (double)((const float *)g->weights)[e];
  case SCREE_WEIGHT_DOUBLE:
    return ((const double *)g->weights)[e];
  case SCREE_WEIGHT_NONE:
    break;
  }
  return 1;
}
/* Number of arcs that leave local vertex u. */
static inline uint64_t scree_graph_degree(const scree_graph *g, uint64_t u) {
  return g->offsets[u + 1] - g->offsets[u];
}
/* Location of a vertex, and the vertex at a location. */
static inline scree_location scree_graph_location(const scree_graph *g, uint64_t v) {
  return scree_distribution_location(&g->vertices, v);
}
static inline uint64_t scree_graph_vertex(const scree_graph *g, scree_location p) {
  return scree_distribution_global(&g->vertices, scree_location_owner(p), scree_location_local(p));
}
/* Label of a vertex of this rank. Labels with gaps take 8 bytes for each vertex of the rank; labels without gaps take
 * no memory, and are known of any vertex. Of another rank's vertex whose label is not known: SCREE_NO_VERTEX. Local. */
static inline uint64_t scree_graph_label(const scree_graph *g, uint64_t v) {
  if (!g->labels) return g->label_base + v;
  const scree_location p = scree_graph_location(g, v);
  return scree_location_owner(p) == scree_graph_rank(g) ? g->labels[scree_location_local(p)] : SCREE_NO_VERTEX;
}
/* The labels of any vertices: labels[i] is that of vertices[i], i < count, and `count` may differ between ranks.
 * SCREE_EINVAL: a vertex is not below n. Collective, idle world. */
scree_status scree_graph_labels(const scree_graph *g, uint64_t count, const uint64_t *vertices, uint64_t *labels);
/* The smallest and the largest label. Collective, idle world. */
scree_status scree_graph_label_range(const scree_graph *g, uint64_t *min, uint64_t *max);
/* The vertex with that label, or SCREE_NO_VERTEX; the same label on all ranks. Collective, idle world; SCREE_NO_VERTEX
 * also if the world has failed. */
uint64_t scree_graph_find(const scree_graph *g, uint64_t label);
/* How many labels are smaller than that of v, a vertex of this rank: v itself except after
 * scree_graph_relabel_by_degree. Local. */
static inline uint64_t scree_graph_label_index(const scree_graph *g, uint64_t v) {
  return g->label_index ? g->label_index[scree_location_local(scree_graph_location(g, v))] : v;
}
/* *vertices: this rank's vertices as local indices, in ascending order of their labels; NULL if the vertices have
 * that order, which only scree_graph_relabel_by_degree changes. It belongs to the graph, takes 4 bytes for each of the
 * rank's vertices, and is made by the first call. Collective, idle world. SCREE_ENOMEM. */
scree_status scree_graph_by_label(const scree_graph *g, const uint32_t **vertices);

/* From now on kernels may change the order of the arcs within a vertex's row, so that SSSP, which needs the lightest
 * first, makes no second copy of them: 8 bytes for each arc of the rank, while it uses the graph and until it is freed.
 * Only for a caller who keeps nothing by the number of an arc. Rows that are mapped, or have weights of 8 bytes or
 * none, stay as they are. Local; the same on all ranks; idle world. */
void scree_graph_allow_reordering(scree_graph *g);

/* Frees this rank's part, its attachments first. Local. NULL is ignored. */
void scree_graph_free(scree_graph *g);

/* ---- attachments ------------------------------------------------------------ */

/* Data that belongs to a graph and has its lifetime: a transpose, sorted rows. A key is a static constant of the code
 * that computes the data. Keys are compared by address; `name` is for debugging. */
typedef struct scree_attachment_key {
  const char *name;
  void (*destroy)(void *data); /* local, calls nothing collective; NULL: nothing to free */
} scree_attachment_key;

/* The data attached to this rank's part under the key; NULL: none. Local; owner's thread. */
void *scree_graph_attachment(const scree_graph *g, const scree_attachment_key *key);
/* Attaches data, which is not NULL and belongs to the graph from then on: scree_graph_free destroys attachments, the
 * last one first. Several attachments with different keys may coexist. SCREE_ESTATE: the key is in use;
 * SCREE_ENOMEM; SCREE_EINVAL: `data` is NULL. On failure the caller keeps the data. Local; sets no error text. If ranks
 * must act alike, agree on the status with scree_graphs_agree. Owner's thread. */
scree_status scree_graph_attach(const scree_graph *g, const scree_attachment_key *key, void *data);

/* The balance of a graph over the ranks: the maximum of any rank divided by the mean, 1 if all have the same. */
typedef struct scree_balance {
  double vertices, arcs;
} scree_balance;
/* Collective. A graph without arcs has a balance of 1. */
scree_status scree_graph_balance(const scree_graph *g, scree_balance *balance);

/* Creates the same graph with its vertices renumbered by descending out-degree, ties in the order of their labels; the
 * numbers are the same on any number of ranks. Labels stay with their vertices. The hubs become 0, 1, 2, ...;
 * distribute them by SCREE_DISTRIBUTION_CYCLIC or SCREE_DISTRIBUTION_HASH, because SCREE_DISTRIBUTION_BLOCK assigns
 * them all to rank 0. Labels then take 16 bytes for each vertex of a rank; while it renumbers, each rank takes 12 bytes
 * for each vertex of the whole graph, 20 if it is wide. `g` is unchanged and no longer needed.
 * SCREE_ENOMEM also if both graphs do not fit into the memory that is left. Collective, idle world. */
scree_status scree_graph_relabel_by_degree(const scree_graph *g, scree_distribution_kind distribution,
                                           scree_graph **graph);

/* What scree_graph_relabel_auto did; the same on all ranks. */
typedef struct scree_relabel_outcome {
  bool done;        /* *graph is the renumbered graph, and the other one is freed */
  char reason[160]; /* why, or why not */
} scree_relabel_outcome;
/* Renumbers a graph by descending degree if that pays, and replaces *graph by the new one with that distribution. It
 * pays if all of this holds:
 *   - The graph has at least 65536 arcs, and vertices of more than 8 times the mean degree have at least a quarter of
 *     them; there are at least 8 such vertices for each rank. A grid or a road network has none.
 *   - Runs will examine all arcs at least 60 * (1 + ranks * vertices / arcs) times. `passes` is what the caller
 *     expects: see scree_kernel_passes.
 *   - The distribution is not SCREE_DISTRIBUTION_BLOCK, or there is one rank.
 *   - It takes at most half of the memory that is left.
 * Otherwise, and if it runs out of memory, *graph stays as it is, which is not an error. Collective, idle world; equal
 * arguments on all ranks. Errors: the code of a world that has failed. */
scree_status scree_graph_relabel_auto(scree_graph **graph, scree_distribution_kind distribution, double passes,
                                      scree_relabel_outcome *outcome);

/* Creates the transpose: an arc v -> u for each arc u -> v, the same vertices on the same ranks, without weights and
 * labels. It is independent of g. Collective. */
scree_status scree_graph_transpose(const scree_graph *g, scree_graph **transpose);

/* Vertex drawn by `seed` among those with an arc that leaves them; the one with the same label for every number of
 * ranks, every distribution and numbering. Collective. SCREE_EINVAL if there is none. */
scree_status scree_graph_random_source(const scree_graph *g, uint64_t seed, uint64_t *v);

/* What an answer reached, over all ranks: vertices, and edges as given (an undirected edge is one) with their tail,
 * or either end, among them: the Graph500 specification's count for TEPS. Of `dist` (reached: finite) and `level`
 * (reached: not negative) exactly one is given, an array over local vertices. Collective. */
scree_status scree_graph_traversed(const scree_graph *g, const double *dist, const int64_t *level, uint64_t *vertices,
                                   uint64_t *edges);

#ifdef __cplusplus
}
#endif
#endif
