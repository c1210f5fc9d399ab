/* opt.c - SSSP with the arcs of each vertex sorted by weight, in windows of distance.
 *
 * Room: one variant, made of what the best entries of the Graph500 SSSP list do (Chakaravarthy et al., IPDPS 2014;
 * Blelloch et al., SPAA 2016 for windows without buckets). A window is a range [a, b) of distances. All vertices whose
 * distance falls below b relax their arcs as far as the sum stays below b, which is a prefix of the row: no offer is
 * made that a later window could better. When nothing is left to do on any rank, all distances below b are final; the
 * next window begins at the least sum that waits in a row, and the rows are gone on with from where they stand. So an
 * arc is relaxed about once, and the many arcs that lead from near vertices to near ones but are long, never.
 *
 * Once few arcs belong to vertices without a final distance, those ask instead, over their own arcs, what is final at
 * the other end, or the rest of the rows is pushed, whichever is less; and what is left is settled without windows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/sorted.h"
#include "../graph/internal.h"
#include "relax.h"
#include "variants.h"

enum { TURNS = 64 }; /* vertices between two looks at what has come in */

/* "Which distance have you, if it is final? An arc of this weight leads to me." */
typedef struct {
  double weight;
  uint32_t target, asker; /* local indices, on the receiver and on the sender */
} ask_item;
SCREE_MESSAGE(ask, ask_item);

typedef struct {
  const scree__by_weight *rows;
  uint64_t *at;             /* of a vertex: where its row stands */
  uint32_t *queue;          /* a ring of local vertices that were improved below the limit */
  uint64_t first, count, room;
  unsigned char *marks;     /* of a vertex: IN_QUEUE, IS_OPEN */
  uint32_t *open;           /* vertices of final distance whose rows are not at their end */
  uint64_t open_count;
  double limit;             /* of the window: b */
  double width, most;       /* of windows: this one's; INFINITY, or the width that the user wants */
  uint64_t settled;         /* arcs of this rank's vertices in final distance, all over */
  uint64_t waiting;         /* arcs that wait in open rows */
  double next;              /* the least sum that waits in a row */
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
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < count; i++)
    if (scree__relax_take(run, sender, &item[i])) improved(run, item[i].target, item[i].distance);
}

static inline __attribute__((always_inline)) double weight_at(const void *weights, scree_weight_kind kind, uint64_t e) {
  return kind == SCREE_WEIGHT_UINT32   ? ((const uint32_t *)weights)[e]
         : kind == SCREE_WEIGHT_FLOAT  ? (double)((const float *)weights)[e]
         : kind == SCREE_WEIGHT_DOUBLE ? ((const double *)weights)[e]
                                       : 1;
}

/* Goes on with the row of u as far as sums stay below the limit. `kind` and `prune` are constants. */
static inline __attribute__((always_inline)) void go_on(scree__run *run, windows *w, uint32_t u, scree_weight_kind kind,
                                                        bool prune) {
  const scree_graph *g = run->graph;
  const void *heads = w->rows->heads, *weights = w->rows->weights;
  const uint64_t end = g->offsets[u + 1], begin = w->at[u], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = scree_rank(run->worker);
  const double from = run->distance[u], limit = w->limit;
  const bool wide = g->wide;
  const scree__relax_type type = {run->types[0]};
  float *bound = run->bound;
  uint64_t e = begin, sent = 0, direct = 0;
  w->at[u] = end; /* a handler that improves u sets it back */
  for (; e < end; e++) {
    const double d = from + weight_at(weights, kind, e);
    if (!(d < limit)) break;
    const uint64_t head = scree__head_get(heads, wide, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (!(d < (double)bound[head])) continue;
      bound[head] = scree__float_up(d);
      if (owner == rank) {
        if (scree__relax_direct(run, local, u, d)) improved(run, local, d);
        direct++;
        continue;
      }
    }
    scree__relax_send(run->worker, type, owner, (scree__relax_item){d, local, u});
    sent++;
  }
  if (run->distance[u] == from) w->at[u] = e;
  run->work.sent += sent;
  run->work.edges += e - begin;
  run->work.pruned += e - begin - sent - direct;
}

