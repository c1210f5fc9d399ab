/* opt.c - SSSP in distance windows over weight-sorted rows, with a final pull phase: a combination of what the best
 * entries of the Graph500 SSSP list do (Chakaravarthy et al., IPDPS 2014; Blelloch et al., SPAA 2016 for windows
 * without buckets).
 *
 * A window is a range [a, b) of distances. All vertices whose distance falls below b relax their arcs as long as the
 * sum stays below b, which is a prefix of the row: no value is offered that a later window could improve. When no rank
 * has work left, all distances below b are final. The next window begins at the smallest sum that is pending in a row,
 * and each row continues where it stopped. So an arc is relaxed about once, and the many long arcs between near
 * vertices never.
 *
 * Once few arcs belong to vertices without a final distance, either these vertices request final distances over their
 * own arcs (pull), or the rest of the rows is pushed, whichever is less; the remaining vertices are settled without
 * windows. */
#include <math.h>

#include "graph/structure.h"
#include "kernel/bits.h"
#include "ordering/ordering.h"
#include "queue/double_bits.h"
#include "queue/window_queue.h"
#include "sssp/horizon.h"

enum { TURNS = 256, AHEAD = 8 }; /* vertices between two polls for messages; between prefetching a row and reading it */
/* Mean degree below which there are no windows, and none without hubs. Hubs have more than HUB times the mean degree
 * and, in all, at least 1 / SHARE of the arcs. */
enum { SPARSE = 6, DENSE = 24, HUB = 8, SHARE = 4 };

/* Requests a final distance, over an arc of this weight. */
typedef struct {
  double weight;
  uint32_t target, requester; /* local indices, on the receiver and on the sender */
} request_item;
SCREE_MESSAGE_ROUTED(request, request_item);

typedef struct {
  const scree__weight_sorted *rows;
  uint64_t *at;    /* of a vertex: the next arc of its row */
  uint32_t *queue; /* a ring of local vertices that were improved below the limit */
  uint64_t first, count, room;
  unsigned char *marks; /* of a vertex: IN_QUEUE, IS_OPEN */
  uint32_t *open;       /* vertices of final distance whose rows are not at their end */
  uint64_t open_count;
  uint64_t opened, again; /* vertices whose rows were begun, and begun again, all over */
  bool left;              /* the windows were left: the horizon has taken over */
  double limit;           /* of the window: b */
  double width;           /* of windows */
  bool fixed;             /* the user chose the width */
  uint64_t settled;       /* arcs of this rank's vertices in final distance, all over */
  uint64_t waiting;       /* pending arcs of open rows */
  double next;            /* the smallest pending sum */
  uint64_t *final;        /* in the pull phase: vertices of final distance, by packed location */
} windows;

enum { IN_QUEUE = 1, IS_OPEN = 2 };

/* ---- improving ---- */

static void improved(scree__run *run, uint32_t v, double distance) {
  windows *w = run->own;
  w->at[v] = run->graph->offsets[v];
  if (w->marks[v] & IN_QUEUE || !(distance < w->limit)) return;
  w->marks[v] |= IN_QUEUE;
  uint64_t end = w->first + w->count++;
  w->queue[end < w->room ? end : end - w->room] = v;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  if (((windows *)run->own)->left)
    scree__horizon_take(run, sender, items, count);
  else
    scree__relax_batch(run, sender, items, count, improved);
}

static inline void prefetch_row(const windows *w, uint32_t u) {
  scree__sorted_prefetch(w->rows, w->at[u]);
}

/* Continues the row of u as long as sums stay below the limit. `rows` and `prune` are constants. */
static inline __attribute__((always_inline)) void continue_row_as(scree__run *run, windows *w, uint32_t u,
                                                                  scree__weight_layout rows, bool prune) {
  const scree_graph *g = run->graph;
  const uint64_t end = g->offsets[u + 1], begin = w->at[u], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank;
  const double from = scree__distance(run)[u], limit = w->limit;
  const scree__relax_type type = {run->types[0]};
  uint32_t *bound = scree__sssp_of(run)->bound;
  const bool apply = prune || scree__sssp_of(run)->apply;
  uint64_t e = begin, sent = 0, direct = 0;
  w->at[u] = end; /* a handler that improves u resets it */
  for (; e < end; e++) {
    const double d = from + scree__sorted_weight(w->rows, rows, e);
    if (!(d < limit)) break;
    const uint64_t head = scree__sorted_head(w->rows, rows, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (!(d < scree__bound_value(bound[head])) || scree__bit(w->final, head)) continue;
      bound[head] = scree__bound_up(d);
    }
    if (apply && owner == rank) {
      if (scree__relax_direct(run, local, u, d)) improved(run, local, d);
      direct++;
      continue;
    }
    scree__relax_send_at_once(run->worker, type, owner, (scree__relax_item){d, local, u});
    sent++;
  }
  if (scree__distance(run)[u] == from) w->at[u] = e;
  run->work.sent += sent;
  run->work.edges += e - begin;
  run->work.pruned += e - begin - sent - direct;
}

