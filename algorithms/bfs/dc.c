/* dc.c - BFS by Distributed Control: a vertex whose level improved waits in a queue of its rank; each rank continues with
 * its lowest level, without synchronization: one epoch in all (Firoz et al. 2015, Algorithm 1, all weights 1). */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "bfs/variants.h"
#include "queue/levels.h"

enum { VISITS = 32 }; /* vertices between two polls for messages */

/* A level over `parent`. The sender's rank is known to the handler. */
typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
  uint32_t level;
} reach_item;
SCREE_MESSAGE(reach, reach_item);

typedef struct {
  scree__levels queue;
  uint16_t *bound; /* by packed location: no less than the level that the vertex has or was sent; NULL: no pruning */
} control;

/* Levels that a bound cannot hold are never pruned. */
static uint16_t bound_of(uint32_t level) {
  return level < UINT16_MAX ? (uint16_t)level : UINT16_MAX;
}

static void improve(scree__run *run, control *c, uint32_t v, uint32_t level, scree_location parent) {
  if (scree__level(run)[v] < 0)
    run->work.useful++;
  else
    run->work.invalidated++;
  scree__level(run)[v] = level;
  scree__parent(run)[v] = scree_graph_vertex(run->graph, parent);
  scree__levels_put(&c->queue, v, level);
}

static bool better(const scree__run *run, uint32_t v, uint32_t level) {
  return scree__level(run)[v] < 0 || scree__level(run)[v] > (int64_t)level;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  control *c = run->own;
  const reach_item *item = items;
  const uint64_t first = (uint64_t)scree_rank(run->worker) << run->graph->local_bits;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = item[i].target;
    if (!better(run, v, item[i].level)) {
      run->work.rejected++;
      continue;
    }
    if (c->bound) c->bound[first | v] = bound_of(item[i].level);
    improve(run, c, v, item[i].level, scree_location_make(sender, item[i].parent));
  }
}

/* `wide` and `prune` are constants. */
static inline __attribute__((always_inline)) void notify(scree__run *run, control *c, uint32_t u, bool wide,
                                                         bool prune) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = scree_rank(run->worker), level = (uint32_t)scree__level(run)[u] + 1;
  const uint16_t limit = bound_of(level);
  const reach_type type = {run->types[0]};
  uint16_t *bound = c->bound;
  uint64_t sent = 0, direct = 0;
  for (uint64_t e = begin; e < end; e++) {
    const uint64_t head = wide ? ((const uint64_t *)g->targets)[e] : ((const uint32_t *)g->targets)[e];
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (bound[head] <= limit && limit < UINT16_MAX) continue;
      bound[head] = limit;
      if (owner == rank) {
        direct++;
        if (better(run, local, level))
          improve(run, c, local, level, scree_location_make(rank, u));
        else
          run->work.rejected++;
        continue;
      }
    }
    reach_send(run->worker, type, owner, (reach_item){local, u, level});
    sent++;
  }
  run->work.sent += sent;
  run->work.direct += direct;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - sent - direct;
}

static void visit(scree__run *run, control *c, uint32_t u) {
  if (scree__level(run)[u] >= (int64_t)UINT32_MAX - 1)
    scree_fail(run->worker, SCREE_EINVAL, "dc counts levels up to 2^32 - 2; use the algorithm level");
  else if (run->graph->wide)
    c->bound ? notify(run, c, u, true, true) : notify(run, c, u, true, false);
  else
    c->bound ? notify(run, c, u, false, true) : notify(run, c, u, false, false);
}

static void prefetch_next(const scree__run *run, const control *c) {
  const scree_graph *g = run->graph;
  uint32_t v = scree__levels_peek(&c->queue);
  if (v == UINT32_MAX) return;
  const char *row = (const char *)g->targets + (g->offsets[v] << (g->wide ? 3 : 2));
  __builtin_prefetch(row);
  __builtin_prefetch(row + 64);
}

static void work(scree__run *run, control *c) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < VISITS && c->queue.count; i++) {
    uint32_t u = scree__levels_take(&c->queue);
    prefetch_next(run, c);
    visit(run, c, u);
  }
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

static scree_status solve(scree__run *run) {
  control *c = run->own;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, c->queue.count == 0)) {
    if (c->queue.count) work(run, c);
  }
  run->work.epochs++;
  return scree__run_status(run);
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  control *c = run->own = calloc(1, sizeof *c);
  bool ready = c && scree__levels_init(&c->queue, g), prune = !((const scree_bfs_options *)run->options)->no_pruning;
  if (ready && prune) {
    size_t bytes = (size_t)scree_graph_slots(g) * sizeof *c->bound;
    c->bound = scree_graphs_alloc(g->graphs, bytes);
    ready = c->bound != NULL;
    if (ready) memset(c->bound, 0xff, bytes);
    if (ready && run->has_source) c->bound[(uint64_t)scree_graph_rank(g) << g->local_bits | run->source] = 0;
  }
  if (ready && run->has_source) scree__levels_put(&c->queue, run->source, 0);
  return scree__run_ready(run, ready, "a queue of levels");
}

static void teardown(scree__run *run) {
  control *c = run->own;
  if (!c) return;
  scree__levels_free(&c->queue);
  scree_huge_free(c->bound);
  free(c);
}

static const scree_kernel_option options[] = {SCREE__BFS_NO_PRUNING, SCREE__OPTIONS_END};

const scree__variant scree__bfs_dc = {
    .about = {"dc", "Distributed Control: levels are sent without synchronization, and corrected"},
    .options = options,
    .tuned = true,
    .messages = {{"bfs.dc", sizeof(reach_item), take}},
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
};
