/* speculative.c - all ranks colour at once, by what they know of their neighbours' colours, then repair: of two
 * neighbours of one colour that with the lower drawn number gets another in the next round (Bozdag et al., J. Parallel
 * Distrib. Comput. 68, 2008). What the ranks know depends on when they read it, so each run may find other colours.
 * Hubs, which are each other's neighbours, are coloured in order before: they would get high colours in a repair. */
#include "base/hash.h"
#include "colour/run.h"

enum { HUB = 8 }; /* times the mean degree */

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

/* A round, of `order` from..to; *all: the sum of all ranks' vertices. */
static scree_status colour_round(scree__run *run, uint64_t from, uint64_t to, scree_reduce *all) {
  const scree__colour *c = scree__colour_of(run);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  *all = (scree_reduce)SCREE_REDUCE_INIT;
  all->sum[0] = to - from;
  while (!scree__run_test_reduce(run, from == to, all)) {
    const uint64_t begun = scree__work_begin(run);
    for (int i = 0; i < SCREE__COLOUR_TURN && from < to; i++, from++) {
      scree__colour_first_fit(run, from);
      if (!c->whole) scree__colour_notify(run, c->order[from], false);
    }
    scree__work_end(run, begun);
  }
  return scree__run_ended(run);
}

static scree_status colour_hubs(scree__run *run, uint64_t *hubs) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  const uint64_t all = c->count, degree = HUB * 2 * g->edges / g->vertices.n;
  while (*hubs < all && scree_graph_degree(g, c->order[*hubs]) > degree) ++*hubs;
  c->count = *hubs;
  const scree_status status = scree__colour_in_order(run);
  c->count = all;
  return status;
}

static scree_status solve(scree__run *run) {
  scree__colour *c = scree__colour_of(run);
  scree_reduce all = {.sum = {1}};
  scree_status status = scree__colour_by_degree(run);
  uint64_t from = 0, to;
  if (status == SCREE_OK) status = colour_hubs(run, &from);
  to = c->count;
  while (status == SCREE_OK && all.sum[0]) {
    uint64_t kept = from;
    status = colour_round(run, from, to, &all);
    for (uint64_t i = from; i < to && status == SCREE_OK; i++)
      if (must_repair(run, c->order[i])) c->order[kept++] = c->order[i];
    to = kept;
  }
  return status;
}

const scree__variant scree__colour_speculative = {
    .about = {"speculative", "repairs neighbours of one colour; each run may differ"},
    .tuned = true,
    .messages = {{"colour.guess", sizeof(scree__colour_item), scree__colour_take, NULL},
                 {"colour.guess.ask", sizeof(scree__colour_ask), scree__colour_take_ask, NULL}},
    .solve = solve,
};
