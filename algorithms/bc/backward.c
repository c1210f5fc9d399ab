/* backward.c - the dependencies of the sources of a batch on each vertex, from the last level to that after the
 * sources. In the epoch of a level each of its vertices adds up what its successors on this node have; before it, an
 * epoch brings what successors on other nodes have. */
#include "bc/run.h"

/* In the set `next`, which no other rank reads now, is the level that is computed. */
static void set_level(scree__bc *b, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) b->next[b->me + b->vertex[i]] = b->mask[i];
}

static void clear_level(const scree__bc *b, uint16_t *set, uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to; i++) set[b->me + b->vertex[i]] = 0;
}

/* The successors' values, to predecessors on other nodes. */
static scree_status send_level(scree__run *run, scree__bc *b, uint64_t from, uint64_t to) {
  const scree_graph *g = run->graph;
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  for (uint64_t i = from; i < to; i++)
    for (uint64_t e = b->in_offsets[b->vertex[i]]; e < b->in_offsets[b->vertex[i] + 1]; e++) {
      const uint64_t tail = scree__head_get(b->tails, g->wide, e);
      if (b->base[tail >> g->local_bits] != SCREE__BC_ELSEWHERE) continue;
      for (unsigned left = b->mask[i]; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        scree__bc_send(run, tail, lane, *scree__bc_at(b, b->layout, b->me + b->vertex[i], lane));
      }
    }
  scree__work_end(run, begun);
  return scree__run_end(run, NULL);
}

static inline __attribute__((always_inline)) void add_row(const scree__run *run, const scree__bc *b, uint32_t v,
                                                          unsigned mask, double *sum, scree__bc_layout layout) {
  const scree_graph *g = run->graph;
  const bool wide = g->wide;
  const uint64_t end = b->even ? g->offsets[g->locals] : 0;
  for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
    const uint64_t place = scree__bc_place(g, b, scree__head_get(g->targets, wide, e));
    scree__bc_prefetch(b, g, g->targets, e, end, mask);
    if (!b->whole && place == SCREE__BC_ELSEWHERE) continue;
    const unsigned lanes = b->now[place] & mask;
    if (lanes) scree__bc_add(b, layout, sum, place, lanes);
  }
}

static void take_far(scree__bc *b, uint32_t v, unsigned mask, double *sum) {
  for (unsigned left = mask; left; left &= left - 1) {
    const uint64_t lane = (uint64_t)__builtin_ctz(left), i = v * (uint64_t)b->lanes + lane;
    sum[lane] += b->far[i];
    b->far[i] = 0;
  }
}

/* Other ranks of the node read values of the level after it alone. */
static inline __attribute__((always_inline)) void compute(scree__run *run, scree__bc *b, uint64_t from, uint64_t to,
                                                          bool last, scree__bc_layout layout) {
  double *score = run->result[0];
  for (uint64_t i = from; i < to; i++) {
    const uint32_t v = b->vertex[i];
    double sum[SCREE__BC_LANES] = {0}, all = 0;
    if (!last) add_row(run, b, v, b->mask[i], sum, layout);
    if (!last) run->work.edges += scree_graph_degree(run->graph, v);
    if (b->far) take_far(b, v, b->mask[i], sum);
    for (unsigned left = b->mask[i]; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      double *value = scree__bc_at(b, layout, b->me + v, lane);
      all += *value * sum[lane];
      *value = 1 / *value + sum[lane];
    }
    score[v] += all;
    scree_node_array_step(b->array, run->worker);
  }
}

static scree_status one_level(scree__run *run, scree__bc *b, uint64_t from, uint64_t to, bool last) {
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  SCREE__BC_WITH_LAYOUT(b, compute(run, b, from, to, last, layout))
  scree__work_end(run, begun);
  return scree__run_end(run, NULL);
}

/* `now` has the level after the one that is computed: at first none, since the passes forward left the last one there,
 * which changes places. */
scree_status scree__bc_backward(scree__run *run, uint64_t levels) {
  scree__bc *b = run->own;
  scree_status status = SCREE_OK;
  uint64_t end = b->count, after = b->count;
  uint16_t *const reached = b->now;
  b->backward = true;
  b->now = b->next;
  b->next = reached;
  for (uint64_t level = levels; level-- > 1 && status == SCREE_OK;) {
    const uint64_t from = b->level.at[level], to = end;
    set_level(b, from, to);
    if (b->far && level + 1 < levels) status = send_level(run, b, to, after);
    if (status == SCREE_OK) status = one_level(run, b, from, to, level + 1 == levels);
    uint16_t *const done = b->now;
    clear_level(b, done, to, after);
    b->now = b->next;
    b->next = done;
    after = to;
    end = from;
  }
  if (levels > 1)
    clear_level(b, b->now, end, after);
  else
    clear_level(b, reached, 0, b->count);
  return status;
}
