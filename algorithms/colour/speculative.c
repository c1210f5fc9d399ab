/* speculative.c - all ranks colour at once, by what they know of their neighbours' colours, then repair: of two
 * neighbours of one colour that with the lower drawn number gets another in the next round (Bozdag et al., J. Parallel
 * Distrib. Comput. 68, 2008). What the ranks know depends on when they read it, so each run may find other colours. */
#include "base/hash.h"
#include "colour/run.h"

static uint64_t vertex_at(const scree_graph *g, uint64_t location) {
  return scree_graph_vertex(g, scree_graph_unpack(g, location));
}

/* Whether vertex a is the one of the two that is repaired. */
static bool yields(uint64_t a, uint64_t b) {
  const uint64_t x = scree__hash_draw(0, a), y = scree__hash_draw(0, b);
  return x != y ? x < y : a < b;
}

/* The colours of other ranks' vertices may be those that a next round gives them: these differ from this one's. */
static bool must_repair(const scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  const scree__colour *c = scree__colour_of(run);
  const uint64_t self = c->first + u;
  const uint32_t word = scree__colour_get(c, self);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e);
    if (scree__colour_get(c, head) != word || head == self) continue;
    if (yields(vertex_at(g, self), vertex_at(g, head))) return true;
  }
  return false;
}

/* A round, of the first `count` vertices of `order`; *all: the sum of all ranks'. */
static scree_status colour_round(scree__run *run, uint64_t count, scree_reduce *all) {
  const scree__colour *c = scree__colour_of(run);
  uint64_t next = 0;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  *all = (scree_reduce)SCREE_REDUCE_INIT;
  all->sum[0] = count;
  while (!scree__run_test_reduce(run, next == count, all)) {
    const uint64_t begun = scree__work_begin(run);
    for (int i = 0; i < SCREE__COLOUR_TURN && next < count; i++, next++) {
      scree__colour_first_fit(run, next);
      if (!c->whole) scree__colour_notify(run, c->order[next], false);
    }
    scree__work_end(run, begun);
  }
  run->work.epochs++;
  scree__run_watch(run);
  return scree__run_status(run);
}

static scree_status solve(scree__run *run) {
  scree__colour *c = scree__colour_of(run);
  scree_reduce all = {.sum = {1}};
  scree_status status = scree__colour_by_degree(run);
  while (status == SCREE_OK && all.sum[0]) {
    const uint64_t count = c->count;
    status = colour_round(run, count, &all);
    c->count = 0;
    for (uint64_t i = 0; i < count && status == SCREE_OK; i++)
      if (must_repair(run, c->order[i])) c->order[c->count++] = c->order[i];
  }
  return status;
}

const scree__variant scree__colour_speculative = {
    .about = {"speculative", "repairs neighbours of one colour; each run may differ"},
    .tuned = true,
    .messages = {{"colour.guess", sizeof(scree__colour_item), scree__colour_take, NULL}},
    .solve = solve,
};
