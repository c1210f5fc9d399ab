/* reach.c - levels sent without waiting for others, and corrected. */
#include "bfs/reach.h"

#include <string.h>

#include "graph/structure.h"
#include "kernel/whole.h"

enum { VISITS = 32 }; /* vertices between two polls for messages */

bool scree__reach_init(scree__reach *r, const scree__run *run, int message, bool apply, bool table) {
  const scree_graph *g = run->graph;
  const size_t bytes = (size_t)scree_graph_slots(g) * sizeof *r->bound;
  *r = (scree__reach){.type = run->types[message], .apply = apply};
  if (!scree__levels_init(&r->queue, g)) return false;
  if (!table || !scree__whole_pays(g, bytes)) return true;
  r->bound = scree__run_alloc(run, bytes);
  if (r->bound) memset(r->bound, 0xff, bytes);
  return r->bound != NULL;
}

void scree__reach_free(scree__reach *r) {
  scree__levels_free(&r->queue);
}

/* Levels that a bound cannot hold are never pruned. */
static uint16_t bound_of(uint32_t level) {
  return level < UINT16_MAX ? (uint16_t)level : UINT16_MAX;
}

static void improve(scree__run *run, scree__reach *r, uint32_t v, uint32_t level, scree_location parent) {
  if (scree__level(run)[v] < 0) {
    run->work.useful++;
    if (r->reached) r->reached[r->reached_count++] = v;
  } else {
    run->work.superseded++;
  }
  scree__level(run)[v] = level;
  scree__parent(run)[v] = scree_graph_vertex(run->graph, parent);
  scree__levels_put(&r->queue, v, level);
}

static bool better(const scree__run *run, uint32_t v, uint32_t level) {
  return scree__level(run)[v] < 0 || scree__level(run)[v] > (int64_t)level;
}

void scree__reach_take(scree__run *run, scree__reach *r, uint32_t sender, const void *items, uint32_t count) {
  const scree__reach_item *item = items;
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = item[i].target;
    if (!better(run, v, item[i].level)) {
      run->work.rejected++;
      continue;
    }
    if (r->bound) r->bound[first | v] = bound_of(item[i].level);
    improve(run, r, v, item[i].level, scree_location_make(sender, item[i].parent));
  }
}

/* `wide` and all parameters after it are constants. */
static inline __attribute__((always_inline)) void notify(scree__run *run, scree__reach *r, uint32_t u, bool wide,
                                                         bool prune, bool cached) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank, level = (uint32_t)scree__level(run)[u] + 1;
  const uint16_t limit = bound_of(level);
  const scree__reached_type type = {r->type};
  uint16_t *bound = r->bound;
  const bool apply = prune || r->apply;
  uint64_t sent = 0, direct = 0;
  for (uint64_t e = begin; e < end; e++) {
    const uint64_t head = scree__head_get(g->targets, wide, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (bound[head] <= limit && limit < UINT16_MAX) continue;
      if (r->final && scree__bit(r->final, head)) continue;
      bound[head] = limit;
    }
    if (apply && owner == rank) {
      direct++;
      if (better(run, local, level))
        improve(run, r, local, level, scree_location_make(rank, u));
      else
        run->work.rejected++;
      continue;
    }
    if (cached)
      scree__reached_send(run->worker, type, owner, (scree__reach_item){local, u, level});
    else
      scree__reached_send_at_once(run->worker, type, owner, (scree__reach_item){local, u, level});
    sent++;
  }
  run->work.messages += sent;
  run->work.direct += direct;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - sent - direct;
}

void scree__reach_add(scree__run *run, scree__reach *r, uint32_t v) {
  scree__levels_put(&r->queue, v, (uint32_t)scree__level(run)[v]);
}

bool scree__reach_any(scree__reach *r, uint64_t limit) {
  return r->queue.count && scree__levels_min(&r->queue) < limit;
}

static inline __attribute__((always_inline)) void notify_pruned(scree__run *run, scree__reach *r, uint32_t u,
                                                                bool wide) {
  if (r->bound)
    notify(run, r, u, wide, true, false);
  else if (r->cached)
    notify(run, r, u, wide, false, true);
  else
    notify(run, r, u, wide, false, false);
}

static void visit(scree__run *run, scree__reach *r, uint32_t u) {
  if (scree__level(run)[u] >= (int64_t)UINT32_MAX - 1)
    scree_fail(run->worker, SCREE_EINVAL, "dc counts levels up to 2^32 - 2; use the algorithm level");
  else if (run->graph->wide)
    notify_pruned(run, r, u, true);
  else
    notify_pruned(run, r, u, false);
}

static void prefetch_next(const scree__run *run, const scree__reach *r) {
  const scree_graph *g = run->graph;
  uint32_t v = scree__levels_peek(&r->queue);
  if (v == UINT32_MAX) return;
  const char *row = (const char *)g->targets + (g->offsets[v] << (g->wide ? 3 : 2));
  __builtin_prefetch(row);
  __builtin_prefetch(row + 64);
}

void scree__reach_work(scree__run *run, scree__reach *r, uint64_t limit) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < VISITS && scree__reach_any(r, limit); i++) {
    r->visits++;
    uint32_t u = scree__levels_take(&r->queue);
    prefetch_next(run, r);
    visit(run, r, u);
  }
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}