static void continue_row(scree__run *run, windows *w, uint32_t u) {
  const bool prune = scree__sssp_of(run)->bound != NULL;
  SCREE__WITH_LAYOUT(run->graph, w->rows,
                     prune ? continue_row_as(run, w, u, layout, true) : continue_row_as(run, w, u, layout, false))
}

/* ---- a window ---- */

static void take_from_queue(scree__run *run, windows *w) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < TURNS && w->count; i++) {
    uint32_t u = w->queue[w->first];
    uint64_t ahead = w->first + AHEAD;
    if (++w->first == w->room) w->first = 0;
    w->count--;
    if (w->count > AHEAD) prefetch_row(w, w->queue[ahead < w->room ? ahead : ahead - w->room]);
    w->marks[u] &= (unsigned char)~IN_QUEUE;
    if (w->marks[u] & IS_OPEN) {
      w->again++;
    } else {
      w->opened++;
      w->marks[u] |= IS_OPEN;
      w->open[w->open_count++] = u;
      w->settled += scree_graph_degree(run->graph, u);
    }
    continue_row(run, w, u);
  }
  scree_flush(run->worker, run->types[0]); /* messages that wait in a lane let other ranks work on outdated distances */
  scree__work_end(run, begun);
}

/* Continues some of the rows open[from ..] of earlier windows; returns where it stopped. */
static uint64_t take_from_open(scree__run *run, windows *w, uint64_t from, uint64_t to) {
  uint64_t begun = scree__work_begin(run);
  to = to - from < TURNS ? to : from + TURNS;
  for (; from < to; from++) {
    if (from + AHEAD < w->open_count) prefetch_row(w, w->open[from + AHEAD]);
    continue_row(run, w, w->open[from]);
  }
  scree__work_end(run, begun);
  return from;
}

/* True if rows were begun again too often. In a window vertices are relaxed in the order of their arrival: where paths
 * have many arcs, nearly all of that work can be superseded. */
static bool is_wasteful(const windows *w) {
  enum { ALLOWED = 256 };
  return !w->fixed && w->again > 2 * w->opened + ALLOWED;
}

static bool is_done(const windows *w, uint64_t from, uint64_t to) {
  return is_wasteful(w) || (from == to && w->count == 0);
}

/* All work below the limit, on rows open[from .. to-1] and all that results from it, or until too much of it was
 * superseded. In an epoch, which it ends. */
static scree_status finish_window(scree__run *run, windows *w, uint64_t from, uint64_t to) {
  while (!scree__run_test(run, is_done(w, from, to))) {
    if (is_done(w, from, to)) continue;
    if (w->count)
      take_from_queue(run, w);
    else
      from = take_from_open(run, w, from, to);
  }
  run->work.epochs++;
  scree__run_watch(run);
  return scree__run_status(run);
}

/* Drops rows that are at their end; counts the pending arcs, and finds the smallest sum. */
static void examine_open(scree__run *run, windows *w) {
  const scree_graph *g = run->graph;
  const scree__weight_layout rows = scree__weight_layout_of(run->graph, w->rows);
  uint64_t kept = 0, begun = scree__work_begin(run);
  w->waiting = 0;
  w->next = INFINITY;
  for (uint64_t i = 0; i < w->open_count; i++) {
    uint32_t u = w->open[i];
    if (i + AHEAD < w->open_count) prefetch_row(w, w->open[i + AHEAD]);
    uint64_t at = w->at[u], end = g->offsets[u + 1];
    if (at == end) continue;
    w->open[kept++] = u;
    w->waiting += end - at;
    double sum = scree__distance(run)[u] + scree__sorted_weight(w->rows, rows, at);
    if (sum < w->next) w->next = sum;
  }
  w->open_count = kept;
  scree__work_end(run, begun);
}

/* ---- the pull phase ---- */

static void answer(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const request_item *item = items;
  const scree__relax_type type = {run->types[0]};
  for (uint32_t i = 0; i < count; i++) {
    double d = scree__distance(run)[item[i].target] + item[i].weight;
    scree__relax_send_at_once(run->worker, type, sender, (scree__relax_item){d, item[i].requester, item[i].target});
  }
  run->work.sent += count;
}

/* Requests the distances of v's neighbours that are final and can improve v: first those of this rank, which leave
 * fewer for messages. */
