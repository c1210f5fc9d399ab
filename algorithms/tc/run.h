/* run.h - what the variants of triangle counting share: the rows of each vertex's later neighbours, in an array of the
 * node, and the search for what two rows have in common.
 *
 * A triangle is found once, where its third vertex is in the rows of the first and of the second one (the forward
 * algorithm: Schank & Wagner, WEA 2005): by one of these two, if rows of both are on its node, else by the first one,
 * which asks the owner of the second one. Vertices are ordered by keys. If degrees differ much, the upper bits of a key
 * are a class of degrees, two to an octave, so that the rows of hubs are short; else a key is the vertex's packed
 * location. */
#ifndef SCREE__TC_RUN_H
#define SCREE__TC_RUN_H
#include "graph/structure.h"
#include "kernel/kernel.h"

/* A neighbour of a local vertex whose row is on another node: position `at` in the row of u. */
typedef struct scree__tc_far {
  uint64_t location;
  uint32_t u, at;
} scree__tc_far;

enum {
  SCREE__TC_CLASS_BITS = 6,
  SCREE__TC_FILTER = 15, /* bits of a hash: 4 KiB */
};

/* What a worker has. */
typedef struct scree__tc_part {
  __attribute__((aligned(64))) uint64_t first, count; /* its share of the local vertices */
  uint64_t next;                                      /* of them to be examined */
  uint64_t *keys;                                     /* two for each arc of a row of the graph */
  uint32_t *slots;  /* a hash table of the row that is examined: positions in it, from 1 on; 0: free */
  uint64_t *filter; /* bits by the hash of a key: of those that are in the table; zeros between rows */
  uint32_t *found;  /* by position in it: triangles; zeros between rows */
  bool repeats;     /* there are parallel edges */
  scree__tc_far *far;
  uint64_t fars;
  scree_reduce more; /* sum: workers that have not examined all of their rows */
  scree_status status;
} scree__tc_part;

/* What a variant does with a neighbour whose row it does not read in place. In an epoch. */
typedef struct scree__tc_how {
  bool node; /* rows of all ranks of the node are read in place, not only the rank's own */
  void (*far)(scree__run *run, uint64_t u, uint32_t at, uint64_t location);
  void (*ask)(scree__run *run); /* at the end of a worker's round; NULL: there is one round */
} scree__tc_how;

typedef struct scree__tc {
  scree__run *runs; /* of each worker */
  const scree__tc_how *how;
  const scree_node_array *classes, *rows;
  bool classed;                       /* keys have classes */
  unsigned char *class_of;            /* by packed location; NULL: keys have none, or not yet */
  bool wide;                          /* keys have 8 bytes, not 4 */
  unsigned shift;                     /* of the class in a key */
  uint64_t offset_bytes, bytes;       /* of each rank in `rows`: its offsets, which are followed by its keys; both */
  uint64_t keys;                      /* of this rank */
  uint64_t longest, longest_of_graph; /* keys of a row, arcs of a row of the graph: at most, on this rank */
  uint64_t share;                     /* vertices of a worker, of the last one of a rank perhaps less */
  uint64_t fars;                      /* a worker's round ends when it has as many; UINT64_MAX: never */
  uint32_t workers;
  scree__tc_part parts[];
} scree__tc;

static inline scree__tc_part *scree__tc_part_of(const scree__run *run) {
  return &((scree__tc *)run->own)->parts[run->worker->index];
}

/* The keys of a row ascend; the last ones may be those of no vertex, in place of parallel edges. */
typedef struct scree__tc_row {
  const void *keys;
  uint64_t begin, end; /* in `keys` */
} scree__tc_row;

