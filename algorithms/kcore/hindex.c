/* hindex.c - cores without levels: the bound of a vertex is the h-index of its neighbours' bounds, the largest h of
 * which h of them are at least h. It falls from the degree to the coreness in any order of updates (Lü et al., Nature
 * Communications 7, 2016), in one epoch after another that sets
 * the bounds.
 *
 * A vertex keeps how many neighbours have each bound, where those above its own count as equal to it. A message says
 * that a neighbour's bound fell from one value to another: each is about other bounds than those before, so they may
 * arrive in any order, and what is known of a neighbour is never below its bound. */
#include "kcore/run.h"

enum { TURN = 64 }; /* vertices between two polls */

typedef struct {
  uint32_t target, from, to; /* local index on the receiver; UINT32_MAX: any bound */
} fall_item;
SCREE_MESSAGE_ROUTED(fall, fall_item);

typedef struct {
  scree__near bound;    /* at first the degree without loops */
  uint32_t *neighbours; /* of u by bound, from offsets[u] + u on */
  uint32_t *known;      /* by vertex: the bound that its neighbours know */
  uint32_t *queue;      /* a ring of those whose bound has fallen since */
  bool *waits;          /* it is in the queue */
  uint64_t head, count, space;
} state;

static void enqueue(state *s, uint32_t u) {
  if (s->waits[u]) return;
  s->waits[u] = true;
  s->queue[(s->head + s->count++) % s->space] = u;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const fall_item *item = items;
  state *s = run->own;
  const scree__near *bound = &s->bound;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t u = item[i].target;
    uint32_t *by = &s->neighbours[run->graph->offsets[u] + u], h = bound->own[u];
    if (item[i].to >= h) continue;
    by[item[i].to]++;
    if (--by[item[i].from < h ? item[i].from : h] >= h || item[i].from < h) continue;
    for (; by[h] < h; h--) by[h - 1] += by[h];
    scree__near_set(bound, u, h);
    enqueue(s, u);
  }
}

static void notify(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  state *s = run->own;
  const scree__near near = s->bound;
  const fall_type type = {run->types[0]};
  const uint64_t self = (uint64_t)scree_graph_rank(g) << g->local_bits | u;
  const uint32_t from = s->known[u], to = near.own[u];
  s->known[u] = to;
  s->waits[u] = false;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e);
    if (head == self || (head - near.first < near.count && scree__near_get(&near, head - near.first) <= to)) continue;
    const scree_location at = scree_graph_unpack(g, head);
    fall_send(run->worker, type, scree_location_owner(at), (fall_item){(uint32_t)scree_location_local(at), from, to});
    run->work.messages++;
  }
  run->work.edges += scree_graph_degree(g, u);
}

static scree_status fall_to_cores(scree__run *run) {
  state *s = run->own;
  scree_status status = scree_begin(run->worker);
  if (status == SCREE_OK) status = scree_end(run->worker, NULL); /* the bounds of the node are set */
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, s->count == 0)) {
    const uint64_t begun = scree__work_begin(run);
    for (int i = 0; i < TURN && s->count; i++) {
      const uint32_t u = s->queue[s->head];
      s->head = (s->head + 1) % s->space;
      s->count--;
      notify(run, u);
    }
    scree__work_end(run, begun);
  }
  run->work.epochs += 2;
  scree__run_watch(run);
  return scree__run_status(run);
}

static scree_status solve(scree__run *run) {
  const scree_graph *g = run->graph;
  state *s = run->own;
  const scree__near *bound = &s->bound;
  uint64_t *coreness = run->result[0];
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint32_t degree = (uint32_t)scree__degree_without_loops(g, u);
    scree__near_set(bound, u, degree);
    s->neighbours[g->offsets[u] + u + degree] = degree;
    s->known[u] = UINT32_MAX;
    enqueue(s, (uint32_t)u);
  }
  const scree_status status = fall_to_cores(run);
  for (uint64_t u = 0; u < g->locals; u++) coreness[u] = bound->own[u];
  return status;
}

static scree_status setup(scree__run *run) {
  const uint64_t n = run->graph->locals + 1;
  state *s = run->own;
  s->space = n;
  s->neighbours = scree__run_alloc(run, (run->graph->offsets[run->graph->locals] + n) * sizeof *s->neighbours);
  s->known = scree__run_alloc(run, n * sizeof *s->known);
  s->queue = scree__run_alloc(run, n * sizeof *s->queue);
  s->waits = scree__run_alloc(run, n * sizeof *s->waits);
  const scree_status status = scree__near_open(run, &s->bound);
  return status ? status : scree__run_ready(run, true, "the neighbours by bound");
}

/* Four bytes for each arc of the rank, of an even distribution, and the bounds. */
static uint64_t by_arcs(const scree_graph *g, uint64_t locals, const void *options) {
  (void)options;
  return sizeof(uint32_t) * (g->arcs / g->vertices.ranks) + scree__near_bytes(g, locals);
}

const scree__variant scree__kcore_hindex = {
    .about = {"hindex", "h-indices of the neighbours' bounds, without levels: two epochs"},
    .tuned = true,
    .messages = {{"kcore.hindex", sizeof(fall_item), take, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 13, .more = by_arcs},
};
