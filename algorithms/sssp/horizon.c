/* horizon.c - SSSP in which each rank relaxes its nearest vertex first, as Distributed Control does, but no vertex
 * beyond a horizon that all ranks share: a rank that is ahead of a delayed one does a bounded amount of work that may
 * be superseded. When no rank has a vertex within the horizon, it advances: the minimum distance on all ranks plus a
 * width.
 *
 * The width is doubled while few vertices are relaxed in a step, and reduced when vertices are relaxed again too often
 * (steps by a number of vertices: Dong, Gu, Sun & Zhang, SPAA 2021). */
#include "sssp/horizon.h"

#include <float.h>
#include <math.h>

#include "ordering/ordering.h"
#include "queue/window_queue.h"

/* Vertices taken from the queue together; arcs of each that are prefetched; vertices between two polls for messages;
 * that a rank is to relax in a step, an eighth of all within these limits. */
enum { BATCH = 16, HEADS = 8, TURN = 64, STEP_MIN = 64, STEP_MAX = 4096 };
/* Bytes of distances and bounds that the caches hold; those are not prefetched, which would only take time. */
enum { CACHED = 4 << 20 };

typedef struct scree__horizon horizon;
struct scree__horizon {
  scree__window_queue *queue;
  const scree__weight_sorted *rows;
  double width, narrowest;           /* from the nearest vertex of all to the horizon */
  bool fixed;                        /* the user chose the width */
  bool large;                        /* distances and bounds are more than the caches hold */
  bool strict;                       /* vertices are relaxed again often: a batch is of one bucket */
  uint64_t wanted;                   /* vertices that a rank is to relax in a step */
  uint64_t relaxed, begun;           /* vertices, all over; before this step */
  uint64_t all_relaxed, all_reached; /* of all ranks, at the end of the step before */
  scree_reduce next;                 /* min: the bits of no more than any distance in the queue */
};

void scree__horizon_add(scree__run *run, uint32_t v, double distance) {
  scree__window_push(scree__sssp_of(run)->horizon->queue, v, distance);
}

static inline void improved(scree__run *run, uint32_t v, double distance) {
  horizon *h = scree__sssp_of(run)->horizon;
  scree__window_push(h->queue, v, distance);
  if (scree__bits_of(distance) < h->next.min) h->next.min = scree__bits_of(distance);
}

void scree__horizon_take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__relax_batch(run, sender, items, count, improved);
}

static inline __attribute__((always_inline)) void relax_row_as(scree__run *run, horizon *h, uint32_t u,
                                                               scree__weight_layout rows) {
  const scree_graph *g = run->graph;
  const uint64_t end = g->offsets[u + 1], begin = g->offsets[u], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank;
  const uint64_t vertex = scree_graph_vertex(g, scree_location_make(rank, u));
  double *const distance = scree__distance(run);
  const double from = distance[u];
  uint32_t *const bound = scree__sssp_of(run)->bound;
  uint64_t sent = 0, direct = 0, reached = 0;
  for (uint64_t e = begin; e < end; e++) {
    const double d = from + scree__sorted_weight(h->rows, rows, e);
    const uint64_t head = scree__sorted_head(h->rows, rows, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (owner == rank) {
      if (!(d < distance[local])) continue;
      reached += !(distance[local] < INFINITY);
      distance[local] = d;
      scree__parent(run)[local] = vertex;
      scree__window_push(h->queue, local, d);
      direct++;
    } else {
      if (bound) {
        if (!(d < scree__bound_value(bound[head]))) continue;
        bound[head] = scree__bound_up(d);
      }
      scree__send_plain(run, owner, local, u, d);
      sent++;
    }
  }
  run->work.useful += reached;
  run->work.superseded += direct - reached;
  run->work.direct += direct;
  run->work.messages += sent;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - sent - direct;
}

/* The heads of a row are read one by one, and each value decides a branch: without this each would wait for memory. */
static inline __attribute__((always_inline)) void prefetch_heads(const scree__run *run, const horizon *h, uint32_t u,
                                                                 scree__weight_layout rows) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], row_end = g->offsets[u + 1],
                 end = begin + HEADS < row_end ? begin + HEADS : row_end;
  const uint64_t mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t *const bound = scree__sssp_of(run)->bound;
  for (uint64_t e = begin; e < end; e++) {
    const uint64_t head = scree__sorted_head(h->rows, rows, e);
    if (head >> g->local_bits == run->worker->rank)
      __builtin_prefetch(&scree__distance(run)[head & mask]);
    else if (bound)
      __builtin_prefetch(&bound[head]);
  }
}

static inline void prefetch_row(const scree__run *run, const horizon *h, uint32_t u) {
  scree__sorted_prefetch(h->rows, run->graph->offsets[u]);
}

static inline __attribute__((always_inline)) void relax_batch(scree__run *run, horizon *h, const uint32_t *batch,
                                                              uint32_t n, scree__weight_layout rows) {
  for (uint32_t i = 0; i < n; i++) prefetch_row(run, h, batch[i]);
  for (uint32_t i = 0; h->large && i < n; i++) prefetch_heads(run, h, batch[i], rows);
  for (uint32_t i = 0; i < n; i++) relax_row_as(run, h, batch[i], rows);
  h->relaxed += n;
}