static void go_on_with(scree__run *run, windows *w, uint32_t u) {
  const bool prune = run->bound != NULL;
#define ROW(kind)                                                                                                      \
  case kind:                                                                                                           \
    prune ? go_on(run, w, u, kind, true) : go_on(run, w, u, kind, false);                                              \
    break;
  switch (run->graph->weight) {
    ROW(SCREE_WEIGHT_NONE)
    ROW(SCREE_WEIGHT_UINT32)
    ROW(SCREE_WEIGHT_FLOAT)
    ROW(SCREE_WEIGHT_DOUBLE)
  }
#undef ROW
}

/* ---- a window ---- */

static void take_from_queue(scree__run *run, windows *w) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < TURNS && w->count; i++) {
    uint32_t u = w->queue[w->first];
    if (++w->first == w->room) w->first = 0;
    w->count--;
    w->marks[u] &= (unsigned char)~IN_QUEUE;
    if (!(w->marks[u] & IS_OPEN)) {
      w->marks[u] |= IS_OPEN;
      w->open[w->open_count++] = u;
      w->settled += scree_graph_degree(run->graph, u);
    }
    go_on_with(run, w, u);
  }
  scree__work_end(run, begun);
}

/* Goes on with the rows open[from ..] of earlier windows, some of them; returns where it stopped. */
static uint64_t take_from_open(scree__run *run, windows *w, uint64_t from, uint64_t to) {
  uint64_t begun = scree__work_begin(run);
  to = to - from < TURNS ? to : from + TURNS;
  for (; from < to; from++) go_on_with(run, w, w->open[from]);
  scree__work_end(run, begun);
  return from;
}

/* All work below the limit, on rows open[from .. to-1] and what comes of it. In an epoch, which it ends. */
static scree_status finish_window(scree__run *run, windows *w, uint64_t from, uint64_t to) {
  while (!scree__run_test(run, from == to && w->count == 0)) {
    if (w->count)
      take_from_queue(run, w);
    else if (from < to)
      from = take_from_open(run, w, from, to);
  }
  run->work.epochs++;
  scree__run_watch(run);
  return scree__run_status(run);
}

/* Forgets rows that are at their end; finds how much waits, and the least sum. */
static void look_at_open(scree__run *run, windows *w) {
  const scree_graph *g = run->graph;
  uint64_t kept = 0, begun = scree__work_begin(run);
  w->waiting = 0;
  w->next = INFINITY;
  for (uint64_t i = 0; i < w->open_count; i++) {
    uint32_t u = w->open[i];
    uint64_t at = w->at[u], end = g->offsets[u + 1];
    if (at == end) continue;
    w->open[kept++] = u;
    w->waiting += end - at;
    double sum = run->distance[u] + weight_at(w->rows->weights, g->weight, at);
    if (sum < w->next) w->next = sum;
  }
  w->open_count = kept;
  scree__work_end(run, begun);
}

/* ---- the end: asking ---- */

static void answer(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  windows *w = run->own;
  const ask_item *item = items;
  const scree__relax_type type = {run->types[0]};
  uint64_t sent = 0;
  for (uint32_t i = 0; i < count; i++) {
    double d = run->distance[item[i].target];
    if (!(d < w->next)) continue;
    scree__relax_send(run->worker, type, sender,
                      (scree__relax_item){d + item[i].weight, item[i].asker, item[i].target});
    sent++;
  }
  run->work.sent += sent;
}

/* Asks over the row of v; what is known here is taken at once. */
static void ask_for(scree__run *run, windows *w, uint32_t v) {
  const scree_graph *g = run->graph;
  const uint32_t rank = scree_rank(run->worker);
  const ask_type type = {run->types[1]};
  for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
    scree_place place = scree_graph_unpack(g, scree__head_get(w->rows->heads, g->wide, e));
    uint32_t u = (uint32_t)scree_place_local(place);
    double weight = weight_at(w->rows->weights, g->weight, e);
    if (scree_place_owner(place) != rank)
      ask_send(run->worker, type, scree_place_owner(place), (ask_item){weight, u, v});
    else if (run->distance[u] < w->next && scree__relax_direct(run, v, u, run->distance[u] + weight))
      improved(run, v, run->distance[v]);
  }
  run->work.edges += scree_graph_degree(g, v);
}

