/* relax.h - the inner loops of SSSP that all variants share: relax the arcs of a vertex, take a relaxation, prune. */
#ifndef SCREE__RELAX_H
#define SCREE__RELAX_H
#include <atomic_ops.h>
#include <math.h>
#include <string.h>

#include "kernel/kernel.h"
#include "ordering/ordering.h"

/* What all variants share in a run: run->shared. */
typedef struct {
  double delta;    /* width of a bucket; 0: the variant chooses */
  bool fixed;      /* the user chose it */
  uint32_t *bound; /* by packed location: no less than what the vertex has or was offered; NULL: no pruning */
  bool cached;     /* dc: relaxations pass through the cache of their type */
  bool apply;      /* offers to this rank's vertices are applied at once, also without bounds */
  struct scree__horizon *horizon; /* of a run that uses one (horizon.h) */
  struct scree__shared *shared;   /* the same (shared.h) */
} scree__sssp;

static inline scree__sssp *scree__sssp_of(const scree__run *run) {
  return run->shared;
}
/* The arrays have an entry for each local vertex. INFINITY: not reached; SCREE_NO_VERTEX: none. */
static inline double *scree__distance(const scree__run *run) {
  return run->result[0];
}
static inline uint64_t *scree__parent(const scree__run *run) {
  return run->result[1];
}

/* A distance over `parent`. The sender's rank is known to the handler: the parent is a local index there. */
typedef struct {
  double distance;
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} scree__relax_item;
#define SCREE__RELAX_KEY(item) ((item)->target)
/* The order of doubles from 0 on is that of their bits. */
static inline uint64_t scree__relax_level(const scree__relax_item *item) {
  uint64_t bits;
  memcpy(&bits, &item->distance, sizeof bits);
  return bits;
}
SCREE_MESSAGE_FILTERED(scree__relax, scree__relax_item, SCREE__RELAX_KEY, scree__relax_level);

/* The layout of rows in memory: as the graph has them, heads and weights apart, or sorted by weight, in pairs
 * (ordering.h). */
typedef enum { SCREE__ARRAYS, SCREE__PAIRS } scree__layout;

/* A part of the row of a vertex. */
typedef struct {
  const void *heads, *weights; /* pairs: heads points to them, weights is NULL */
  uint64_t begin, end;
} scree__row;

/* What a variant does with a local vertex whose distance decreased. NULL, a constant: all relaxations are sent as
 * messages. */
typedef void scree__improved(scree__run *run, uint32_t v, double distance);

/* How a variant sends a relaxation over local vertex `parent`. False: it applied it instead. */
typedef bool scree__sender(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent, double distance);

static inline bool scree__send_plain(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent,
                                     double distance) {
  const scree__relax_type type = {run->types[0]};
  scree__relax_send_at_once(run->worker, type, rank, (scree__relax_item){distance, target, parent});
  return true;
}

/* The same, of what the cache of this type does not show to be needless. */
static inline bool scree__send_filtered(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent,
                                        double distance) {
  const scree__relax_type type = {run->types[0]};
  scree__relax_send(run->worker, type, rank, (scree__relax_item){distance, target, parent});
  return true;
}

/* Whether there is a table of bounds, and if so, whether workers share it. */
typedef enum { SCREE__NO_BOUNDS, SCREE__OWN_BOUNDS, SCREE__SHARED_BOUNDS } scree__bounds;

/* A bound is kept as the bits of a float, since workers who share it load and store those. */
static inline double scree__bound_value(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}
/* The bits of the smallest float that is not less than d >= 0: bounds may be too high, never too low. */
static inline uint32_t scree__bound_up(double d) {
  const float f = (float)d;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  bits += (double)f < d; /* of floats from 0 on the bits are in the order of the values; the last is INFINITY */
  return bits;
}

/* Lowers a bound to d. False: it is no higher. Where several workers do so at once, the lower value may be the one that
 * is lost: a bound may be too high, and each value stored is offered by the worker that stores it, in this epoch. So no
 * order is needed. */