static uint32_t take_batch(const scree__run *run, horizon *h, uint32_t batch[BATCH]) {
  uint32_t n = 0, bucket = 0;
  for (uint32_t v; n < BATCH && (v = scree__window_pop(h->queue)) != SCREE__NONE32;) {
    batch[n++] = v;
    if (n == 1) bucket = h->queue->current;
    __builtin_prefetch(&run->graph->offsets[v]);
    __builtin_prefetch(&scree__distance(run)[v]);
    if (h->strict && (!scree__window_any(h->queue) || h->queue->current != bucket)) break;
  }
  return n;
}

static void work(scree__run *run, horizon *h) {
  uint64_t begun = scree__work_begin(run);
  uint32_t batch[BATCH], n = BATCH;
  for (uint32_t i = 0; i < TURN && n; i += n) {
    n = take_batch(run, h, batch);
    SCREE__WITH_LAYOUT(run->graph, h->rows, relax_batch(run, h, batch, n, layout))
  }
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

/* Nothing to do in this step, or enough done in it. */
static bool is_idle(const horizon *h) {
  return h->relaxed - h->begun >= 4 * h->wanted || !scree__window_any(h->queue);
}

static void contribute(const scree__run *run, horizon *h) {
  h->next =
      (scree_reduce){.sum = {h->relaxed, run->work.useful}, .min = scree__bits_of(scree__window_queue_min(h->queue))};
}

static scree_status step(scree__run *run, horizon *h) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  h->begun = h->relaxed;
  for (bool idle = is_idle(h);; idle = is_idle(h)) {
    if (idle) contribute(run, h);
    if (scree__run_test_reduce(run, idle, &h->next)) break;
    if (!idle) work(run, h);
  }
  return scree__run_ended(run);
}

static void move(horizon *h, double base) {
  scree__window_queue_move(h->queue, base, scree__window_end(base, h->width));
}

static bool advance(scree__run *run, horizon *h) {
  const double next = scree__real_of(h->next.min);
  if (!(next < INFINITY)) return false;
  const uint64_t relaxed = h->next.sum[0] - h->all_relaxed, reached = h->next.sum[1] - h->all_reached;
  const uint64_t wanted = h->wanted * run->worker->ranks;
  h->all_relaxed = h->next.sum[0];
  h->all_reached = h->next.sum[1];
  h->strict = h->all_relaxed > h->all_reached + h->all_reached / 4;
  if (!h->fixed) {
    /* Vertices that were reached in earlier steps may be relaxed in this one: so no less than all of them count. */
    const bool again = relaxed > reached + reached / 2 && h->all_relaxed > h->all_reached;
    if (again && relaxed > wanted / 4)
      h->width = h->width / 8 > h->narrowest ? h->width / 8 : h->narrowest;
    else if (relaxed < wanted / 2 && h->width < DBL_MAX / 4)
      h->width *= 2;
  }
  move(h, next);
  return true;
}

scree_status scree__horizon_solve(scree__run *run) {
  horizon *h = scree__sssp_of(run)->horizon;
  scree_status status = SCREE_OK;
  move(h, 0);
  do status = step(run, h);
  while (status == SCREE_OK && advance(run, h));
  return status;
}

scree_status scree__horizon_make(scree__run *run) {
  horizon *h = scree__sssp_of(run)->horizon = scree__run_alloc(run, sizeof *h);
  uint64_t span;
  scree_status status = scree__choose_delta(run, &span);
  if (status) return status;
  if (h) {
    h->width = scree__sssp_of(run)->delta;
    h->fixed = scree__sssp_of(run)->fixed;
    if (run->graph->weight <= SCREE_WEIGHT_UINT32) h->narrowest = 1; /* distances are whole numbers */
    h->wanted = run->graph->vertices.n / run->worker->ranks / 8;
    h->wanted = h->wanted < STEP_MIN ? STEP_MIN : h->wanted > STEP_MAX ? STEP_MAX : h->wanted;
    const uint64_t bounds = scree__sssp_of(run)->bound ? run->graph->vertices.n : 0;
    h->large = run->graph->locals * sizeof(double) + bounds * sizeof(uint32_t) > CACHED;
    h->queue = scree__window_queue_make(run->graph, scree__distance(run));
  }
  status = scree__run_ready(run, h && h->queue, "a priority queue");
  return status ? status : scree__weight_sorted_of(run->graph, &h->rows);
}

void scree__horizon_free(scree__run *run) {
  horizon *h = scree__sssp_of(run)->horizon;
  if (h) scree__window_queue_free(h->queue);
}

static scree_status solve(scree__run *run) {
  if (run->has_source) scree__horizon_add(run, run->source, 0);
  return scree__horizon_solve(run);
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__sssp_horizon = {
    .about = {"horizon", "each rank works on its nearest vertex, up to a common horizon"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.horizon", sizeof(scree__relax_item), scree__horizon_take, NULL}},
    .setup = scree__horizon_make,
    .solve = solve,
    .teardown = scree__horizon_free,
    .memory = {.orderings = SCREE__ROWS, .more = scree__window_queue_bytes},
};
