/* run.h - betweenness centrality: the state of a batch, whose sources have a lane each.
 *
 * A value by vertex and lane is at first sigma, the number of shortest paths from the source; when the dependencies on
 * the vertex are known it becomes (1 + delta) / sigma, which is what its predecessors add up: delta of v is sigma of v
 * times the sum over its successors. The ranks of a node read each other's values and sets in arrays of the node; only
 * the owner of a vertex writes them. */
#ifndef SCREE__BC_RUN_H
#define SCREE__BC_RUN_H
#include <scree/reduced.h>
#include <stdlib.h>
#include <string.h>

#include "graph/structure.h"
#include "graph/u64_vector.h"
#include "kernel/kernel.h"

enum { SCREE__BC_LANES = 16, SCREE__BC_AHEAD = 12 };
#define SCREE__BC_EXACT     0x1p53 /* larger numbers of paths are rounded */
#define SCREE__BC_ELSEWHERE UINT64_MAX

/* A part of the sum of a vertex and a lane; `value` needs no alignment. */
typedef struct scree__bc_item {
  uint32_t vertex, lane; /* local on the receiver */
  char value[sizeof(double)];
} scree__bc_item;

/* Where the values of a vertex are: a constant in loops. */
typedef enum { SCREE__BC_DENSE, SCREE__BC_ROWS } scree__bc_layout;

/* The vertices from which a run starts, by number; the same on all ranks. */
typedef struct scree__bc_sources {
  const uint64_t *list; /* NULL: drawn by `order` */
  scree_bijection order;
  uint64_t count;
  double scale, error; /* of the sums; see kernel.h */
} scree__bc_sources;
/* Of a graph of n vertices, by the options. */
uint64_t scree__bc_count(uint64_t n, const scree_bc_options *o);
/* Refuses what is out of range. Collective. */
scree_status scree__bc_sources_of(const scree_graph *g, const scree_bc_options *o, scree__bc_sources *sources);
static inline uint64_t scree__bc_source(const scree__bc_sources *s, uint64_t i) {
  return s->list ? s->list[i] : scree_bijection_apply(&s->order, i);
}

/* Of `single`: a vertex by its place, and its depth by its last source, which is larger than those of sources before.
 * `queue` is a list of vertices by position, and not about this one. */
typedef struct scree__bc_entry {
  double value;
  uint32_t depth, queue;
} scree__bc_entry;
typedef struct scree__bc_single {
  uint64_t *offsets; /* by place, in `heads` */
  uint32_t *heads;   /* places */
  double *score;     /* by rank of the node, and place */
  scree__bc_entry *at;
  uint32_t depth; /* the largest so far */
} scree__bc_single;

/* run->own. A set is a mask of lanes by vertex. */
typedef struct scree__bc {
  scree__bc_sources sources;
  /* the node: places of its vertices */
  uint64_t *base;      /* by rank: the place of its first vertex; SCREE__BC_ELSEWHERE: it is on another node */
  uint64_t me, places; /* place of this rank's first vertex; all */
  bool whole;          /* all ranks are on this node */
  bool even;           /* no vertex has many more arcs than others, so that few values are in a cache */
  const scree_node_array *array; /* of the values */
  double *value;                 /* by place and lane */
  uint16_t *now, *next;          /* by place: the lanes of this level, and of that which the epoch makes */
  /* of this rank's vertices */
  uint16_t *seen;          /* lanes whose level is known, up to `now` */
  uint32_t *vertex;        /* of all levels, in their order: vertices, and their lanes */
  uint16_t *mask;          /* as many */
  scree__u64_vector level; /* the first entry of each level in them */
  uint64_t count, found;   /* in the lists, without and with the level that is made */
  double *far;             /* by vertex and lane: what other nodes added to it; NULL if all ranks are on this node */
  struct {
    uint32_t *list; /* vertices with arcs whose level is not known in some lane; a superset */
    uint64_t count; /* UINT64_MAX: not listed */
    uint64_t arcs;  /* arcs that lead to them */
  } open;
  const uint64_t *in_offsets; /* the arcs that lead to each vertex */
  const void *tails;
  scree__bc_single single;
  /* the batch */
  scree__bc_layout layout;
  uint32_t lanes, used; /* values of a vertex; sources of this batch, no more than these */
  bool backward;
  bool lacking;       /* no memory for a level */
  bool combined;      /* messages are, at the sender */
  double largest;     /* sigma so far */
  scree_reduce total; /* of a level: arcs and vertices; arcs to open vertices; the bits of the largest sigma */
} scree__bc;

