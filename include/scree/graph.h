/* graph.h - distributed graphs: load or generate, traverse, validate.
 *
 * A graph is compressed sparse rows over a distribution (distribution.h). Ranks exchange only scree messages, so the
 * graph layer runs on every world, including simulated ones. C11 and C++.
 *
 * Terms. Vertex: a global id 0 .. n-1. Label: the id of the vertex in the file; vertices are numbered in ascending
 * order of their labels. Local index: 0 .. locals-1 on the owner. Arc: a stored, directed entry.
 *
 * A collective call is made outside every epoch, by the owner's thread, on all ranks of the world, and returns the
 * same status on all of them: SCREE_OK, SCREE_EINVAL (the input), SCREE_ENOMEM, SCREE_ESTATE, or the code of a world
 * that has failed. On failure scree_graphs_error has the reason. Results are set only on success. */
#ifndef SCREE_GRAPH_H
#define SCREE_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scree/algorithm.h>
#include <scree/distribution.h>
#include <scree/scree.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the graph layer of a world ------------------------------------------------------------ */

/* The message types of the graph layer in one world, and the text of the last error. Types cannot be
 * unregistered, so a program opens one graph layer per world and keeps it. It supports any number of graphs. */
typedef struct scree_graphs scree_graphs;

/* Registers the types. Collective, idle world. On failure scree_error_text of the world has the reason. */
scree_status scree_graphs_open(scree_world *world, scree_graphs **graphs);
/* Frees it; its graphs must have been freed. Local; the world stays open. NULL is ignored. */
void scree_graphs_close(scree_graphs *graphs);
/* While a graph is loaded or generated, fn is called on each rank with the progress of that rank's part: bytes read, or
 * edges generated; total is 0 if unknown (a compressed file). It is called about every MiB or 256 edges, must be fast
 * and may not call scree. NULL: no callback. Local; outside of epochs. */
typedef void scree_load_fn(uint64_t done, uint64_t total, void *arg);
void scree_graphs_on_load(scree_graphs *graphs, scree_load_fn *fn, void *arg);
/* The worker of the graph layer: worker 0 of the world. Local. */
scree_worker *scree_graphs_worker(const scree_graphs *graphs);
/* Text of the last call that failed: file, line, what was found, what was expected, as far as they apply. It is the
 * same on all ranks, unless the world failed: then each rank reports what it knows. "" if none failed. Valid until the
 * next call. Local. */
const char *scree_graphs_error(const scree_graphs *graphs);
/* Allocates zeroed memory for an array by vertex or by arc, on huge pages if the option huge_pages of the world is on;
 * freed with scree_huge_free (memory.h). NULL: out of memory. Local. */
void *scree_graphs_alloc(const scree_graphs *graphs, size_t bytes);
/* An epoch without messages, for its reduction (scree_end). Collective. */
scree_status scree_graphs_reduce(scree_graphs *graphs, scree_reduce *inout);
/* All ranks agree on the highest status that any of them passes, and on its text (`why`, printf-like, read where status
 * is not SCREE_OK; the lowest such rank's). Collective. Returns that status on all ranks. */
scree_status scree_graphs_agree(scree_graphs *graphs, scree_status status, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* An exchange: an epoch of records of any size, for those who need no message type of their own. Between begin and end
 * each rank sends what it has, also to itself; `take` is called with each record that arrives, as a handler, and may not
 * send. One exchange at a time. Begin and end are collective; send is local and runs handlers. */
typedef void scree_exchange_fn(const void *data, size_t bytes, void *arg);
scree_status scree_graphs_exchange_begin(scree_graphs *graphs, scree_exchange_fn *take, void *arg);
void scree_graphs_exchange_send(scree_graphs *graphs, uint32_t rank, const void *data, size_t bytes);
scree_status scree_graphs_exchange_end(scree_graphs *graphs);

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
  const void *weights;         /* this rank: array of `weight`, NULL if NONE; read by scree_arc_weight */
  scree_weight_kind weight;
  bool directed;
  bool wide;           /* `targets` are uint64_t, not uint32_t, because the graph is too large for these */
  uint32_t local_bits; /* a packed location is owner << local_bits | local index; scree_graph_pack */
  double weight_max;   /* whole graph: largest weight, 1 without weights */
  uint64_t label_base; /* private: labels, see scree_graph_label */
  const uint64_t *labels;
  const uint64_t *by_label; /* private: vertices in ascending order of their labels; NULL: the identity */
  void *mapping;            /* private: the mapped file that holds offsets, targets and weights, or NULL */
  size_t mapping_bytes;
  struct scree__attachments *attachments; /* private: see scree_graph_attach */
} scree_graph;