static inline __attribute__((always_inline)) bool scree__bound_lower(uint32_t *bound, double d, scree__bounds bounds) {
  const bool shared = bounds == SCREE__SHARED_BOUNDS;
  if (!(d < scree__bound_value(shared ? AO_int_load(bound) : *bound))) return false;
  if (shared)
    AO_int_store(bound, scree__bound_up(d));
  else
    *bound = scree__bound_up(d);
  return true;
}

/* Lowers the distance of local v. */
static inline void scree__relax_set(scree__run *run, uint32_t v, double distance, scree_location parent) {
  if (scree__distance(run)[v] < INFINITY)
    run->work.superseded++;
  else
    run->work.useful++;
  scree__distance(run)[v] = distance;
  scree__parent(run)[v] = scree_graph_vertex(run->graph, parent);
}

/* Takes a relaxation. True: it was better than what the vertex had. */
static inline bool scree__relax_take(scree__run *run, uint32_t sender, const scree__relax_item *item) {
  if (!(item->distance < scree__distance(run)[item->target])) {
    run->work.rejected++;
    return false;
  }
  scree__relax_set(run, item->target, item->distance, scree_location_make(sender, item->parent));
  uint32_t *bound = scree__sssp_of(run)->bound;
  if (bound) {
    uint32_t rank = run->worker->rank;
    bound[(uint64_t)rank << run->graph->local_bits | item->target] = scree__bound_up(item->distance);
  }
  return true;
}

/* Takes a batch; memory is prefetched for the item AHEAD items later. `improved` is a constant. */
static inline __attribute__((always_inline)) void scree__relax_batch(scree__run *run, uint32_t sender,
                                                                     const scree__relax_item *item, uint32_t count,
                                                                     scree__improved *improved) {
  enum { AHEAD = 16 };
  for (uint32_t i = 0; i < count; i++) {
    if (i + AHEAD < count) {
      scree_prefetch_write(&scree__distance(run)[item[i + AHEAD].target]);
      scree_prefetch_write(&scree__parent(run)[item[i + AHEAD].target]);
    }
    if (scree__relax_take(run, sender, &item[i])) improved(run, item[i].target, item[i].distance);
  }
}

/* Relaxes a local vertex at once. True as above. */
static inline bool scree__relax_direct(scree__run *run, uint32_t v, uint32_t u, double distance) {
  run->work.direct++;
  if (!(distance < scree__distance(run)[v])) {
    run->work.rejected++;
    return false;
  }
  scree__relax_set(run, v, distance, scree_location_make(run->worker->rank, u));
  return true;
}

/* True if pairs are scree__short_arc. */
static inline bool scree__is_short(scree_weight_kind kind, bool wide) {
  return !wide && kind != SCREE_WEIGHT_DOUBLE;
}

/* Weight and head of an arc; all but the row and e are constants. */
static inline __attribute__((always_inline)) double scree__row_weight(const scree__row *row, scree__layout layout,
                                                                      scree_weight_kind kind, bool wide, uint64_t e) {
  float f;
  if (kind == SCREE_WEIGHT_NONE) return 1;
  if (layout == SCREE__PAIRS && !scree__is_short(kind, wide)) return ((const scree__long_arc *)row->heads)[e].weight;
  if (kind == SCREE_WEIGHT_DOUBLE) return ((const double *)row->weights)[e];
  const uint32_t bits =
      layout == SCREE__PAIRS ? ((const scree__short_arc *)row->heads)[e].weight : ((const uint32_t *)row->weights)[e];
  if (kind == SCREE_WEIGHT_UINT32) return bits;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}
static inline __attribute__((always_inline)) uint64_t scree__row_head(const scree__row *row, scree__layout layout,
                                                                      scree_weight_kind kind, bool wide, uint64_t e) {
  if (layout == SCREE__ARRAYS) return scree__head_get(row->heads, wide, e);
  return scree__is_short(kind, wide) ? ((const scree__short_arc *)row->heads)[e].head
                                     : ((const scree__long_arc *)row->heads)[e].head;
}