static inline uint64_t scree__tc_location(const scree__tc *t, uint64_t key) {
  return key & ((UINT64_C(1) << t->shift) - 1);
}
static inline uint64_t scree__tc_key_of(const scree__tc *t, uint64_t location) {
  return t->class_of ? (uint64_t)t->class_of[location] << t->shift | location : location;
}
static inline uint64_t scree__tc_own_location(const scree_graph *g, uint64_t u) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | u;
}
/* The rows of a rank on this node, and that of a vertex. */
typedef struct scree__tc_rows {
  const uint64_t *offsets;
  const void *keys;
} scree__tc_rows;
static inline scree__tc_rows scree__tc_rows_of(const scree__tc *t, uint64_t rank) {
  const char *at = t->rows->at + t->rows->index_of[rank] * t->bytes;
  return (scree__tc_rows){(const void *)at, at + t->offset_bytes};
}
static inline scree__tc_row scree__tc_row_of(const scree__tc *t, uint64_t location) {
  const unsigned bits = t->runs->graph->local_bits;
  const scree__tc_rows rows = scree__tc_rows_of(t, location >> bits);
  const uint64_t *offset = rows.offsets + (location & ((UINT64_C(1) << bits) - 1));
  return (scree__tc_row){rows.keys, offset[0], offset[1]};
}
/* Where it begins. */
static inline const uint64_t *scree__tc_offset_of(const scree__tc *t, uint64_t location) {
  const unsigned bits = t->runs->graph->local_bits;
  return scree__tc_rows_of(t, location >> bits).offsets + (location & ((UINT64_C(1) << bits) - 1));
}

/* Whether a key is that of a vertex. */
static inline bool scree__tc_is_vertex(const scree__tc *t, uint64_t key) {
  return key != (t->wide ? UINT64_MAX : UINT32_MAX);
}

/* The first position from `from` on whose key is at least `key`: fast if it is near. */
uint64_t scree__tc_search(scree__tc_row row, bool wide, uint64_t from, uint64_t key);

/* The keys of the neighbours of u, without itself: in part->keys, on the first half or on the second. If they are
 * `sorted` they ascend, and each is there once. */
uint64_t *scree__tc_neighbours(const scree__run *run, uint64_t u, bool sorted, uint64_t *count);
/* Makes the rows of a worker's vertices, and sets the number of distinct neighbours (as integers) in result[1]. */
void scree__tc_make_rows(scree__run *run);
/* Sets sizes, and opens the array of rows. Collective; returns what all ranks have agreed on. */
scree_status scree__tc_open_rows(scree__run *run, scree__tc *t);
/* Counts the triangles of a worker's vertex u by keys from another row, of which those in its own row from position
 * `from` on are third vertices. Returns how many. In an epoch. */
uint64_t scree__tc_common(scree__run *run, uint64_t u, uint64_t from, const uint64_t *keys, uint32_t count);
/* Examines some of a worker's vertices: finds their triangles by rows on this node, and hands over the far ones. */
void scree__tc_examine(scree__run *run);

/* Adds triangles to the count of a vertex, by a message if another worker has it. In an epoch. */
void scree__tc_add(scree__run *run, uint64_t location, uint64_t triangles);
void scree__tc_take_counts(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* To a worker, of the classes of another node's vertices. */
void scree__tc_take_classes(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* The worker that has a vertex. */
static inline uint32_t scree__tc_worker(const scree__tc *t, uint32_t rank, uint64_t local) {
  return t->workers == 1 ? rank : rank * t->workers + (uint32_t)(local / t->share);
}

typedef struct {
  uint32_t target, triangles; /* local index on the receiver */
} scree__tc_count_item;
enum { SCREE__TC_CLASSES = 55 };
typedef struct {
  uint64_t at; /* packed location of the first vertex */
  unsigned char count, class_of[SCREE__TC_CLASSES];
} scree__tc_classes_item;
/* The first messages of each variant. */
#define SCREE__TC_MESSAGES                                                                                             \
  {"tc.count", sizeof(scree__tc_count_item), scree__tc_take_counts, NULL}, {                                           \
    "tc.classes", sizeof(scree__tc_classes_item), scree__tc_take_classes, NULL                                         \
  }
enum { SCREE__TC_COUNT, SCREE__TC_CLASS, SCREE__TC_OWN };

scree_status scree__tc_setup(scree__run *run, const scree__tc_how *how);
scree_status scree__tc_solve(scree__run *run);
/* Rows of other nodes that a worker has asked for when its round ends, by the keys of the rank. */
static inline uint64_t scree__tc_fars(uint64_t keys) {
  const uint64_t few = 256;
  return keys / 8 > few ? keys / 8 : few;
}
/* The share of pairs of neighbours that are neighbours too. */
static inline double scree__tc_clustering(uint64_t triangles, uint64_t degree) {
  return degree < 2 ? 0 : (double)triangles / ((double)degree * (double)(degree - 1) / 2);
}

extern const scree__variant scree__tc_pull, scree__tc_push;

/* Whether the counts are those of triangles. Collective; the verdict is the same on all ranks. */
scree_status scree__tc_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                scree_verdict *verdict);

#endif
