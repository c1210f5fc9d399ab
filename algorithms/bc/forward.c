/* forward.c - the numbers of shortest paths from the sources of a batch, level by level, an epoch each: vertices of the
 * level add theirs to neighbours (push), or, where few arcs lead to vertices that are not reached in all lanes, these
 * add up what neighbours of the level on this node have (pull). Other nodes get messages either way. */
#include <math.h>

#include "bc/run.h"

/* For each set of 8 lanes a factor by which their values are multiplied: 1 or 0. */
#define ON(m)                                                                                                          \
  { (m) & 1, (m) >> 1 & 1, (m) >> 2 & 1, (m) >> 3 & 1, (m) >> 4 & 1, (m) >> 5 & 1, (m) >> 6 & 1, (m) >> 7 }
#define ON_4(m)  ON(m), ON((m) + 1), ON((m) + 2), ON((m) + 3)
#define ON_16(m) ON_4(m), ON_4((m) + 4), ON_4((m) + 8), ON_4((m) + 12)
#define ON_64(m) ON_16(m), ON_16((m) + 16), ON_16((m) + 32), ON_16((m) + 48)
const double scree__bc_on[256][8] = {ON_64(0), ON_64(64), ON_64(128), ON_64(192)};

enum { PULL_PAYS = 4 }; /* how often more arcs a pull may examine */

static uint64_t level_begin(const scree__bc *b) {
  return b->level.count ? b->level.at[b->level.count - 1] : 0;
}

/* In the epoch: these lanes of a vertex of this rank are in the next level, if they are in no earlier one. */
static void join(scree__run *run, scree__bc *b, uint32_t u, unsigned lanes) {
  const scree_graph *g = run->graph;
  const unsigned before = b->next[b->me + u], all = (1U << b->used) - 1, after = before | lanes;
  if (after == before) return;
  if (!before) {
    b->vertex[b->found++] = u;
    b->total.sum[0] += 1 + scree_graph_degree(g, u);
  }
  b->next[b->me + u] = (uint16_t)after;
  if ((after | b->seen[u]) == all) b->total.sum[1] = b->open.arcs -= b->in_offsets[u + 1] - b->in_offsets[u];
}

void scree__bc_reach(scree__run *run, uint32_t vertex, uint32_t lane, double value) {
  scree__bc *b = run->own;
  if (b->seen[vertex] >> lane & 1) return;
  *scree__bc_at(b, b->layout, b->me + vertex, lane) += value;
  join(run, b, vertex, 1U << lane);
}

/* ---- push ---- */

static inline __attribute__((always_inline)) void push_one(scree__run *run, scree__bc *b, uint32_t v, unsigned mask,
                                                           bool pulled, scree__bc_layout layout) {
  const scree_graph *g = run->graph;
  double value[SCREE__BC_LANES] = {0};
  scree__bc_add(b, layout, value, b->me + v, mask);
  for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
    const uint64_t head = scree__head_get(g->targets, g->wide, e), place = scree__bc_place(g, b, head);
    unsigned left = mask;
    if (pulled && place != SCREE__BC_ELSEWHERE) continue;
    if (!scree__bc_is_mine(b, g, place)) {
      for (; left; left &= left - 1)
        scree__bc_send(run, head, (uint32_t)__builtin_ctz(left), value[__builtin_ctz(left)]);
      continue;
    }
    const uint32_t u = (uint32_t)(place - b->me);
    const unsigned fresh = left &= ~(unsigned)b->seen[u];
    for (; left; left &= left - 1)
      *scree__bc_at(b, layout, place, (uint32_t)__builtin_ctz(left)) += value[__builtin_ctz(left)];
    if (fresh) join(run, b, u, fresh);
  }
}

static inline __attribute__((always_inline)) void push(scree__run *run, scree__bc *b, bool pulled,
                                                       scree__bc_layout layout) {
  for (uint64_t i = level_begin(b); i < b->count; i++) {
    push_one(run, b, b->vertex[i], b->mask[i], pulled, layout);
    run->work.edges += scree_graph_degree(run->graph, b->vertex[i]);
  }
}

/* ---- pull ---- */

static void list_open(const scree__run *run, scree__bc *b) {
  b->open.count = 0;
  for (uint64_t u = 0; u < run->graph->locals; u++)
    if (b->in_offsets[u] < b->in_offsets[u + 1]) b->open.list[b->open.count++] = (uint32_t)u;
}

