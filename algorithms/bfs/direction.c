/* direction.c - direction-optimising BFS.
 *
 * Room: one variant (Beamer, Asanovic & Patterson, SC 2012, on many ranks). A level goes forward as in level.c, or
 * backward: each rank looks, for each vertex of its own that is not yet reached, for a neighbour in the frontier, which
 * all ranks hold as a bitmap, and tells all which ones it found. */
#include <stdlib.h>
#include <string.h>

#include "bfs/frontier.h"
#include "bfs/variants.h"
#include "common/sorted.h"
#include "graph/internal.h"

typedef struct {
  scree__frontier f; /* first: scree__frontier_take finds it */
  const scree__backward *rows;
  uint64_t *now, *next; /* the frontier and the one after it, by packed place */
  uint64_t words;       /* of each */
  uint64_t *hubs;       /* of this rank in the frontier, packed places */
  uint32_t *open;       /* local vertices that have a row and are not reached */
  uint64_t open_count;
  uint64_t unexplored; /* arcs of vertices not reached, on all ranks */
  double alpha, beta;
  bool backward;
} direction;

/* ---- the frontier as bits ---- */

static void take_bits(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  direction *d = run->own;
  scree__bits_add(run, d->next, items, count);
}

/* What was told becomes the frontier, and is known to be reached. */
static void turn_bits(direction *d) {
  uint64_t *done = d->now;
  for (uint64_t i = 0; i < d->words; i++) d->f.seen[i] |= d->next[i];
  d->now = d->next;
  d->next = done;
  memset(done, 0, (size_t)d->words * sizeof *done);
}

/* ---- hubs in a level forward ---- */

/* "This hub, a packed place, is in the frontier." */
typedef struct {
  uint64_t place;
} hub_item;
SCREE_MESSAGE(hub, hub_item);

/* Reaches the hub's neighbours of this rank. */
static void reach_from(scree__run *run, direction *d, uint64_t place) {
  const scree__hubs *hubs = &d->rows->hubs;
  const uint64_t i = scree__hub_at(hubs, place), begin = hubs->offsets[i], end = hubs->offsets[i + 1];
  const uint64_t first = (uint64_t)scree_rank(run->worker) << run->graph->local_bits, before = d->f.found;
  const scree_location parent = scree_graph_unpack(run->graph, place);
  for (uint64_t k = begin; k < end; k++) {
    const uint32_t v = hubs->members[k];
    if (scree__bit(d->f.seen, first | v)) continue;
    scree__bit_set(d->f.seen, first | v);
    scree__frontier_found(run, &d->f, v, parent);
  }
  run->work.edges += end - begin;
  run->work.direct += d->f.found - before;
  run->work.useful += d->f.found - before;
  run->work.pruned += end - begin - (d->f.found - before);
}

static void take_hubs(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  direction *d = run->own;
  const hub_item *item = items;
  for (uint32_t i = 0; i < count; i++) reach_from(run, d, item[i].place);
  scree__frontier_bring(run, &d->f);
}

/* Tells all ranks of the hubs in the frontier, and leaves the others in it. */
static void push_hubs(scree__run *run, direction *d) {
  const scree_graph *g = run->graph;
  const uint32_t rank = scree_rank(run->worker), ranks = scree_ranks(run->worker);
  const hub_type type = {run->types[2]};
  uint64_t begun = scree__work_begin(run), kept = 0, hubs = 0;
  for (uint64_t i = 0; i < d->f.count; i++) {
    const uint32_t u = d->f.now[i];
    if (scree_graph_degree(g, u) < d->rows->hubs.degree) {
      d->f.now[kept++] = u;
      continue;
    }
    const hub_item item = {(uint64_t)rank << g->local_bits | u};
    for (uint32_t k = 1; k < ranks; k++) hub_send(run->worker, type, (rank + k) % ranks, item);
    d->hubs[hubs++] = item.place;
  }
  d->f.count = kept;
  scree_flush(run->worker, run->types[2]);
  for (uint64_t i = 0; i < hubs; i++) reach_from(run, d, d->hubs[i]);
  scree__work_end(run, begun);
}

/* ---- a level backward ---- */

static inline uint64_t tail_of(const void *tails, bool wide, uint64_t i) {
  return wide ? ((const uint64_t *)tails)[i] : ((const uint32_t *)tails)[i];
}

/* Looks for a parent of each open vertex; keeps those without one open. `wide` is a constant. */
static inline __attribute__((always_inline)) void look(scree__run *run, direction *d, bool wide) {
  const scree_graph *g = run->graph;
  const scree__backward *rows = d->rows;
  const uint64_t first = (uint64_t)scree_rank(run->worker) << g->local_bits, *now = d->now;
  uint64_t kept = 0, looked = d->open_count, found = d->f.found;
  for (uint64_t i = 0; i < d->open_count; i++) {
    const uint32_t v = d->open[i];
    uint64_t tail = tail_of(rows->first, wide, v), e = rows->offsets[v], end = rows->offsets[v + 1];
    while (!scree__bit(now, tail) && ++e < end) tail = tail_of(rows->tails, wide, e);
    looked += e - rows->offsets[v];
    if (e >= end) {
      d->open[kept++] = v;
      continue;
    }
    scree__bit_set(d->next, first | v);
    scree__frontier_found(run, &d->f, v, scree_graph_unpack(g, tail));
  }
  found = d->f.found - found;
  d->open_count = kept;
  run->work.direct += found;
  run->work.useful += found;
  run->work.edges += looked;
}

