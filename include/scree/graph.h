/* graph.h - distributed graphs: load or generate, traverse, validate.
 *
 * Room: the graph layer's public face. A graph is compressed sparse rows over a distribution (distribution.h). All
 * that ranks exchange are scree messages, so it runs on every world, the simulator's included. C11 and C++.
 *
 * Words used below. Vertex: a global id 0 .. n-1. Label: the id that the file has for it; vertices are numbered in
 * ascending order of their labels. Local index: 0 .. locals-1 on the owner. Arc: a stored, directed entry.
 *
 * A collective call is made outside every epoch, by the owner's thread, on all ranks of the world, and returns the
 * same status on all of them: SCREE_OK, SCREE_EINVAL (the input), SCREE_ENOMEM, SCREE_ESTATE, or the code of a world
 * that has failed. The reason is then in scree_graphs_error. Results are set only on success. */
#ifndef SCREE_GRAPH_H
#define SCREE_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/distribution.h>
#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the graph layer of a world ------------------------------------------------------------ */

/* The message types of the graph layer in one world, and the text of the last error. Types cannot be taken back, so
 * a program opens one per world and keeps it. Any number of graphs live on it at once. */
typedef struct scree_graphs scree_graphs;

/* Registers the types. Collective, idle world. On failure the reason is in scree_error_text of the world. */
scree_status scree_graphs_open(scree_world *world, scree_graphs **graphs);
/* Frees it; its graphs must have been freed. Local; the world stays open. NULL is ignored. */
void scree_graphs_close(scree_graphs *graphs);
/* The worker that it uses: worker 0 of the world. Local. */
scree_worker *scree_graphs_worker(const scree_graphs *graphs);
/* Text of the last call that failed: file, line, what was found, what was expected, as far as they apply; the same
 * on all ranks, unless the world failed: then each rank has what it knows. "" if none failed. Lives until the next
 * call. Local. */
const char *scree_graphs_error(const scree_graphs *graphs);
/* An epoch without messages, for its reduction (scree_end). Collective. */
scree_status scree_graphs_reduce(scree_graphs *graphs, scree_reduce *inout);
/* Makes all ranks agree on the worst status that any brings, and on its text (`why`, printf-like, read where status
 * is not SCREE_OK; of several the lowest rank's). Collective. Returns that status on all ranks. */