static inline __attribute__((always_inline)) void pull(scree__run *run, scree__bc *b, scree__bc_layout layout) {
  const scree_graph *g = run->graph;
  const unsigned all = (1U << b->used) - 1;
  const bool wide = g->wide;
  const uint64_t end = b->even ? b->in_offsets[g->locals] : 0;
  uint64_t kept = 0;
  if (b->open.count == UINT64_MAX) list_open(run, b);
  for (uint64_t i = 0; i < b->open.count; i++) {
    const uint32_t u = b->open.list[i];
    const unsigned wanted = all & ~(unsigned)b->seen[u];
    unsigned got = 0;
    double sum[SCREE__BC_LANES] = {0};
    if (!wanted) continue;
    b->open.list[kept++] = u;
    for (uint64_t e = b->in_offsets[u]; e < b->in_offsets[u + 1]; e++) {
      const uint64_t place = scree__bc_place(g, b, scree__head_get(b->tails, wide, e));
      scree__bc_prefetch(b, g, b->tails, e, end, wanted);
      if (!b->whole && place == SCREE__BC_ELSEWHERE) continue;
      const unsigned lanes = b->now[place] & wanted;
      if (!lanes) continue;
      got |= lanes;
      scree__bc_add(b, layout, sum, place, lanes);
    }
    run->work.edges += b->in_offsets[u + 1] - b->in_offsets[u];
    for (unsigned left = got; left; left &= left - 1)
      *scree__bc_at(b, layout, b->me + u, (uint32_t)__builtin_ctz(left)) += sum[__builtin_ctz(left)];
    if (got) join(run, b, u, got);
    scree_node_array_step(b->array, run->worker);
  }
  b->open.count = kept;
}

/* ---- levels ---- */

/* The level that was made becomes the level; its masks are known to all ranks of the node since the end of the epoch,
 * and none reads those of the last one any more. */
static void advance(scree__bc *b) {
  uint16_t *const done = b->now;
  for (uint64_t i = level_begin(b); i < b->count; i++) done[b->me + b->vertex[i]] = 0;
  b->now = b->next;
  b->next = done;
  for (uint64_t i = b->count; i < b->found; i++) {
    const uint32_t u = b->vertex[i];
    b->mask[i] = b->now[b->me + u];
    b->seen[u] |= b->mask[i];
    for (unsigned left = b->mask[i]; left; left &= left - 1) {
      const double sigma = *scree__bc_at(b, b->layout, b->me + u, (uint32_t)__builtin_ctz(left));
      if (sigma > b->largest) b->largest = sigma;
    }
  }
  b->lacking |= !scree__u64_vector_append(&b->level, &b->count, 1);
  b->count = b->found;
}

static scree_status one_level(scree__run *run, scree__bc *b, bool pulls) {
  b->total = (scree_reduce){.sum = {0, b->open.arcs}, .min = b->lacking ? run->worker->rank : UINT64_MAX};
  memcpy(&b->total.max, &b->largest, sizeof b->total.max); /* ordered as the values are, since none is negative */
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  if (!pulls || !b->whole) SCREE__BC_WITH_LAYOUT(b, push(run, b, pulls, layout))
  if (pulls) SCREE__BC_WITH_LAYOUT(b, pull(run, b, layout))
  scree__work_end(run, begun);
  return scree__run_end(run, &b->total);
}

scree_status scree__bc_refuse(scree__run *run, scree__bc *b) {
  memcpy(&b->largest, &b->total.max, sizeof b->largest);
  if (!isfinite(b->largest))
    return scree_graphs_agree(run->graph->graphs, SCREE_EINVAL,
                              "bc: the number of shortest paths from a source passes the largest double, 1.8e308: its "
                              "betweenness cannot be computed; give other --sources, or a smaller graph");
  if (b->total.min == UINT64_MAX) return SCREE_OK;
  return scree_graphs_agree(run->graph->graphs, SCREE_ENOMEM,
                            "bc: rank %u: no memory for the levels of a batch; use more ranks or a smaller graph",
                            (unsigned)b->total.min);
}

void scree__bc_place_sources(scree__run *run, uint64_t first) {
  scree__bc *b = run->own;
  for (uint32_t lane = 0; lane < b->used; lane++) {
    const scree_location at = scree_graph_location(run->graph, scree__bc_source(&b->sources, first + lane));
    if (scree_location_owner(at) == run->worker->rank)
      scree__bc_reach(run, (uint32_t)scree_location_local(at), lane, 1);
  }
}

scree_status scree__bc_forward(scree__run *run, uint64_t *levels) {
  scree__bc *b = run->own;
  scree_status status = SCREE_OK;
  bool pulls = false;
  b->backward = false;
  b->total.sum[0] = 1;
  for (*levels = 0; b->total.sum[0] && status == SCREE_OK; ++*levels) {
    advance(b);
    status = one_level(run, b, pulls);
    if (status == SCREE_OK) status = scree__bc_refuse(run, b);
    pulls = b->total.sum[0] * PULL_PAYS > b->total.sum[1];
  }
  return status;
}
