/* afforest.c - connected components by union-find, without most arcs of the giant component. Each rank first joins what
 * it can locally (forest.c). Then one arc to another rank of each vertex outside the rank's own giant part is followed,
 * and a few of that part (hook.c). Now most vertices are in one component, and all its vertices can skip the rest of
 * their arcs: the other ends follow them, or are in it too (Sutton, Ben-Nun & Barak, IPDPS 2018). */
#include "cc/forest.h"
#include "cc/hook.h"
#include "kernel/whole.h"

enum {
  GIANT_ARCS = 16,      /* arcs that the giant part of a rank follows at first to each other rank */
  GIANT_EXAMINED = 1024 /* arcs examined for them, for each rank */
};

static uint64_t location_of(const scree_graph *g, uint64_t u) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | u;
}
static bool is_here(const scree_graph *g, uint64_t head) {
  return head >> g->local_bits == scree_graph_rank(g);
}

static scree_status end_epoch(scree__run *run, scree_reduce *inout) {
  scree_status status = scree_end(run->worker, inout);
  run->work.epochs++;
  scree__run_watch(run);
  return status;
}

/* ---- at first: one arc of each vertex, a few of the giant part ---- */

static void follow_one(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    run->work.edges++;
    if (is_here(g, scree_graph_packed_target(g, e))) continue;
    scree__cc_unite(run, location_of(g, u), scree_graph_packed_target(g, e));
    return;
  }
}

/* False when enough has been examined. */
static bool follow_few(scree__run *run, uint32_t u, uint64_t *left) {
  const scree_graph *g = run->graph;
  uint8_t *budget = ((scree__cc_state *)run->own)->budget;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    uint64_t head = scree_graph_packed_target(g, e), owner = head >> g->local_bits;
    if ((*left)-- == 0) return false;
    if (is_here(g, head) || budget[owner] == 0) continue;
    budget[owner]--;
    scree__cc_unite(run, location_of(g, u), head);
  }
  return true;
}

static void follow_giant(scree__run *run, uint32_t giant) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  uint64_t max = (uint64_t)GIANT_EXAMINED * g->vertices.ranks, left = max;
  bool more = true;
  for (uint64_t u = 0; u < g->locals && more; u++)
    if (s->up[u] == giant) more = follow_few(run, (uint32_t)u, &left);
  run->work.edges += max - (more ? left : 0);
}

static void follow_first(scree__run *run, uint32_t giant) {
  const scree__cc_state *s = run->own;
  follow_giant(run, giant);
  for (uint64_t i = 0; i < s->others; i++)
    if (s->up[s->rest[i]] != giant) follow_one(run, s->rest[i]);
}

/* *leader: of the rank with the largest giant part. Its root, found afterwards, is taken for the giant component. */
static scree_status join_first(scree__run *run, uint32_t giant, uint64_t weight, uint32_t *leader) {
  const scree_graph *g = run->graph;
  scree_reduce largest = {.min = UINT64_MAX, .max = weight << 24 | scree_graph_rank(g)};
  scree__cc_of(run)->take_links = scree__cc_take_unions;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  follow_first(run, giant);
  scree__work_end(run, begun);
  status = end_epoch(run, &largest);
  *leader = (uint32_t)(largest.max & ((1 << 24) - 1));
  return status;
}

/* ---- then: all arcs of vertices outside the giant component ---- */

/* Of directed graphs: an arc is stored at its tail alone, so the giant component's are followed too, but each head is
 * notified only once, if there is memory to record it (whole.h). */
static bool notified_before(scree__cc_state *s, uint64_t head) {
  if (!s->notified) return false;
  uint64_t bit = UINT64_C(1) << head % 64, *word = &s->notified[head / 64];
  bool before = (*word & bit) != 0;
  *word |= bit;
  return before;
}

static void follow_rest(scree__run *run, uint64_t component) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  for (uint64_t i = 0; i < s->count; i++) s->in_giant[s->roots[i]] = scree__component(run)[s->roots[i]] == component;
  for (uint64_t i = 0; i < s->others; i++) {
    uint32_t u = s->rest[i], r = s->up[u];
    if (s->in_giant[r] && !g->directed) continue;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      uint64_t head = scree_graph_packed_target(g, e);
      run->work.edges++;
      if (is_here(g, head) || (s->in_giant[r] && notified_before(s, head))) continue;
      scree__cc_unite(run, scree__component(run)[r], head);
    }
  }
}

static scree_status join_rest(scree__run *run, uint32_t giant, uint32_t leader) {
  const scree_graph *g = run->graph;
  scree_reduce root = SCREE_REDUCE_INIT;
  if (leader == scree_graph_rank(g) && g->locals) root.sum[0] = scree__component(run)[giant];
  scree_status status = scree_graphs_reduce(g->graphs, &root);
  run->work.epochs++;
  scree__cc_of(run)->take_links = scree__cc_take_unions;
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  follow_rest(run, root.sum[0]);
  scree__work_end(run, begun);
  return end_epoch(run, NULL);
}