/* This rank. */
static inline uint32_t scree_graph_rank(const scree_graph *g) {
  return scree_rank(scree_graphs_worker(g->graphs));
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
static inline uint64_t scree_graph_head(const scree_graph *g, uint64_t e) {
  return g->wide ? ((const uint64_t *)g->targets)[e] : ((const uint32_t *)g->targets)[e];
}
static inline scree_location scree_graph_target(const scree_graph *g, uint64_t e) {
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
/* Location of a vertex, and the vertex at a location. */
static inline scree_location scree_graph_location(const scree_graph *g, uint64_t v) {
  return scree_distribution_location(&g->vertices, v);
}
static inline uint64_t scree_graph_vertex(const scree_graph *g, scree_location p) {
  return scree_distribution_global(&g->vertices, scree_location_owner(p), scree_location_local(p));
}
/* Label of any vertex, v < n, on any rank. Labels with gaps are a sorted table of 8 bytes per vertex on every rank;
 * labels without gaps take no memory. Local. */
static inline uint64_t scree_graph_label(const scree_graph *g, uint64_t v) {
  return g->labels ? g->labels[v] : g->label_base + v;
}
/* The vertex with the i-th label, i < n, in ascending order from 0: i itself except after
 * scree_graph_relabel_by_degree. Local. */
static inline uint64_t scree_graph_nth(const scree_graph *g, uint64_t i) {
  return g->by_label ? g->by_label[i] : i;
}
/* The vertex with that label, or SCREE_NO_VERTEX. Local. */
uint64_t scree_graph_find(const scree_graph *g, uint64_t label);

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
 * numbers are the same on any number of ranks. Labels stay with their vertices. The hubs become 0, 1, 2, ...; use
 * SCREE_DISTRIBUTION_CYCLIC or SCREE_DISTRIBUTION_HASH, because SCREE_DISTRIBUTION_BLOCK assigns them all to rank 0.
 * Labels then take 16 bytes per vertex on every rank (temporarily 40). `g` is unchanged and no longer needed.
 * Collective. */
scree_status scree_graph_relabel_by_degree(const scree_graph *g, scree_graph **graph);

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

/* ---- builders ------------------------------------------------------------ */

typedef struct scree_graph_builder scree_graph_builder;
typedef struct scree_graph_shape {
  uint64_t n; /* vertices, 1 .. SCREE_VERTICES_MAX */
  scree_distribution_kind distribution;
  scree_weight_kind weight;
  bool directed;
  bool wide; /* 8 bytes for an arc's head even if 4 are enough: for tests and comparisons */
} scree_graph_shape;

/* An edge to be added. */
typedef struct scree_edge {
  uint64_t u, v; /* < n */
  double weight; /* not read if the graph keeps none */
} scree_edge;

/* Bytes per rank of a graph with this shape, and the peak during its construction, including the graph, for the given
 * numbers of edges and ranks and an even distribution; otherwise multiply by scree_graph_balance. Labels
 * (scree_graph_label), the world's blocks and the memory of a reader are not included. Local.
 *
 * A graph takes 8 bytes per vertex, and per arc 4 (8 if wide) and the weight. Until a builder finishes, a rank holds
 * its arcs in 8 bytes each, 12 with weights of 4 bytes; 24 with doubles, in wide graphs, and while a file that may have
 * decimals is read. At the end the rows are additional. A graph that does not fit is refused with SCREE_ENOMEM before
 * the node begins to swap: the needs of the node's ranks are compared with the available memory of /proc/meminfo and
 * with the remaining memory of the control group. A generated graph, or a file that states its number of edges, is
 * refused at the start, a list when it has been read, others while their arcs arrive, every 32 MiB. The world remains
 * usable. */
typedef struct scree_graph_bytes {
  uint64_t graph, peak;
} scree_graph_bytes;
scree_graph_bytes scree_graph_plan(const scree_graph_shape *shape, uint64_t edges, uint32_t ranks);

/* Starts a graph: opens an epoch of this worker, which scree_graph_builder_finish ends. One builder at a time.
 * Collective. */
scree_status scree_graph_builder_begin(scree_graphs *graphs, const scree_graph_shape *shape,
                                       scree_graph_builder **builder);
/* Adds an edge, u and v < n, from any rank, whichever rank owns them; an undirected edge is added once. Local; runs
 * handlers. A vertex out of range or a weight that is negative, not finite or not a uint32 (where that is the kind)
 * makes finish fail with a text that names it. */
void scree_graph_builder_add(scree_graph_builder *builder, uint64_t u, uint64_t v, double weight);
/* The same for many edges, faster. */
void scree_graph_builder_add_many(scree_graph_builder *builder, uint64_t count, const scree_edge *edges);
/* Ends the epoch, builds the rows (heads in no order), and frees the builder, also on failure. Labels are 0 .. n-1.
 * Collective. */
scree_status scree_graph_builder_finish(scree_graph_builder *builder, scree_graph **graph);

/* ---- files and generators ------------------------------------------------------------ */

typedef enum {
  SCREE_FORMAT_AUTO,   /* by name and content, as below; otherwise an edge list */
  SCREE_FORMAT_DIMACS, /* .gr, or a line "p sp ..." */
  SCREE_FORMAT_EDGES,
  SCREE_FORMAT_MATRIX_MARKET, /* "%%MatrixMarket ..." */
  SCREE_FORMAT_ADJACENCY,     /* .adj; never by content */
  SCREE_FORMAT_TUPLES,        /* never by content */
  SCREE_FORMAT_IMAGE,         /* by its first bytes */
} scree_graph_format;
/* The ids of an edge list or adjacency list that are vertices. */
typedef enum {
  SCREE_BASE_SEEN, /* those that occur */
  SCREE_BASE_0,    /* 0 up to the largest that occurs; an id below the base is an error */
  SCREE_BASE_1,    /* the same, from 1 */
} scree_graph_base;
typedef enum { SCREE_DIRECTION_UNSET, SCREE_DIRECTED, SCREE_UNDIRECTED } scree_graph_direction;
typedef enum {
  SCREE_WEIGHTS_GIVEN,        /* those of the file, if any; uniform floats in [0, 1) for a generator */
  SCREE_WEIGHTS_DROP,         /* no weights, as BFS needs none */
  SCREE_WEIGHTS_UNIT,         /* all 1 */
  SCREE_WEIGHTS_RANDOM_INT,   /* uniform integers in lo .. hi */
  SCREE_WEIGHTS_RANDOM_FLOAT, /* uniform floats in [0, 1) */
} scree_weights_from;
typedef enum { SCREE_RELABEL_NONE, SCREE_RELABEL_DEGREE } scree_relabel; /* DEGREE: scree_graph_relabel_by_degree */

/* How to read or generate a graph. All zero is the default:  scree_graph_options o = {0}; */
typedef struct scree_graph_options {
  scree_graph_format format;
  scree_graph_direction direction;      /* required for edge and adjacency lists; must not contradict the file */
  scree_graph_base base;                /* SEEN */
  const char *vertices;                 /* a file of additional vertices for an edge or adjacency list: one id per
                                      line, further columns are ignored; NULL: none. Not with base. Not copied */
  scree_distribution_kind distribution; /* BLOCK */
  scree_relabel relabel;                /* NONE: vertices in ascending order of their labels */
  scree_weights_from weights;
  uint32_t lo, hi;          /* of RANDOM_INT */
  uint64_t seed;            /* of random weights, a pure function of the seed and the ends of the edge */
  uint32_t columns[3];      /* of an edge list, from 1: source, target, weight or 0; all 0: 1,2. 1,2,3 with an
                               adjacency list: each neighbour is followed by a weight */
  const char *weights_file; /* of tuples: 4-byte floats in the order of the edges; NULL: none. Not copied */
  uint32_t scale;           /* of tuples: 2^scale vertices, 1 .. 40; 0: up to the largest id that occurs */
} scree_graph_options;

/* Sets an option from its text on the command line. `name` and `text`: format
 * auto|dimacs|edges|matrix-market|adjacency|tuples|image; weights-file FILE; scale S; base 0|1; vertices FILE; directed
 * and undirected ("" or NULL); distribution block|cyclic|hash; relabel none|degree; columns S,D[,W]; random-weights
 * LO..HI|float[,SEED]; unit-weights and no-weights ("" or NULL). Returns 0; 1 if no such option is known; or -1 with a
 * line in why[size] that names the option, the value and the legal values. Local. */
int scree_graph_options_set(scree_graph_options *options, const char *name, const char *text, char *why, size_t size);

/* Loads a graph. `spec` is a file or "kron:SCALE[,EDGEFACTOR[,SEED]]" (2^SCALE vertices, EDGEFACTOR (16) edges per
 * vertex, SEED 1; a file of that name is "./kron:...") or another generator (scree_generator_at). Files:
 *   DIMACS shortest-path (.gr): directed, labels 1 .. n from its header.
 *   Matrix Market coordinate: pattern, integer or real; labels 1 .. n. An entry is an arc from row to column, or, of a
 *     symmetric matrix or with UNDIRECTED, an edge; a symmetric one lists each edge once, on or below the diagonal.
 *   Edge lists: two or more columns of ids below 2^63; comments with # % ~ or a lone c. Lines of headings or of a
 *     single count are refused with a hint; a first line that may be a count is reported on standard error. Vertices:
 *     `base`.
 *   Adjacency lists (.adj): a vertex and its neighbours per line; ids, comments and vertices as above. UNDIRECTED: each
 *     edge at both of its ends (a self loop once), or every edge at its smaller, or at its larger id; otherwise
 *     refused.
 *   Edge tuples of the Graph500 reference: 12 bytes per edge, undirected, float weights in `weights_file`; vertices: 0
 *     up to the largest id, or `scale`.
 *   Images, written by scree_graph_write: mapped if the number of ranks and the distribution are those of the writer.
 * Counts in a header must match. Text files may be compressed with gzip or zstd, which is recognised by content; one
 * rank then reads the file. All ranks read other files in parts, so every rank must be able to read the file.
 * `options` may be NULL. Collective. Rank 0 prints a line to standard error if columns of an edge list were not read
 * and no option decided that. An edge or adjacency list needs additional 16 bytes per edge (24 with weights), and
 * labels with gaps the memory described at scree_graph_label. */
scree_status scree_graph_load(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                              scree_graph **graph);

/* What is known of a graph before it is loaded: for scree_graph_plan. */
typedef enum {
  SCREE_ESTIMATE_EXACT,       /* a generator's numbers or a header say it */
  SCREE_ESTIMATE_UPPER_BOUND, /* it has no more than that, by the size of the file */
  SCREE_ESTIMATE_GUESS        /* by the size of a compressed file */
} scree_estimate_kind;
typedef struct scree_size_estimate {
  scree_graph_shape shape; /* of whole weights in text kept as doubles while they are read */
  uint64_t edges;
  bool labels; /* there may be gaps in the labels: 8 bytes a vertex more on every rank */
  scree_estimate_kind kind;
} scree_size_estimate;
/* Examines a spec or the first lines of a file. Arguments and errors as of scree_graph_load. Collective. */
scree_status scree_graph_estimate(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                                  scree_size_estimate *estimate);

/* How to write a graph. All zero is the default. */
typedef struct scree_write_options {
  scree_graph_format format; /* AUTO: by the suffix of the name: .gr .txt .mtx .adj .tuples .scree */
  const char *weights_file;  /* of tuples: the file for the weights, as 4-byte floats */
} scree_write_options;

/* Writes a graph to a file that every rank can access. Text formats are compressed with gzip if the name ends in .gz;
 * the ranks write them one after the other. All ranks write tuples and images in parallel. Contents:
 *   dimacs: the arcs, vertex v (not its label) as v + 1; weights are required. It is read as directed.
 *   edges: labels; an undirected edge once. Vertices without an edge are lost.
 *   matrix-market: vertex v as v + 1; "general" if directed, otherwise "symmetric".
 *   adjacency: labels; every vertex; an undirected edge at both ends; a weight after each neighbour if there are
 *     weights.
 *   tuples: those of the Graph500 reference, 12 bytes per edge, vertex v as v; undirected graphs only. Weights must be
 *     floats.
 *   image: the rows of each rank as they lie in memory, with labels and weights. On the same number of ranks with the
 *     same distribution, weights kept or dropped, scree_graph_load maps it without reading or copying rows. Otherwise
 *     it
 *     rebuilds the graph, faster than from text. The byte order must be the same.
 * Weights are preserved exactly; floats and doubles are read as doubles from text. Collective; idle world. Errors:
 * SCREE_EINVAL (the graph or the name does not match the format, the file cannot be opened), SCREE_ESTATE (not written
 * completely: disk full). Undefined: overwriting the image file from which a graph in use was loaded. */
scree_status scree_graph_write(const scree_graph *g, const char *path, const scree_write_options *options);

/* ---- distributed results ------------------------------------------------------------ */

/* Reads the values of any vertices: out[i] is the value of vertices[i] in the array `local` of its owner. Each rank
 * passes `local` over its local vertices: a result of an algorithm, or an array of the caller. Ranks may request
 * different numbers of vertices, including none, and a vertex twice; count, vertices and out may differ between ranks.
 * Collective. SCREE_EINVAL: a vertex of n or more; the text names rank and entry. */
scree_status scree_graph_lookup_double(const scree_graph *g, const double *local, uint64_t count,
                                       const uint64_t *vertices, double *out);
scree_status scree_graph_lookup_int64(const scree_graph *g, const int64_t *local, uint64_t count,
                                      const uint64_t *vertices, int64_t *out);
scree_status scree_graph_lookup_uint64(const scree_graph *g, const uint64_t *local, uint64_t count,
                                       const uint64_t *vertices, uint64_t *out);

/* Collects all values by vertex in the array `all` of n entries on rank `to`, or on every rank if `to` is SCREE_ALL;
 * elsewhere `all` is ignored. The same `to` on all ranks. Collective. SCREE_EINVAL: `to`; `all` is NULL where it is
 * needed. */
scree_status scree_graph_gather_double(const scree_graph *g, const double *local, uint32_t to, double *all);
scree_status scree_graph_gather_int64(const scree_graph *g, const int64_t *local, uint32_t to, int64_t *all);
scree_status scree_graph_gather_uint64(const scree_graph *g, const uint64_t *local, uint32_t to, uint64_t *all);

/* ---- validators ------------------------------------------------------------ */

/* The rules of the Graph500 specification (version 2.0, "Validation"), for BFS and, with distances instead of levels,
 * for SSSP:
 *   1 the parents form a tree, rooted at the source, without a cycle. SSSP: along arcs u -> v with dist[v] ==
 *     dist[u] + w the source reaches each vertex that has a distance (zero-weight cycles are therefore no problem)
 *   2 the levels of a vertex and its parent differ by one, the source's is 0. SSSP: the source's distance is 0, none
 *     is negative or NaN
 *   3 no arc u -> v has level[v] > level[u] + 1 (undirected: for both arcs). SSSP: dist[v] > dist[u] + w
 *   4 the tree spans the component: no arc leads from a reached vertex to one that is not; parent and level agree
 *   5 an arc joins a vertex's parent to it. SSSP: some arc u -> v has dist[v] == dist[u] + w
 * Sums are compared exactly, as doubles: rounding is monotone, so every correct result satisfies them. */
typedef struct scree_verdict {
  bool valid;
  int rule;       /* that failed, 1 .. 5; 0 if valid */
  uint64_t label; /* of the vertex where */
  char text[256]; /* rule, vertex, found, expected */
} scree_verdict;

/* For validators: of all ranks' failures the one with the smallest key becomes the verdict on every rank, with its
 * `text`; the caller sets rule and label from *min. A key of UINT64_MAX: this rank has none; *min is that if no rank
 * has one. No two ranks pass the same key. Collective. */
scree_status scree_graphs_agree_verdict(scree_graphs *graphs, uint64_t key, const char *text, uint64_t *min,
                                        scree_verdict *verdict);

/* Validates a result. Arrays over local vertices: level -1 and dist INFINITY for unreached vertices, parent a vertex,
 * the source itself for the source, SCREE_NO_VERTEX for unreached vertices. Collective; the verdict is the same on all
 * ranks. SCREE_OK means that a verdict was reached, not that the result is valid. */
scree_status scree_bfs_validate(const scree_graph *g, uint64_t source, const int64_t *level, const uint64_t *parent,
                                scree_verdict *verdict);
scree_status scree_sssp_validate(const scree_graph *g, uint64_t source, const double *dist, scree_verdict *verdict);

#ifdef __cplusplus
}
#endif
#endif