static inline __attribute__((always_inline)) void request_for(scree__run *run, windows *w, uint32_t v,
                                                              scree__weight_layout rows) {
  const scree_graph *g = run->graph;
  const uint32_t rank = run->worker->rank;
  const request_type type = {run->types[1]};
  const uint64_t begin = g->offsets[v], end = g->offsets[v + 1];
  for (uint64_t e = begin; e < end && scree__sorted_weight(w->rows, rows, e) < scree__distance(run)[v]; e++) {
    const uint64_t head = scree__sorted_head(w->rows, rows, e);
    const uint32_t u = (uint32_t)scree_location_local(scree_graph_unpack(g, head));
    if (head >> g->local_bits != rank || !scree__bit(w->final, head)) continue;
    scree__relax_direct(run, v, u, scree__distance(run)[u] + scree__sorted_weight(w->rows, rows, e));
  }
  for (uint64_t e = begin; e < end && scree__sorted_weight(w->rows, rows, e) < scree__distance(run)[v]; e++) {
    const scree_location at = scree_graph_unpack(g, scree__sorted_head(w->rows, rows, e));
    if (scree_location_owner(at) == rank || !scree__bit(w->final, scree__sorted_head(w->rows, rows, e))) continue;
    request_send(run->worker, type, scree_location_owner(at),
                 (request_item){scree__sorted_weight(w->rows, rows, e), (uint32_t)scree_location_local(at), v});
  }
  run->work.edges += end - begin;
  if (!(scree__distance(run)[v] < INFINITY)) return;
  uint32_t *bound = scree__sssp_of(run)->bound;
  if (bound) bound[(uint64_t)rank << g->local_bits | v] = scree__bound_up(scree__distance(run)[v]);
  improved(run, v, scree__distance(run)[v]);
}

static inline __attribute__((always_inline)) void request_for_all(scree__run *run, windows *w,
                                                                  scree__weight_layout rows) {
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  for (uint64_t v = 0; v < run->graph->locals; v++)
    if (!scree__bit(w->final, first | v)) request_for(run, w, (uint32_t)v, rows);
}

static void take_final(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  scree__bits_add(run, ((windows *)run->own)->final, items, count);
}

/* Sends all ranks which vertices have their final distance; nothing more is offered to those. */
static scree_status share_final(scree__run *run, windows *w) {
  const scree_graph *g = run->graph;
  const uint64_t first = (uint64_t)run->worker->rank << g->local_bits;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t v = 0; v < g->locals; v++)
    w->final[(first | v) / 64] |= (uint64_t)(scree__distance(run)[v] < w->next) << (first | v) % 64;
  scree__bits_send(run, run->types[2], w->final);
  status = scree_end(run->worker, NULL);
  run->work.epochs++;
  return status;
}

/* All vertices without a final distance send requests; then they are settled. `next`, the same on all ranks, is more
 * than any final distance and no more than any other. */
static scree_status pull(scree__run *run, windows *w) {
  w->limit = INFINITY;
  scree_status status = share_final(run, w);
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  SCREE__WITH_LAYOUT(run->graph, w->rows, request_for_all(run, w, layout))
  scree__work_end(run, begun);
  return finish_window(run, w, 0, 0);
}

/* ---- from window to window ---- */

typedef struct {
  uint64_t arcs, waiting; /* of vertices in final distance; pending ones */
  bool wasteful;          /* on some rank */
} progress;

/* Sums the pending arcs over the ranks, and finds the next window. */
static scree_status find_next(scree__run *run, windows *w, progress *all) {
  scree_reduce r = {.sum = {w->settled, w->waiting}, .min = scree__bits_of(w->next), .max = is_wasteful(w)};
  scree_status status = scree_begin(run->worker);
  if (status == SCREE_OK) status = scree_end(run->worker, &r);
  run->work.epochs++;
  w->next = scree__real_of(r.min);
  *all = (progress){r.sum[0], r.sum[1], r.max != 0};
  return status;
}

static scree_status one_window(scree__run *run, windows *w) {
  w->limit = scree__window_end(w->next, w->width);
  scree_status status = scree_begin(run->worker);
  return status ? status : finish_window(run, w, 0, w->open_count);
}

/* The horizon takes over what is pending. */
static scree_status leave(scree__run *run, windows *w) {
  scree_status status = scree__horizon_make(run);
  if (status) return status;
  w->left = true;
  for (; w->count; w->count--) {
    scree__horizon_add(run, w->queue[w->first], scree__distance(run)[w->queue[w->first]]);
    if (++w->first == w->room) w->first = 0;
  }
  for (uint64_t i = 0; i < w->open_count; i++)
    if (w->at[w->open[i]] < run->graph->offsets[w->open[i] + 1])
      scree__horizon_add(run, w->open[i], scree__distance(run)[w->open[i]]);
  return scree__horizon_solve(run);
}