static inline double *scree__bc_at(const scree__bc *b, scree__bc_layout layout, uint64_t place, uint32_t lane) {
  return &b->value[place * (layout == SCREE__BC_DENSE ? SCREE__BC_LANES : b->lanes) + lane];
}
/* The place of a packed location; SCREE__BC_ELSEWHERE: none. */
static inline uint64_t scree__bc_place(const scree_graph *g, const scree__bc *b, uint64_t location) {
  const uint64_t base = b->base[location >> g->local_bits], local = location & ((UINT64_C(1) << g->local_bits) - 1);
  return base == SCREE__BC_ELSEWHERE ? base : base + local;
}
static inline bool scree__bc_is_mine(const scree__bc *b, const scree_graph *g, uint64_t place) {
  return place - b->me < g->locals;
}

/* The values of the vertex of an arc SCREE__BC_AHEAD later, if it is before `end` and they will be read. */
static inline __attribute__((always_inline)) void scree__bc_prefetch(const scree__bc *b, const scree_graph *g,
                                                                     const void *heads, uint64_t e, uint64_t end,
                                                                     unsigned mask) {
  if (e + SCREE__BC_AHEAD >= end) return;
  const uint64_t place = scree__bc_place(g, b, scree__head_get(heads, g->wide, e + SCREE__BC_AHEAD));
  if ((!b->whole && place == SCREE__BC_ELSEWHERE) || !(b->now[place] & mask)) return;
  __builtin_prefetch(&b->value[place * b->lanes]);
  __builtin_prefetch(&b->value[place * b->lanes + b->lanes / 2]);
}

/* Adds those values of a vertex whose lanes are in `mask`, to sum[SCREE__BC_LANES]. */
extern const double scree__bc_on[256][8];
static inline __attribute__((always_inline)) void scree__bc_add(const scree__bc *b, scree__bc_layout layout,
                                                                double *sum, uint64_t place, unsigned mask) {
  if (layout == SCREE__BC_DENSE && mask & (mask - 1)) {
    const double *row = scree__bc_at(b, layout, place, 0);
    const double *low = scree__bc_on[mask & 255], *high = scree__bc_on[mask >> 8];
    for (int i = 0; i < 8; i++) sum[i] += row[i] * low[i];
    for (int i = 0; i < 8; i++) sum[i + 8] += row[i + 8] * high[i];
    return;
  }
  for (unsigned left = mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    sum[lane] += *scree__bc_at(b, layout, place, lane);
  }
}

/* Makes a call in which `layout` is a constant. */
#define SCREE__BC_WITH_LAYOUT(b, call)                                                                                 \
  switch ((b)->layout) {                                                                                               \
    SCREE__BC_CASE(SCREE__BC_DENSE, call)                                                                              \
    SCREE__BC_CASE(SCREE__BC_ROWS, call)                                                                               \
  }
#define SCREE__BC_CASE(value, call)                                                                                    \
  case value: {                                                                                                        \
    const scree__bc_layout layout = value;                                                                             \
    call;                                                                                                              \
    break;                                                                                                             \
  }

/* Ranks of this node that share arrays. */
uint32_t scree__bc_sharing(const scree_graph *g);
/* Sets the places of ranks that have an array, those of so many: `all` ranks, or the ones that it is shared by, follow
 * each other there, whatever parts of the graph they have. Returns what all ranks have agreed on. */
scree_status scree__bc_place_ranks(scree__run *run, scree__bc *b, uint64_t count, bool all);
/* Refuses numbers of paths that no double holds, and a lack of memory, by b->total. Collective. */
scree_status scree__bc_refuse(scree__run *run, scree__bc *b);
/* Sends one value. */
void scree__bc_send(scree__run *run, uint64_t location, uint32_t lane, double value);

/* The sources from number `first` on are level 0, one in each lane that is used. */
void scree__bc_place_sources(scree__run *run, uint64_t first);
/* Sigma, level by level: *levels is how many have a vertex. */
scree_status scree__bc_forward(scree__run *run, uint64_t *levels);
/* Delta, from the last level to that after the sources; adds it to the answer. */
scree_status scree__bc_backward(scree__run *run, uint64_t levels);
/* A message of the pass forward: adds to sigma. */
void scree__bc_reach(scree__run *run, uint32_t vertex, uint32_t lane, double value);

scree_status scree__bc_setup_single(scree__run *run);
scree_status scree__bc_solve_single(scree__run *run);
void scree__bc_take_scores(scree__run *run, uint32_t sender, const void *items, uint32_t count);
uint64_t scree__bc_single_bytes(const scree_graph *g, uint64_t locals, const void *options);

scree_status scree__bc_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                scree_verdict *verdict);

#endif