/* ---- last: the smallest vertex of each component ---- */

static void take_min(scree__run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t vertex = scree__cc_value(&items[i]), *min = &s->min[items[i].target];
    if (vertex < *min) *min = vertex;
  }
}

/* Each root that points elsewhere sends its smallest vertex to the final root, or requests the smallest one from
 * it. */
static scree_status call_roots(scree__run *run, bool send) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < s->count; i++) {
    uint32_t u = s->roots[i];
    if (scree__component(run)[u] == location_of(g, u)) continue;
    scree_location root = scree_graph_unpack(g, scree__component(run)[u]);
    const uint32_t target = (uint32_t)scree_location_local(root);
    if (send)
      scree__cc_send(run, scree_location_owner(root), target, s->min[u]);
    else
      scree__cc_send_request(run, scree_location_owner(root), target, u);
  }
  scree__work_end(run, begun);
  return end_epoch(run, NULL);
}

static void answer_min(scree__run *run, uint32_t sender, const scree__cc_request *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) scree__cc_send(run, sender, items[i].from, s->min[items[i].target]);
}

static void take_answer(scree__run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) s->min[items[i].target] = scree__cc_value(&items[i]);
}

static scree_status find_min(scree__run *run) {
  scree__cc_of(run)->take_links = take_min;
  scree_status status = call_roots(run, true);
  if (status) return status;
  scree__cc_of(run)->take_requests = answer_min;
  scree__cc_of(run)->take_links = take_answer;
  return call_roots(run, false);
}

/* The final root, the smallest location, is the smallest vertex if vertices are distributed in blocks; else it finds
 * the smallest one. In descending order, because a vertex points to a smaller one, whose location must still be
 * there. */
static scree_status name_components(scree__run *run) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  uint64_t *component = scree__component(run);
  scree_status status = s->min ? find_min(run) : SCREE_OK;
  for (uint64_t u = g->locals; u-- > 0;) {
    const uint32_t root = s->up[u];
    component[u] = s->min ? s->min[root] : scree_graph_vertex(g, scree_graph_unpack(g, component[root]));
  }
  return status;
}

/* ---- the whole ---- */

/* A root of this rank's forest comes before its vertices; locations are not always in the order of the vertices. */
static void init(scree__run *run, const scree__cc_state *s) {
  const scree_graph *g = run->graph;
  for (uint64_t u = 0; u < g->locals; u++) {
    scree__component(run)[u] = location_of(g, u);
    if (!s->min) continue;
    const uint64_t vertex = scree_distribution_global(&g->vertices, scree_graph_rank(g), u);
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

static scree_status solve(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  uint64_t weight, begun = scree__work_begin(run);
  uint32_t giant, leader = 0;
  run->work.edges += scree__cc_forest(g, s->up, s->rest, &s->others, &giant, &weight);
  list_roots(g, s, giant);
  init(run, s);
  scree__work_end(run, begun);
  scree_status status = join_first(run, giant, weight, &leader);
  if (status == SCREE_OK) status = scree__cc_search(run);
  if (status == SCREE_OK) status = join_rest(run, giant, leader);
  if (status == SCREE_OK) status = scree__cc_search(run);
  return status ? status : name_components(run);
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  size_t n = (size_t)g->locals + 1;
  scree__cc_state *s = run->own;
  s->up = scree__run_alloc(run, n * sizeof *s->up);
  s->rest = scree__run_alloc(run, n * sizeof *s->rest);
  s->roots = scree__run_alloc(run, n * sizeof *s->roots);
  if (g->vertices.kind != SCREE_DISTRIBUTION_BLOCK) s->min = scree__run_alloc(run, n * sizeof *s->min);
  s->in_giant = scree__run_alloc(run, n * sizeof *s->in_giant);
  s->budget = scree__run_alloc(run, g->vertices.ranks);
  for (uint32_t i = 0; s->budget && i < g->vertices.ranks; i++) s->budget[i] = GIANT_ARCS;
  const uint64_t bitmap = scree_graph_slots(g) / 8 + 8;
  if (g->directed && scree__whole_pays(g, bitmap)) s->notified = scree__run_alloc(run, (size_t)bitmap);
  return scree__run_ready(run, true, "trees");
}

const scree__variant scree__cc_afforest = {
    .about = {"afforest", "union-find by messages; arcs of the giant component are skipped"},
    .tuned = true,
    .messages = {{"cc.afforest", sizeof(scree__cc_link), scree__cc_on_links, NULL},
                 {"cc.afforest.request", sizeof(scree__cc_request), scree__cc_on_requests, NULL}},
    .own = sizeof(scree__cc_state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 21, .saving_bits = 1},
};