/* The last vertices, by pull or without windows. */
static scree_status finish(scree__run *run, windows *w, const progress *before) {
  const uint64_t left = run->graph->arcs - before->arcs;
  progress all;
  scree_status status;
  if (run->graph->directed || 3 * left > before->waiting) {
    w->width = INFINITY;
    status = one_window(run, w);
  } else {
    status = pull(run, w);
  }
  if (status == SCREE_OK) status = find_next(run, w, &all);
  if (status || !all.wasteful) return status;
  run->reason = "the last vertices: in windows too many were relaxed again";
  return leave(run, w);
}

static scree_status in_windows(scree__run *run, windows *w) {
  const uint64_t all = run->graph->arcs;
  uint64_t before = 0;
  progress now;
  w->limit = INFINITY;
  if (run->has_source) improved(run, run->source, 0);
  for (;;) {
    scree_status status = one_window(run, w);
    examine_open(run, w);
    if (status == SCREE_OK) status = find_next(run, w, &now);
    if (status || (!now.wasteful && !(w->next < INFINITY))) return status;
    if (now.wasteful) {
      run->reason = "in windows too many vertices were relaxed again";
      return leave(run, w);
    }
    if (now.arcs - before < all / 32 && !w->fixed) w->width *= 2;
    before = now.arcs;
    if (all - now.arcs <= all / 8) return finish(run, w, &now);
  }
}

static scree_status solve(scree__run *run) {
  windows *w = run->own;
  if (!w->left) return in_windows(run, w);
  run->reason = "the graph has few arcs per vertex, or no hubs";
  if (run->has_source) scree__horizon_add(run, run->source, 0);
  return scree__horizon_solve(run);
}

/* ---- memory ---- */

static double mean_degree(const scree_graph *g) {
  return (double)g->arcs * (g->directed ? 2 : 1) / (double)g->vertices.n;
}

/* Windows pay where many arcs lead to few vertices. Without hubs they need more arcs for that. */
static scree_status is_sparse(const scree_graph *g, bool *sparse) {
  const double degree = mean_degree(g);
  uint64_t hubs, arcs;
  *sparse = degree < SPARSE;
  if (*sparse || degree >= DENSE) return SCREE_OK;
  scree_status status = scree__graph_hubs(g, HUB, &hubs, &arcs);
  *sparse = arcs < g->arcs / SHARE;
  return status;
}

static void new_windows(const scree__run *run, windows *w) {
  const size_t n = (size_t)run->graph->locals + 1;
  w->at = scree__run_alloc(run, n * sizeof *w->at);
  w->queue = scree__run_alloc(run, n * sizeof *w->queue);
  w->open = scree__run_alloc(run, n * sizeof *w->open);
  w->marks = scree__run_alloc(run, n);
  w->room = n;
  w->final = scree__run_alloc(run, (size_t)scree__bits_words(run->graph) * sizeof *w->final);
}

/* Of the mode that the graph determines: where hubs decide, the larger one. A width that the user chooses is not known
 * here. */
static uint64_t windows_bytes(const scree_graph *g, uint64_t locals) {
  static const windows w;
  const double degree = mean_degree(g);
  const uint64_t a_vertex = sizeof *w.at + sizeof *w.queue + sizeof *w.open + sizeof *w.marks;
  const uint64_t own = locals * a_vertex + scree__bits_words(g) * sizeof *w.final,
                 horizon = scree__window_queue_bytes(g, locals);
  if (degree < SPARSE || degree >= DENSE) return degree < SPARSE ? horizon : own;
  return own > horizon ? own : horizon;
}

static scree_status setup(scree__run *run) {
  windows *w = run->own;
  uint64_t span;
  scree_status status = scree__choose_delta(run, &span);
  bool sparse = false;
  if (status == SCREE_OK && !scree__sssp_of(run)->fixed) status = is_sparse(run->graph, &sparse);
  if (status) return status;
  w->width = scree__sssp_of(run)->delta;
  w->fixed = scree__sssp_of(run)->fixed;
  w->left = sparse;
  if (sparse) return scree__horizon_make(run);
  new_windows(run, w);
  status = scree__run_ready(run, true, "windows");
  return status ? status : scree__weight_sorted_of(run->graph, &w->rows);
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__sssp_opt = {
    .about = {"opt", "distance windows over weight-sorted adjacency, final pull phase"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.opt", sizeof(scree__relax_item), take, NULL},
                 {"sssp.opt.request", sizeof(request_item), answer, NULL},
                 {"sssp.opt.final", sizeof(scree__bits_item), take_final, NULL}},
    .own = sizeof(windows),
    .setup = setup,
    .solve = solve,
    .teardown = scree__horizon_free,
    .memory = {.orderings = SCREE__ROWS, .more = windows_bytes},
};