scree_status scree_graphs_agree(scree_graphs *graphs, scree_status status, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- graphs ------------------------------------------------------------ */

typedef enum { SCREE_WEIGHT_NONE, SCREE_WEIGHT_UINT32, SCREE_WEIGHT_FLOAT, SCREE_WEIGHT_DOUBLE } scree_weight_kind;

/* One rank's part. Read only; built by a builder or scree_graph_load. An undirected graph stores each edge as two
 * arcs, a self loop as one. Parallel edges and self loops are kept. */
typedef struct scree_graph {
  scree_graphs *graphs;
  scree_distribution vertices; /* .n is the number of vertices of the whole graph */
  uint64_t edges;              /* whole graph: edges as they were given; what TEPS count */
  uint64_t arcs;               /* whole graph: stored arcs; equal to edges if directed */
  uint64_t locals;             /* this rank: vertices */
  const uint64_t *offsets;     /* this rank: arcs of local u are offsets[u] .. offsets[u + 1] - 1 */
  const void *targets;         /* this rank: heads of the arcs, packed; by scree_graph_target */
  const void *weights;         /* this rank: array of `weight`, NULL if NONE; by scree_arc_weight */
  scree_weight_kind weight;
  bool directed;
  bool wide;           /* `targets` are uint64_t, not uint32_t: the graph is too large for the shorter ones */
  uint32_t local_bits; /* a packed place is owner << local_bits | local index; scree_graph_pack */
  double weight_max;   /* whole graph: largest weight, 1 without weights */
  uint64_t label_base; /* private: labels, see scree_graph_label */
  const uint64_t *labels;
  struct scree__prepared *prepared; /* private: what algorithms made of the graph and keep with it */
} scree_graph;

/* This rank. */
static inline uint32_t scree_graph_rank(const scree_graph *g) {
  return scree_rank(scree_graphs_worker(g->graphs));
}
/* A place in few bits, and back. Packed places of all vertices are below scree_graph_slots: indices of tables by
 * vertex, with at most as many holes as vertices beside those of one rank. */
static inline uint64_t scree_graph_pack(const scree_graph *g, scree_place p) {
  return (uint64_t)scree_place_owner(p) << g->local_bits | scree_place_local(p);
}
static inline scree_place scree_graph_unpack(const scree_graph *g, uint64_t packed) {
  return scree_place_make((uint32_t)(packed >> g->local_bits), packed & ((UINT64_C(1) << g->local_bits) - 1));
}
static inline uint64_t scree_graph_slots(const scree_graph *g) {
  return (uint64_t)g->vertices.ranks << g->local_bits;
}
/* Packed place of the head of arc e of this rank, and the place itself. */
static inline uint64_t scree_graph_head(const scree_graph *g, uint64_t e) {
  return g->wide ? ((const uint64_t *)g->targets)[e] : ((const uint32_t *)g->targets)[e];
}
static inline scree_place scree_graph_target(const scree_graph *g, uint64_t e) {
  return scree_graph_unpack(g, scree_graph_head(g, e));
}
/* Weight of arc e of this rank: exact for every kind, 1 without weights. */
static inline double scree_arc_weight(const scree_graph *g, uint64_t e) {
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
/* Place of a vertex, and the vertex at a place. */
static inline scree_place scree_graph_place(const scree_graph *g, uint64_t v) {
  return scree_distribution_place(&g->vertices, v);
}
static inline uint64_t scree_graph_vertex(const scree_graph *g, scree_place p) {
  return scree_distribution_global(&g->vertices, scree_place_owner(p), scree_place_local(p));
}
/* Label of any vertex, v < n, on any rank. Labels with gaps are a sorted table of 8 bytes a vertex on every rank;
 * labels without gaps take no memory. Local. */
static inline uint64_t scree_graph_label(const scree_graph *g, uint64_t v) {
  return g->labels ? g->labels[v] : g->label_base + v;
}
/* The vertex with that label, or SCREE_NO_VERTEX. Local. */
uint64_t scree_graph_find(const scree_graph *g, uint64_t label);

/* Frees this rank's part. Local. NULL is ignored. */
void scree_graph_free(scree_graph *g);

/* Vertex drawn by `seed` among those with an arc that leaves them; the same for every number of ranks and every
 * distribution. Collective. SCREE_EINVAL if there is none. */
scree_status scree_graph_random_source(const scree_graph *g, uint64_t seed, uint64_t *v);

/* What an answer reached, over all ranks: vertices, and edges as given (an undirected edge is one) with their tail,
 * or either end, among them: the Graph500 specification's count for TEPS. Of `dist` (reached: finite) and `level`
 * (reached: not negative) exactly one is given, an array over local vertices. Collective. */
scree_status scree_graph_traversed(const scree_graph *g, const double *dist, const int64_t *level, uint64_t *vertices,
                                   uint64_t *edges);

/* ---- builders ------------------------------------------------------------ */

typedef struct scree_graph_builder scree_graph_builder;
typedef struct scree_graph_shape {
  uint64_t n; /* vertices, 1 .. SCREE_VERTICES_MAX */
  scree_distribution_kind distribution;
  scree_weight_kind weight;
  bool directed;
  bool wide; /* 8 bytes for an arc's head even if 4 would do: for tests and comparisons */
} scree_graph_shape;

/* Starts a graph: opens this worker's epoch, which scree_graph_builder_finish ends. One builder at a time.
 * Collective. */
scree_status scree_graph_builder_begin(scree_graphs *graphs, const scree_graph_shape *shape,
                                       scree_graph_builder **builder);
/* Adds an edge, u and v < n, from any rank, whoever owns them: an undirected one is added once. Local; runs handlers.
 * A vertex out of range or a weight that is negative, not finite or no uint32 (where that is the kind) makes finish
 * fail with a text that names it. */
void scree_graph_builder_add(scree_graph_builder *builder, uint64_t u, uint64_t v, double weight);
/* Ends the epoch, builds the rows, frees the builder, on failure too. Labels are 0 .. n-1. Collective. */
scree_status scree_graph_builder_finish(scree_graph_builder *builder, scree_graph **graph);

/* ---- files and generators ------------------------------------------------------------ */

typedef enum { SCREE_FORMAT_AUTO, SCREE_FORMAT_DIMACS, SCREE_FORMAT_EDGES } scree_graph_format;
typedef enum { SCREE_DIRECTION_UNSET, SCREE_DIRECTED, SCREE_UNDIRECTED } scree_graph_direction;
typedef enum {
  SCREE_WEIGHTS_GIVEN,        /* those of the file, if it has any; uniform floats in [0, 1) for kron: */
  SCREE_WEIGHTS_DROP,         /* none are kept: what BFS needs */
  SCREE_WEIGHTS_UNIT,         /* all 1 */
  SCREE_WEIGHTS_RANDOM_INT,   /* uniform integers of lo .. hi */
  SCREE_WEIGHTS_RANDOM_FLOAT, /* uniform floats in [0, 1) */
} scree_weights_from;

/* How to read or make a graph. All zero is the default:  scree_graph_options o = {0}; */
typedef struct scree_graph_options {
  scree_graph_format format;            /* AUTO: .gr and .gr.gz, or a "p sp" line, is DIMACS; else an edge list */
  scree_graph_direction direction;      /* needed for edge lists; must not contradict a format that says it */
  scree_distribution_kind distribution; /* BLOCK */
  scree_weights_from weights;
  uint32_t lo, hi;     /* of RANDOM_INT */
  uint64_t seed;       /* of random weights: a pure function of it and the edge's ends */
  uint32_t columns[3]; /* of an edge list, from 1: source, target, weight or 0; all 0: 1,2 */
} scree_graph_options;

/* Sets an option from its text on the command line. `name` and `text`: format auto|dimacs|edges; directed and
 * undirected ("" or NULL); distribution block|cyclic|hash; columns S,D[,W]; random-weights LO..HI|float[,SEED];
 * unit-weights ("" or NULL). Returns 0; 1 if no such option is known; or -1 with a line in why[size] that names the
 * option, the value, what is legal. Local. */
int scree_graph_options_set(scree_graph_options *options, const char *name, const char *text, char *why, size_t size);

/* Loads a graph. `spec` is a file or "kron:SCALE[,EDGEFACTOR[,SEED]]" (2^SCALE vertices, EDGEFACTOR of 16 edges a
 * vertex, SEED 1; a file of that name is "./kron:..."). Files: DIMACS shortest-path (.gr: directed, labels 1 .. n, as
 * its header says) and edge lists (two or more columns of ids below 2^63; comments with # % ~ or a lone c; the
 * vertices are those that occur); each may be gzip, found by content, which one rank then reads; the others are read
 * by all ranks in parts, so every rank must see the file. `options` may be NULL. Collective. One line on rank 0's
 * standard error says so if columns of an edge list are left unread that nobody decided on.
 * An edge list needs the memory of its edges beside the graph, and labels with gaps see scree_graph_label. */
scree_status scree_graph_load(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                              scree_graph **graph);

/* ---- validators ------------------------------------------------------------ */

/* The rules of the Graph500 specification (version 2.0, "Validation"), for BFS and, with distances in place of levels,
 * for SSSP:
 *   1 the parents form a tree, rooted at the source, without a cycle. SSSP: along arcs u -> v with dist[v] ==
 *     dist[u] + w the source reaches each vertex that has a distance (so zero-weight cycles hold up nobody)
 *   2 the levels of a vertex and its parent differ by one, the source's is 0. SSSP: the source's distance is 0, none
 *     is negative or NaN
 *   3 no arc u -> v has level[v] > level[u] + 1 (undirected: both arcs say it). SSSP: dist[v] > dist[u] + w
 *   4 the tree spans the component: no arc leads from a reached vertex to one that is not; parent and level agree
 *   5 an arc joins a vertex's parent to it. SSSP: some arc u -> v has dist[v] == dist[u] + w
 * Sums are compared exactly, as doubles: rounding is monotone, so every right answer holds them. */
typedef struct scree_verdict {
  bool valid;
  int rule;       /* that failed, 1 .. 5; 0 if valid */
  uint64_t label; /* of the vertex where */
  char text[256]; /* rule, vertex, found, expected */
} scree_verdict;

/* Checks an answer. Arrays over local vertices: level -1 and dist INFINITY for the unreached, parent a vertex, the
 * source's own itself, SCREE_NO_VERTEX for the unreached. Collective; the verdict is the same on all ranks.
 * SCREE_OK means that it was reached, not that it is good. */
scree_status scree_validate_bfs(const scree_graph *g, uint64_t source, const int64_t *level, const uint64_t *parent,
                                scree_verdict *verdict);
scree_status scree_validate_sssp(const scree_graph *g, uint64_t source, const double *dist, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