/* The loop for one kind of weight; `layout` and all parameters after it are constants. */
static inline __attribute__((always_inline)) void scree__relax_loop(scree__run *run, uint32_t u, double from,
                                                                    const scree__row *row, scree__layout layout,
                                                                    scree_weight_kind kind, bool wide,
                                                                    scree__bounds bounds, scree__improved *improved,
                                                                    scree__sender *send) {
  const scree_graph *g = run->graph;
  const uint64_t end = row->end, mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank;
  uint32_t *bound = scree__sssp_of(run)->bound;
  const bool apply = improved && (bounds != SCREE__NO_BOUNDS || scree__sssp_of(run)->apply);
  uint64_t sent = 0, direct = 0;
  for (uint64_t e = row->begin; e < end; e++) {
    const double d = from + scree__row_weight(row, layout, kind, wide, e);
    const uint64_t head = scree__row_head(row, layout, kind, wide, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (bounds != SCREE__NO_BOUNDS && !scree__bound_lower(&bound[head], d, bounds)) continue;
    if (apply && owner == rank) {
      direct++;
      if (scree__relax_direct(run, local, u, d)) improved(run, local, d);
      continue;
    }
    if (send(run, owner, local, u, d))
      sent++;
    else
      direct++;
  }
  run->work.messages += sent;
  run->work.edges += end - row->begin;
  run->work.pruned += end - row->begin - sent - direct;
}

/* Relaxes arcs of local vertex u at distance `from`. `layout` and all parameters after it are constants; `bounds` is
 * the table of bounds, if there is one. Outside handlers a handler may run meanwhile. */
static inline __attribute__((always_inline)) void scree__relax_from(scree__run *run, uint32_t u, double from,
                                                                    const scree__row *row, scree__layout layout,
                                                                    scree__bounds bounds, scree__improved *improved,
                                                                    scree__sender *send) {
  const bool prune = scree__sssp_of(run)->bound != NULL, wide = run->graph->wide;
#define SCREE__LOOP(kind)                                                                                              \
  case kind:                                                                                                           \
    if (wide)                                                                                                          \
      prune ? scree__relax_loop(run, u, from, row, layout, kind, true, bounds, improved, send)                         \
            : scree__relax_loop(run, u, from, row, layout, kind, true, SCREE__NO_BOUNDS, improved, send);              \
    else                                                                                                               \
      prune ? scree__relax_loop(run, u, from, row, layout, kind, false, bounds, improved, send)                        \
            : scree__relax_loop(run, u, from, row, layout, kind, false, SCREE__NO_BOUNDS, improved, send);             \
    break;
  switch (run->graph->weight) {
    SCREE__LOOP(SCREE_WEIGHT_NONE)
    SCREE__LOOP(SCREE_WEIGHT_UINT32)
    SCREE__LOOP(SCREE_WEIGHT_FLOAT)
    SCREE__LOOP(SCREE_WEIGHT_DOUBLE)
  }
#undef SCREE__LOOP
}

/* The same, of a rank with one worker, at the distance that u has. */
static inline __attribute__((always_inline)) void scree__relax_row(scree__run *run, uint32_t u, const scree__row *row,
                                                                   scree__layout layout, scree__improved *improved,
                                                                   scree__sender *send) {
  scree__relax_from(run, u, scree__distance(run)[u], row, layout, SCREE__OWN_BOUNDS, improved, send);
}

/* All arcs of local vertex u, in the graph's own order. */
static inline scree__row scree__row_of(const scree_graph *g, uint32_t u) {
  return (scree__row){g->targets, g->weights, g->offsets[u], g->offsets[u + 1]};
}

/* Prefetches the beginning of a row. */
static inline void scree__row_prefetch(const scree_graph *g, const scree__row *row, scree__layout layout) {
  const bool is_long = layout == SCREE__PAIRS && !scree__is_short(g->weight, g->wide);
  const char *heads = (const char *)row->heads + (row->begin << (is_long                             ? 4
                                                                 : layout == SCREE__PAIRS || g->wide ? 3
                                                                                                     : 2));
  __builtin_prefetch(heads);
  __builtin_prefetch(heads + 64);
  if (!row->weights) return;
  const char *weights = (const char *)row->weights + (row->begin << (g->weight == SCREE_WEIGHT_DOUBLE ? 3 : 2));
  __builtin_prefetch(weights);
  __builtin_prefetch(weights + 64);
}

#endif
