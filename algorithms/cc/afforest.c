/* afforest.c - connected components by union-find, without most arcs of the giant component.
 *
 * Room: one variant: the order of things. Each rank joins what it can alone (forest.c). Then one arc to another rank
 * of each vertex outside the rank's own giant part is followed, and a few of that part (hook.c). Now most vertices are
 * in one component, and all its vertices can leave out the rest of their arcs: the other ends follow them, or are in it
 * too (Sutton, Ben-Nun & Barak, IPDPS 2018). */
#include <stdlib.h>

#include "cc/forest.h"
#include "cc/hook.h"
#include "graph/internal.h"

enum {
  GIANT_ARCS = 16,   /* arcs that the giant part of a rank follows at first to each other rank */
  GIANT_LOOKS = 1024 /* arcs looked at for them, for each rank */
};

static uint64_t place_of(const scree_graph *g, uint64_t u) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | u;
}
static bool is_here(const scree_graph *g, uint64_t head) {
  return head >> g->local_bits == scree_graph_rank(g);
}

/* ---- at first: one arc of each vertex, a few of the giant part ---- */

static void follow_one(scree__cc_run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    run->work.edges++;
    if (is_here(g, scree_graph_head(g, e))) continue;
    scree__cc_unite(run, place_of(g, u), scree_graph_head(g, e));
    return;
  }
}

/* Counts down in `budget`, by rank; false when enough has been looked at. */
static bool follow_few(scree__cc_run *run, uint32_t u, uint8_t *budget, uint64_t *looks) {
  const scree_graph *g = run->graph;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    uint64_t head = scree_graph_head(g, e), owner = head >> g->local_bits;
    if ((*looks)-- == 0) return false;
    if (is_here(g, head) || budget[owner] == 0) continue;
    budget[owner]--;
    scree__cc_unite(run, place_of(g, u), head);
  }
  return true;
}

static void follow_giant(scree__cc_run *run, uint32_t giant, uint8_t *budget) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  uint64_t max = (uint64_t)GIANT_LOOKS * g->vertices.ranks, looks = max;
  bool more = true;
  for (uint64_t u = 0; u < g->locals && more; u++)
    if (s->up[u] == giant) more = follow_few(run, (uint32_t)u, budget, &looks);
  run->work.edges += max - (more ? looks : 0);
}

static void follow_first(scree__cc_run *run, uint32_t giant, uint8_t *budget) {
  const scree__cc_state *s = run->own;
  follow_giant(run, giant, budget);
  for (uint64_t i = 0; i < s->others; i++)
    if (s->up[s->rest[i]] != giant) follow_one(run, s->rest[i]);
}

/* *leader: of the rank with the largest giant part. Its root, found afterwards, is taken for the giant component. */
static scree_status join_first(scree__cc_run *run, uint32_t giant, uint64_t weight, uint32_t *leader) {
  const scree_graph *g = run->graph;
  scree_reduce largest = {{0, 0}, UINT64_MAX, weight << 24 | scree_graph_rank(g)};
  uint8_t *budget = malloc(g->vertices.ranks);
  scree_status status = scree_graphs_agree(g->graphs, budget ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for %u ranks", scree_graph_rank(g), g->vertices.ranks);
  run->take_links = scree__cc_take_unions;
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status == SCREE_OK) {
    for (uint32_t i = 0; i < g->vertices.ranks; i++) budget[i] = GIANT_ARCS;
    follow_first(run, giant, budget);
    status = scree_end(run->worker, &largest);
    run->work.epochs++;
  }
  *leader = (uint32_t)(largest.max & ((1 << 24) - 1));
  free(budget);
  return status;
}

/* ---- then: all arcs of vertices outside the giant component ---- */

/* Of directed graphs: an arc stands at its tail alone, so the giant component's are followed too, but each head is told
 * once. */
static bool told_before(scree__cc_state *s, uint64_t head) {
  uint64_t bit = UINT64_C(1) << head % 64, *word = &s->told[head / 64];
  bool before = (*word & bit) != 0;
  *word |= bit;
  return before;
}

static void follow_rest(scree__cc_run *run, uint64_t component) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  for (uint64_t i = 0; i < s->count; i++) s->in_giant[s->roots[i]] = run->component[s->roots[i]] == component;
  for (uint64_t i = 0; i < s->others; i++) {
    uint32_t u = s->rest[i], r = s->up[u];
    if (s->in_giant[r] && !g->directed) continue;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      uint64_t head = scree_graph_head(g, e);
      run->work.edges++;
      if (is_here(g, head) || (s->in_giant[r] && told_before(s, head))) continue;
      scree__cc_unite(run, run->component[r], head);
    }
  }
}

static scree_status join_rest(scree__cc_run *run, uint32_t giant, uint32_t leader) {
  const scree_graph *g = run->graph;
  scree_reduce told = {{0, 0}, UINT64_MAX, 0};
  if (leader == scree_graph_rank(g) && g->locals) told.sum[0] = run->component[giant];
  scree_status status = scree_graphs_reduce(g->graphs, &told);
  run->take_links = scree__cc_take_unions;
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  follow_rest(run, told.sum[0]);
  run->work.epochs += 2;
  return scree_end(run->worker, NULL);
}