static void pull(scree__run *run, direction *d) {
  uint64_t begun = scree__work_begin(run);
  if (run->graph->wide)
    look(run, d, true);
  else
    look(run, d, false);
  scree__bits_tell(run, run->types[1], d->next);
  scree__work_end(run, begun);
}

/* ---- turning ---- */

/* Without a branch: whether a vertex is reached cannot be foretold. */
static void list_open(scree__run *run, direction *d) {
  const uint64_t first = (uint64_t)scree_rank(run->worker) << run->graph->local_bits;
  const uint32_t *with = d->rows->with;
  d->open_count = 0;
  for (uint64_t i = 0; i < d->rows->with_count; i++) {
    d->open[d->open_count] = with[i];
    d->open_count += !scree__bit(d->f.seen, first | with[i]);
  }
}

/* From forward to backward: all ranks learn the frontier. One epoch. */
static scree_status turn_backward(scree__run *run, direction *d) {
  const uint64_t first = (uint64_t)scree_rank(run->worker) << run->graph->local_bits;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < d->f.count; i++) scree__bit_set(d->next, first | d->f.now[i]);
  scree__bits_tell(run, run->types[1], d->next);
  status = scree_end(run->worker, NULL);
  run->work.epochs++;
  turn_bits(d);
  list_open(run, d);
  d->backward = true;
  return status;
}

/* Which way the next level goes; `before` and `now` are vertices of the last two frontiers on all ranks. */
static scree_status choose(scree__run *run, direction *d, uint64_t before) {
  uint64_t now = d->f.total.sum[0], arcs = d->f.total.sum[1];
  d->unexplored -= arcs < d->unexplored ? arcs : d->unexplored;
  if (d->backward) {
    d->backward = now >= before || (double)now > (double)run->graph->vertices.n / d->beta;
    return SCREE_OK;
  }
  bool pays = now && now > before && (double)arcs > (double)d->unexplored / d->alpha;
  return pays ? turn_backward(run, d) : SCREE_OK;
}

static scree_status one_level(scree__run *run, direction *d) {
  uint64_t before = d->f.total.sum[0];
  bool backward = d->backward;
  scree_status status = scree__frontier_begin(run, &d->f);
  if (status) return status;
  if (backward) {
    pull(run, d);
  } else {
    push_hubs(run, d);
    scree__frontier_push(run, &d->f);
  }
  status = scree__frontier_end(run, &d->f);
  if (backward) turn_bits(d);
  return status ? status : choose(run, d, before);
}

static scree_status solve(scree__run *run) {
  direction *d = run->own;
  scree_status status = SCREE_OK;
  d->f.total.sum[0] = 1;
  d->unexplored = run->graph->arcs;
  while (d->f.total.sum[0] && status == SCREE_OK) status = one_level(run, d);
  return status;
}

/* ---- memory ---- */

static scree_status check_options(scree__run *run, direction *d) {
  const scree_bfs_options *o = run->options;
  d->alpha = o->alpha != 0 ? o->alpha : 15;
  d->beta = o->beta != 0 ? o->beta : 18;
  if (d->alpha > 0 && d->beta > 0) return SCREE_OK;
  return scree_graphs_agree(run->graph->graphs, SCREE_EINVAL,
                            "alpha is %.17g and beta %.17g; legal: numbers of more than 0, or 0 for 15 and 18",
                            o->alpha, o->beta);
}

static scree_status enter(scree__run *run) {
  const scree_graph *g = run->graph;
  direction *d = run->own = calloc(1, sizeof *d);
  bool ready = d && scree__frontier_init(&d->f, run);
  if (ready) {
    d->f.prune = d->f.sum_arcs = true;
    d->words = scree__bits_words(g);
    d->now = scree__graph_array(g->graphs, (size_t)d->words * 8);
    d->next = scree__graph_array(g->graphs, (size_t)d->words * 8);
    d->open = scree__graph_array(g->graphs, (size_t)(g->locals + 1) * sizeof *d->open);
    ready = d->now && d->next && d->open;
  }
  scree_status status = scree__run_ready(run, ready, "the bitmaps of a frontier");
  if (status == SCREE_OK) status = check_options(run, d);
  if (status == SCREE_OK) status = scree__sorted_backward(g, &d->rows);
  if (status) return status;
  d->hubs = malloc((size_t)(d->rows->hubs.count + 1) * sizeof *d->hubs);
  return scree__run_ready(run, d->hubs != NULL, "the heaviest vertices");
}

static void leave(scree__run *run) {
  direction *d = run->own;
  if (!d) return;
  scree__frontier_free(&d->f);
  scree_huge_free(d->now);
  scree_huge_free(d->next);
  scree_huge_free(d->open);
  free(d->hubs);
  free(d);
}

const scree__variant scree__bfs_direction = {
    .about = {"direction", "direction-optimising: levels go forward, or backward where that is less work"},
    .messages = {{"bfs.direction", sizeof(scree__visit_item), scree__frontier_take},
                 {"bfs.direction.bits", sizeof(scree__bits_item), take_bits},
                 {"bfs.direction.hub", sizeof(hub_item), take_hubs}},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
