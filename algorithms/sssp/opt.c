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
#include "queue/double_bits.h"
#include "queue/window_queue.h"
#include "sssp/horizon.h"
#include "sssp/opt.h"
#include "sssp/shared.h"

enum { TURNS = 256, AHEAD = 8 }; /* vertices between two polls for messages; between prefetching a row and reading it */
/* Mean degree below which there are no windows, and none without hubs. Hubs have more than HUB times the mean degree
 * and, in all, at least 1 / SHARE of the arcs. */
enum { SPARSE = 6, DENSE = 24, HUB = 8, SHARE = 4 };

/* ---- relaxing ---- */

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  if (((scree__windows *)run->own)->left)
    scree__horizon_take(run, sender, items, count);
  else
    scree__relax_batch(run, sender, items, count, scree__windows_improved);
}

static inline void prefetch_row(const scree__windows *w, uint32_t u) {
  scree__sorted_prefetch(w->rows, w->at[u]);
}

/* Continues the row of u as long as sums stay below the limit. `rows` and `prune` are constants. */
static inline __attribute__((always_inline)) void continue_row_as(scree__run *run, scree__windows *w, uint32_t u,
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
      if (!(d < scree__bound_value(bound[head])) || scree__node_bit(w->final, head)) continue;
      bound[head] = scree__bound_up(d);
    }
    if (apply && owner == rank) {
      if (scree__relax_direct(run, local, u, d)) scree__windows_improved(run, local, d);
      direct++;
      continue;
    }
    scree__relax_send_at_once(run->worker, type, owner, (scree__relax_item){d, local, u});
    sent++;
  }
  if (scree__distance(run)[u] == from) w->at[u] = e;
  run->work.messages += sent;
  run->work.edges += e - begin;
  run->work.pruned += e - begin - sent - direct;
}

static void continue_row(scree__run *run, scree__windows *w, uint32_t u) {
  const bool prune = scree__sssp_of(run)->bound != NULL;
  SCREE__WITH_LAYOUT(run->graph, w->rows,
                     prune ? continue_row_as(run, w, u, layout, true) : continue_row_as(run, w, u, layout, false))
}

/* ---- a window ---- */

static void take_from_queue(scree__run *run, scree__windows *w) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < TURNS && w->count; i++) {
    uint32_t u = w->queue[w->first];
    uint64_t ahead = w->first + AHEAD;
    if (++w->first == w->room) w->first = 0;
    w->count--;
    if (w->count > AHEAD) prefetch_row(w, w->queue[ahead < w->room ? ahead : ahead - w->room]);
    w->marks[u] &= (unsigned char)~SCREE__IN_QUEUE;
    if (w->marks[u] & SCREE__IS_OPEN) {
      w->again++;
    } else {
      w->opened++;
      w->marks[u] |= SCREE__IS_OPEN;
      w->open[w->open_count++] = u;
      w->settled += scree_graph_degree(run->graph, u);
    }
    continue_row(run, w, u);
  }
  scree_flush(run->worker, run->types[0]); /* messages that wait in a lane let other ranks work on outdated distances */
  scree__work_end(run, begun);
}

