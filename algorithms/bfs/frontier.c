/* frontier.c - the loop over the arcs of a frontier, and the handler. An arc costs one access to `seen`, a bitmap that
 * the cache holds; each rank sends at most one message to each vertex. Without a bitmap of the whole graph a rank sends
 * one for each arc to another rank. */
#include "bfs/frontier.h"

#include "graph/structure.h"
#include "kernel/whole.h"

enum { AHEAD = 8 }; /* vertices between prefetching a row and reading it */

bool scree__frontier_init(scree__frontier *f, const scree__run *run, bool whole, bool saving) {
  const scree_graph *g = run->graph;
  const uint64_t all = scree__bits_words(g) * 8;
  f->whole = whole || (saving && scree__whole_pays(g, all));
  f->first = f->whole ? (uint64_t)scree_graph_rank(g) << g->local_bits : 0;
  f->crowded = !scree_options_of(scree_world_of(run->worker))->spin;
  size_t bytes = (size_t)(g->locals + 1) * sizeof(uint32_t);
  f->now = scree__run_alloc(run, bytes);
  f->next = scree__run_alloc(run, bytes);
  f->seen = scree__run_alloc(run, (size_t)(f->whole ? all : (g->locals / 64 + 1) * 8));
  if (!f->now || !f->next || !f->seen) return false;
  if (!run->has_source) return true;
  f->now[f->count++] = run->source;
  scree__bit_set(f->seen, f->first | run->source);
  return true;
}

/* This rank's contribution to the sums; handlers add to it until the end. Degrees are read here, many in a row: one by
 * one, as vertices are found, each would wait for memory. */
void scree__frontier_contribute(const scree__run *run, scree__frontier *f) {
  for (; f->sum_arcs && f->summed < f->found; f->summed++)
    f->arcs += scree_graph_degree(run->graph, f->next[f->summed]);
  f->total = (scree_reduce){.sum = {f->found, f->arcs}, .min = UINT64_MAX, .max = f->crowded};
}

void scree__frontier_take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__frontier *f = run->own;
  const scree__visit_item *item = items;
  const uint64_t first = f->first;
  uint64_t before = f->found;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = item[i].target;
    if (scree__bit(f->seen, first | v)) continue;
    scree__bit_set(f->seen, first | v);
    scree__frontier_found(run, f, v, scree_location_make(sender, item[i].parent));
  }
  run->work.useful += f->found - before;
  run->work.rejected += count - (f->found - before);
  scree__frontier_contribute(run, f);
}

scree_status scree__frontier_begin(scree__run *run, scree__frontier *f) {
  f->found = f->arcs = f->summed = 0;
  f->depth++;
  return scree_begin(run->worker);
}

scree_status scree__frontier_end(scree__run *run, scree__frontier *f) {
  scree__frontier_contribute(run, f);
  scree_status status = scree__run_end(run, &f->total);
  uint32_t *done = f->now;
  f->now = f->next;
  f->next = done;
  f->count = f->found;
  return status;
}

/* Applies what is known here at once, sends the rest. `wide` and all parameters after it are constants. `targets` and
 * `seen` are loaded once per row: loaded for each arc, where the linker puts the loop decides on 3/10 of its time. */
static inline __attribute__((always_inline)) void push_row(scree__run *run, scree__frontier *f, uint32_t u, bool wide,
                                                           bool prune, bool cached) {
  const scree_graph *g = run->graph;
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1], mask = (UINT64_C(1) << g->local_bits) - 1;
  const uint32_t bits = g->local_bits, rank = run->worker->rank;
  const scree__visit_type type = {run->types[0]};
  const bool apply = prune || cached;
  const void *const targets = g->targets;
  uint64_t *const seen = f->seen;
  uint64_t sent = 0, direct = 0;
  for (uint64_t e = begin; e < end; e++) {
    const uint64_t head = scree__head_get(targets, wide, e);
    const uint32_t owner = (uint32_t)(head >> bits), local = (uint32_t)(head & mask);
    if (prune) {
      if (scree__bit(seen, head)) continue;
      scree__bit_set(seen, head);
    }
    if (apply && owner == rank) {
      if (!prune) {
        if (scree__bit(f->seen, f->first | local)) continue;
        scree__bit_set(f->seen, f->first | local);
      }
      scree__frontier_found(run, f, local, scree_location_make(rank, u));
      direct++;
      continue;
    }
    if (cached)
      scree__visit_send(run->worker, type, owner, (scree__visit_item){local, u});
    else
      scree__visit_send_at_once(run->worker, type, owner, (scree__visit_item){local, u});
    sent++;
  }
  run->work.messages += sent;
  run->work.direct += direct;
  run->work.useful += direct;
  run->work.edges += end - begin;
  run->work.pruned += end - begin - sent - direct;
}

static inline __attribute__((always_inline)) void push_all(scree__run *run, scree__frontier *f, bool wide, bool prune,
                                                           bool cached) {
  const scree_graph *g = run->graph;
  const size_t head = wide ? 8 : 4;
  for (uint64_t i = 0; i < f->count; i++) {
    if (i + 2 * AHEAD < f->count) __builtin_prefetch(&g->offsets[f->now[i + 2 * AHEAD]]);
    if (i + AHEAD < f->count) {
      const char *row = (const char *)g->targets + g->offsets[f->now[i + AHEAD]] * head;
      __builtin_prefetch(row);
      __builtin_prefetch(row + 64);
    }
    push_row(run, f, f->now[i], wide, prune, cached);
  }
}

static inline __attribute__((always_inline)) void push_pruned(scree__run *run, scree__frontier *f, bool wide) {
  if (f->prune)
    push_all(run, f, wide, true, false);
  else if (f->apply)
    push_all(run, f, wide, false, true);
  else
    push_all(run, f, wide, false, false);
}

void scree__frontier_push(scree__run *run, scree__frontier *f) {
  uint64_t begun = scree__work_begin(run);
  if (run->graph->wide)
    push_pruned(run, f, true);
  else
    push_pruned(run, f, false);
  scree__work_end(run, begun);
}