/* All vertices without a final distance ask; then they settle among themselves. `next`, on all ranks alike, is what
 * final distances are below. */
static scree_status ask_all(scree__run *run, windows *w) {
  const double final = w->next;
  w->limit = INFINITY;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  for (uint64_t v = 0; v < run->graph->locals; v++)
    if (!(run->distance[v] < final)) ask_for(run, w, (uint32_t)v);
  scree__work_end(run, begun);
  return finish_window(run, w, 0, 0);
}

/* ---- from window to window ---- */

/* Sums what waits over the ranks, and sets the next window. *arcs: of vertices in final distance. */
static scree_status agree(scree__run *run, windows *w, uint64_t *arcs, uint64_t *waiting) {
  scree_reduce r = {{w->settled, w->waiting}, 0, 0};
  memcpy(&r.min, &w->next, sizeof r.min); /* of doubles from 0 on, the bits are in the order of the values */
  scree_status status = scree_begin(run->worker);
  if (status == SCREE_OK) status = scree_end(run->worker, &r);
  run->work.epochs++;
  memcpy(&w->next, &r.min, sizeof r.min);
  *arcs = r.sum[0];
  *waiting = r.sum[1];
  return status;
}

/* The least double above d >= 0. */
static double above(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  bits++;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static scree_status one_window(scree__run *run, windows *w) {
  double limit = w->next + w->width;
  w->limit = limit > w->next ? limit : above(w->next); /* a width that vanishes beside the distance */
  scree_status status = scree_begin(run->worker);
  return status ? status : finish_window(run, w, 0, w->open_count);
}

static scree_status solve(scree__run *run) {
  windows *w = run->own;
  const uint64_t all = run->graph->arcs;
  uint64_t arcs = 0, before = 0, waiting = 0;
  scree_status status = SCREE_OK;
  w->limit = INFINITY;
  if (run->has_source) improved(run, run->source, 0);
  while (w->next < INFINITY && status == SCREE_OK) {
    status = one_window(run, w);
    look_at_open(run, w);
    if (status == SCREE_OK) status = agree(run, w, &arcs, &waiting);
    if (status || !(w->next < INFINITY)) break;
    if (arcs - before < all / 32 && w->width < w->most) w->width *= 2;
    before = arcs;
    if (all - arcs > all / 8) continue;
    if (run->graph->directed || 3 * (all - arcs) > waiting)
      w->width = INFINITY;
    else
      return ask_all(run, w);
  }
  return status;
}

/* ---- memory ---- */

static scree_status enter(scree__run *run) {
  const scree_graph *g = run->graph;
  const size_t n = (size_t)g->locals + 1;
  windows *w = run->own = calloc(1, sizeof *w);
  uint64_t span;
  bool fixed = run->delta != 0;
  scree_status status = scree__choose_delta(run, &span);
  if (status) return status;
  bool ready = w != NULL;
  if (ready) {
    w->at = scree__graph_array(g->graphs, n * sizeof *w->at);
    w->queue = scree__graph_array(g->graphs, n * sizeof *w->queue);
    w->open = scree__graph_array(g->graphs, n * sizeof *w->open);
    w->marks = scree__graph_array(g->graphs, n);
    w->room = n;
    w->width = run->delta;
    w->most = fixed ? 0 : INFINITY;
    ready = w->at && w->queue && w->open && w->marks;
  }
  status = scree__run_ready(run, ready, "windows");
  return status ? status : scree__sorted_by_weight(g, &w->rows);
}

static void leave(scree__run *run) {
  windows *w = run->own;
  if (!w) return;
  scree_table_free(w->at);
  scree_table_free(w->queue);
  scree_table_free(w->open);
  scree_table_free(w->marks);
  free(w);
}

const scree__variant scree__sssp_opt = {
    .about = {"opt", "windows over rows sorted by weight, no arc before its time; the last vertices ask"},
    .messages = {{"sssp.opt", sizeof(scree__relax_item), take}, {"sssp.opt.ask", sizeof(ask_item), answer}},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