/* Continues some of the rows open[from ..] of earlier windows; returns where it stopped. */
static uint64_t take_from_open(scree__run *run, scree__windows *w, uint64_t from, uint64_t to) {
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
static bool is_wasteful(const scree__windows *w) {
  enum { ALLOWED = 256 };
  return !w->fixed && w->again > 2 * w->opened + ALLOWED;
}

static bool is_done(const scree__windows *w, uint64_t from, uint64_t to) {
  return is_wasteful(w) || (from == to && w->count == 0);
}

/* All work below the limit, on rows open[from .. to-1] and all that results from it, or until too much of it was
 * superseded. In an epoch, which it ends. */
static scree_status finish_window(scree__run *run, scree__windows *w, uint64_t from, uint64_t to) {
  while (!scree__run_test(run, is_done(w, from, to))) {
    if (is_done(w, from, to)) continue;
    if (w->count)
      take_from_queue(run, w);
    else
      from = take_from_open(run, w, from, to);
  }
  return scree__run_ended(run);
}

/* Drops rows that are at their end; counts the pending arcs, and finds the smallest sum. */
static void examine_open(scree__run *run, scree__windows *w) {
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

/* ---- from window to window ---- */

typedef struct {
  uint64_t arcs, waiting; /* of vertices in final distance; pending ones */
  bool wasteful;          /* on some rank */
} progress;

/* Sums the pending arcs over the ranks, and finds the next window. */
static scree_status find_next(scree__run *run, scree__windows *w, progress *all) {
  scree_reduce r = {.sum = {w->settled, w->waiting}, .min = scree__bits_of(w->next), .max = is_wasteful(w)};
  scree_status status = scree_begin(run->worker);
  if (status == SCREE_OK) status = scree_end(run->worker, &r);
  run->work.epochs++;
  w->next = scree__real_of(r.min);
  *all = (progress){r.sum[0], r.sum[1], r.max != 0};
  return status;
}

static scree_status one_window(scree__run *run, scree__windows *w) {
  w->limit = scree__window_end(w->next, w->width);
  scree_status status = scree_begin(run->worker);
  return status ? status : finish_window(run, w, 0, w->open_count);
}

/* The horizon takes over what is pending. */
static scree_status leave(scree__run *run, scree__windows *w) {
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
static scree_status finish(scree__run *run, scree__windows *w, const progress *before) {
  const uint64_t left = run->graph->arcs - before->arcs;
  progress all;
  scree_status status;
  if (run->graph->directed || 3 * left > before->waiting) {
    w->width = INFINITY;
    status = one_window(run, w);
  } else {
    status = scree__opt_request(run, w);
    if (status == SCREE_OK) status = finish_window(run, w, 0, 0);
  }
  if (status == SCREE_OK) status = find_next(run, w, &all);
  if (status || !all.wasteful) return status;
  run->reason = "the last vertices: in windows too many were relaxed again";
  return leave(run, w);
}

static scree_status in_windows(scree__run *run, scree__windows *w) {
  const uint64_t all = run->graph->arcs;
  uint64_t before = 0;
  progress now;
  w->limit = INFINITY;
  if (run->has_source) scree__windows_improved(run, run->source, 0);
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
  scree__windows *w = run->own;
  if (!w->left) return in_windows(run, w);
  run->reason = "the graph has few arcs per vertex, or no hubs";
  if (scree__sssp_of(run)->shared) return scree__shared_solve(run);
  if (run->has_source) scree__horizon_add(run, run->source, 0);
  return scree__horizon_solve(run);
}

/* ---- memory ---- */

static double mean_degree(const scree_graph *g) {
  return (double)g->arcs * (g->directed ? 2 : 1) / (double)g->vertices.n;
}

scree_status scree__sssp_hubs(const scree_graph *g, bool *hubs) {
  uint64_t count, arcs = 0;
  const scree_status status = scree__graph_hubs(g, HUB, &count, &arcs);
  *hubs = arcs >= g->arcs / SHARE;
  return status;
}

/* Windows pay where many arcs lead to few vertices. Without hubs they need more arcs for that. */
static scree_status is_sparse(const scree_graph *g, bool *sparse) {
  const double degree = mean_degree(g);
  bool hubs = true;
  *sparse = degree < SPARSE;
  if (*sparse || degree >= DENSE) return SCREE_OK;
  const scree_status status = scree__sssp_hubs(g, &hubs);
  *sparse = !hubs;
  return status;
}

static void new_windows(const scree__run *run, scree__windows *w) {
  const size_t n = (size_t)run->graph->locals + 1;
  w->at = scree__run_alloc(run, n * sizeof *w->at);
  w->queue = scree__run_alloc(run, n * sizeof *w->queue);
  w->open = scree__run_alloc(run, n * sizeof *w->open);
  w->marks = scree__run_alloc(run, n);
  w->room = n;
}

/* Of the mode that the graph determines: where hubs decide, the larger one. A width that the user chooses is not known
 * here. */
static uint64_t windows_bytes(const scree_graph *g, uint64_t locals, const void *options) {
  static const scree__windows w;
  const double degree = mean_degree(g);
  const uint64_t a_vertex = sizeof *w.at + sizeof *w.queue + sizeof *w.open + sizeof *w.marks;
  const uint64_t own = locals * a_vertex, horizon = scree__window_queue_bytes(g, locals, options);
  const uint64_t shared = scree__shared_fits(g) ? scree__shared_bytes(g, locals) : 0;
  if (degree < SPARSE) return shared > horizon ? shared : horizon;
  if (degree >= DENSE) return own;
  return own > horizon ? own : horizon;
}

static unsigned wanted(const scree_graph *g, uint64_t runs) {
  (void)runs;
  return mean_degree(g) < SPARSE && scree__shared_fits(g) ? SCREE__NODE_ROWS : SCREE__ROWS;
}

static scree_status setup_sparse(scree__run *run) {
  scree_status status = mean_degree(run->graph) < SPARSE ? scree__shared_make(run) : SCREE_OK;
  return status || scree__sssp_of(run)->shared ? status : scree__horizon_make(run);
}

static scree_status setup(scree__run *run) {
  scree__windows *w = run->own;
  uint64_t span;
  scree_status status = scree__choose_delta(run, &span);
  bool sparse = false;
  if (status == SCREE_OK && !scree__sssp_of(run)->fixed) status = is_sparse(run->graph, &sparse);
  if (status) return status;
  w->width = scree__sssp_of(run)->delta;
  w->fixed = scree__sssp_of(run)->fixed;
  w->left = sparse;
  if (sparse) return setup_sparse(run);
  new_windows(run, w);
  status = scree__run_ready(run, true, "windows");
  if (status == SCREE_OK) status = scree__node_bits_open(run, 1, &w->final, &w->bits);
  return status ? status : scree__weight_sorted_of(run->graph, &w->rows);
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

const scree__variant scree__sssp_opt = {
    .about = {"opt", "distance windows over weight-sorted adjacency, final pull phase"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.opt", sizeof(scree__relax_item), take, NULL},
                 {"sssp.opt.request", sizeof(scree__request_item), scree__opt_answer, NULL},
                 {"sssp.opt.final", sizeof(scree__bits_item), scree__opt_take_final, NULL}},
    .own = sizeof(scree__windows),
    .setup = setup,
    .solve = solve,
    .teardown = scree__horizon_free,
    .memory = {.node_bits = 1, .orderings = SCREE__ROWS | SCREE__NODE_ROWS, .wanted = wanted, .more = windows_bytes},
};