/* ---- last: the least vertex of each component ---- */

static void take_least(scree__cc_run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t vertex = scree__cc_value(&items[i]), *min = &s->min[items[i].target];
    if (vertex < *min) *min = vertex;
  }
}

/* Each root that points elsewhere tells or asks the root of all. */
static scree_status call_roots(scree__cc_run *run, bool tell) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < s->count; i++) {
    uint32_t u = s->roots[i];
    if (run->component[u] == place_of(g, u)) continue;
    scree_location root = scree_graph_unpack(g, run->component[u]);
    const scree__cc_ask ask = {(uint32_t)scree_location_local(root), u};
    if (tell) {
      scree__cc_send(run, scree_location_owner(root), ask.target, s->min[u]);
    } else {
      cc_ask_send(run->worker, run->ask, scree_location_owner(root), ask);
      run->work.sent++;
    }
  }
  run->work.epochs++;
  return scree_end(run->worker, NULL);
}

static void answer_least(scree__cc_run *run, uint32_t sender, const scree__cc_ask *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) scree__cc_send(run, sender, items[i].from, s->min[items[i].target]);
}

static void take_answer(scree__cc_run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) s->min[items[i].target] = scree__cc_value(&items[i]);
}

static scree_status name_components(scree__cc_run *run) {
  const scree__cc_state *s = run->own;
  run->take_links = take_least;
  scree_status status = call_roots(run, true);
  if (status) return status;
  run->take_asks = answer_least;
  run->take_links = take_answer;
  status = call_roots(run, false);
  for (uint64_t u = 0; u < run->graph->locals; u++) run->component[u] = s->min[s->up[u]];
  return status;
}

/* ---- the whole ---- */

/* A root of this rank's forest stands before its vertices; places are not always in the order of the vertices. */
static void prepare(scree__cc_run *run, const scree__cc_state *s) {
  const scree_graph *g = run->graph;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t vertex = scree_distribution_global(&g->vertices, scree_graph_rank(g), u);
    run->component[u] = place_of(g, u);
    s->min[u] = vertex;
    if (vertex < s->min[s->up[u]]) s->min[s->up[u]] = vertex;
  }
}

/* A vertex without arcs of its own may be the head of others' on a directed graph. */
static void list_roots(const scree_graph *g, scree__cc_state *s, uint32_t giant) {
  s->count = 0;
  if (!g->directed && g->locals) s->roots[s->count++] = giant;
  for (uint64_t i = 0; i < (g->directed ? g->locals : s->others); i++) {
    uint32_t u = g->directed ? (uint32_t)i : s->rest[i];
    if (s->up[u] == u) s->roots[s->count++] = u;
  }
}

static scree_status solve(scree__cc_run *run) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  uint64_t weight;
  uint32_t giant, leader = 0;
  run->work.edges += scree__cc_forest(g, s->up, s->rest, &s->others, &giant, &weight);
  list_roots(g, s, giant);
  prepare(run, s);
  scree_status status = join_first(run, giant, weight, &leader);
  if (status == SCREE_OK) status = scree__cc_search(run);
  if (status == SCREE_OK) status = join_rest(run, giant, leader);
  if (status == SCREE_OK) status = scree__cc_search(run);
  return status ? status : name_components(run);
}

static scree_status enter(scree__cc_run *run) {
  const scree_graph *g = run->graph;
  size_t n = (size_t)g->locals + 1;
  scree__cc_state *s = calloc(1, sizeof *s);
  bool ready = s != NULL;
  run->own = s;
  if (ready) {
    s->up = scree__graph_array(g->graphs, n * sizeof *s->up);
    s->rest = scree__graph_array(g->graphs, n * sizeof *s->rest);
    s->roots = scree__graph_array(g->graphs, n * sizeof *s->roots);
    s->min = scree__graph_array(g->graphs, n * sizeof *s->min);
    s->in_giant = scree__graph_array(g->graphs, n * sizeof *s->in_giant);
    if (g->directed) s->told = scree__graph_array(g->graphs, (size_t)scree_graph_slots(g) / 8 + 8);
    ready = s->up && s->rest && s->roots && s->min && s->in_giant && (s->told || !g->directed);
  }
  return scree_graphs_agree(g->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for the trees of %llu vertices; use more ranks", scree_graph_rank(g),
                            (unsigned long long)g->locals);
}

static void leave(scree__cc_run *run) {
  scree__cc_state *s = run->own;
  if (!s) return;
  scree_huge_free(s->up);
  scree_huge_free(s->rest);
  scree_huge_free(s->roots);
  scree_huge_free(s->min);
  scree_huge_free(s->in_giant);
  scree_huge_free(s->told);
  free(s);
}

const scree__cc_variant scree__cc_afforest = {
    .about = {"afforest", "union-find by messages; arcs of the giant component are skipped"},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
