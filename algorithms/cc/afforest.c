/* afforest.c - connected components by union-find, without most arcs of the giant component. The ranks of a node first
 * join what they can by memory that they share (forest.c). Then, if there are several nodes, one arc to another node of
 * each vertex outside the node's own giant part is followed, and a few of that part (hook.c). Now most vertices are in
 * one component, and all its vertices can skip the rest of their arcs: the other ends follow them, or are in it too
 * (Sutton, Ben-Nun & Barak, IPDPS 2018). */
#include "cc/hook.h"
#include "kernel/whole.h"

enum {
  GIANT_ARCS = 16,      /* arcs that the giant part of a rank follows at first to each other rank */
  GIANT_EXAMINED = 1024 /* arcs examined for them, for each rank */
};

static uint64_t location_of(const scree_graph *g, uint64_t u) {
  return (uint64_t)scree_graph_rank(g) << g->local_bits | u;
}
/* The place of its root in the forest of the node. */
static uint32_t root_of(const scree__cc_state *s, uint64_t u) {
  return scree__cc_up(&s->forest, s->forest.own + u);
}

/* ---- at first: one arc of each vertex, a few of the giant part ---- */

static void follow_one(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    run->work.edges++;
    if (scree__cc_is_near(&s->forest, scree_graph_packed_target(g, e))) continue;
    scree__cc_unite(run, location_of(g, u), scree_graph_packed_target(g, e));
    return;
  }
}

/* False when enough has been examined. */
static bool follow_few(scree__run *run, uint32_t u, uint64_t *left) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  uint8_t *budget = s->budget;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    uint64_t head = scree_graph_packed_target(g, e), owner = head >> g->local_bits;
    if ((*left)-- == 0) return false;
    if (scree__cc_is_near(&s->forest, head) || budget[owner] == 0) continue;
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
    if (root_of(s, u) == giant) more = follow_few(run, (uint32_t)u, &left);
  run->work.edges += max - (more ? left : 0);
}

static void follow_first(scree__run *run, uint32_t giant) {
  const scree__cc_state *s = run->own;
  follow_giant(run, giant);
  for (uint64_t i = 0; i < s->others; i++) follow_one(run, s->rest[i]);
}

/* *leader: the rank of the root of the largest giant part. What it points to afterwards is taken for the giant
 * component. */
static scree_status join_first(scree__run *run, const scree__cc_sample *giant, uint32_t *leader) {
  const scree_graph *g = run->graph;
  const scree__cc_forest *f = &((const scree__cc_state *)run->own)->forest;
  const bool own = giant->root - f->own < g->locals;
  scree_reduce largest = {.min = UINT64_MAX, .max = (uint64_t)(own ? giant->same : 0) << 24 | scree_graph_rank(g)};
  scree__cc_of(run)->take_links = scree__cc_take_unions;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  follow_first(run, giant->root);
  scree__work_end(run, begun);
  status = scree__run_end(run, &largest);
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

static void follow_rest(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  for (uint64_t i = 0; i < s->others; i++) {
    const uint32_t u = s->rest[i], r = root_of(s, u);
    const bool in_giant = s->forest.in_giant[r];
    if (in_giant && !g->directed) continue;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      uint64_t head = scree_graph_packed_target(g, e);
      run->work.edges++;
      if (scree__cc_is_near(&s->forest, head) || (in_giant && notified_before(s, head))) continue;
      scree__cc_unite(run, s->forest.first + r, head);
    }
  }
}

static scree_status join_rest(scree__run *run, const scree__cc_sample *giant, uint32_t leader) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  const uint64_t local = giant->root - s->forest.own;
  scree_reduce root = SCREE_REDUCE_INIT;
  if (leader == scree_graph_rank(g) && local < g->locals) root.sum[0] = scree__component(run)[local];
  scree_status status = scree_graphs_reduce(g->graphs, &root);
  run->work.epochs++;
  for (uint64_t i = 0; i < s->count; i++)
    s->forest.in_giant[s->forest.own + s->roots[i]] = scree__component(run)[s->roots[i]] == root.sum[0];
  if (status == SCREE_OK) status = scree__cc_meet(run);
  scree__cc_of(run)->take_links = scree__cc_take_unions;
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  follow_rest(run);
  scree__work_end(run, begun);
  return scree__run_end(run, NULL);
}

/* ---- last: the smallest vertex of each component ---- */

static uint64_t *own_min(const scree__cc_state *s, uint64_t u) {
  return &s->forest.min[s->forest.own + u];
}

static void take_min(scree__run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t vertex = scree__cc_value(&items[i]), *min = own_min(s, items[i].target);
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
      scree__cc_send(run, scree_location_owner(root), target, *own_min(s, u));
    else
      scree__cc_send_request(run, scree_location_owner(root), target, u);
  }
  scree__work_end(run, begun);
  return scree__run_end(run, NULL);
}

static void answer_min(scree__run *run, uint32_t sender, const scree__cc_request *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) scree__cc_send(run, sender, items[i].from, *own_min(s, items[i].target));
}

static void take_answer(scree__run *run, const scree__cc_link *items, uint32_t count) {
  const scree__cc_state *s = run->own;
  for (uint32_t i = 0; i < count; i++) *own_min(s, items[i].target) = scree__cc_value(&items[i]);
}

static scree_status find_min(scree__run *run) {
  scree__cc_of(run)->take_links = take_min;
  scree_status status = call_roots(run, true);
  if (status) return status;
  scree__cc_of(run)->take_requests = answer_min;
  scree__cc_of(run)->take_links = take_answer;
  return call_roots(run, false);
}

/* Ranks of a node do so at once. */
static void lower_min(const scree__cc_state *s, uint32_t root, uint64_t vertex) {
  AO_t *min = (AO_t *)(void *)&s->forest.min[root], known;
  while ((known = AO_load(min)) > vertex && !AO_compare_and_swap(min, known, vertex)) continue;
}

/* At the roots of the forests, so that all ranks of a node can read it. The final root, the smallest location, is the
 * smallest vertex if vertices are distributed in blocks. */
static scree_status find_names(scree__run *run) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  scree_status status = SCREE_OK;
  if (g->vertices.kind != SCREE_DISTRIBUTION_BLOCK) {
    for (uint64_t u = 0; u < g->locals; u++)
      lower_min(s, root_of(s, u), scree_distribution_global(&g->vertices, scree_graph_rank(g), u));
    status = scree__cc_meet(run);
    if (status == SCREE_OK && !scree__cc_is_whole(run, &s->forest)) status = find_min(run);
  } else {
    for (uint64_t i = 0; i < s->count; i++)
      *own_min(s, s->roots[i]) = scree_graph_vertex(g, scree_graph_unpack(g, scree__component(run)[s->roots[i]]));
  }
  return status ? status : scree__cc_meet(run);
}

static scree_status name_components(scree__run *run) {
  const scree_graph *g = run->graph;
  const scree__cc_state *s = run->own;
  const scree__cc_forest *f = &s->forest;
  const scree_distribution blocks = g->vertices; /* if there is no `min`. Unlike g's it is no memory that changes */
  const uint64_t own = f->own, locals = g->locals, bits = g->local_bits, mask = (UINT64_C(1) << bits) - 1;
  uint64_t *component = scree__component(run);
  const scree_status status = f->min ? find_names(run) : SCREE_OK;
  for (uint64_t u = 0; u < locals; u++) {
    const uint32_t root = scree__cc_root(f, own + u);
    component[u] = f->min ? f->min[root] : scree_distribution_global(&blocks, root >> bits, root & mask);
  }
  return status;
}

/* ---- the whole ---- */

/* A vertex without arcs of its own may be the head of others' on a directed graph; of an undirected one it is named. */
static void list(scree__run *run, scree__cc_state *s, uint32_t giant) {
  const scree_graph *g = run->graph;
  s->count = s->others = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint32_t root = root_of(s, u);
    scree__component(run)[u] = location_of(g, u);
    if (root == s->forest.own + u) s->roots[s->count++] = (uint32_t)u;
    if (scree_graph_degree(g, u) && (g->directed || root != giant)) s->rest[s->others++] = (uint32_t)u;
  }
}

static scree_status join_nodes(scree__run *run, const scree__cc_sample *giant) {
  uint32_t leader = 0;
  list(run, run->own, giant->root);
  scree_status status = join_first(run, giant, &leader);
  if (status == SCREE_OK) status = scree__cc_search(run);
  if (status == SCREE_OK) status = join_rest(run, giant, leader);
  return status ? status : scree__cc_search(run);
}

static scree_status solve(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__cc_state *s = run->own;
  scree__cc_sample giant;
  for (uint64_t u = 0; s->forest.min && u < g->locals; u++) *own_min(s, u) = UINT64_MAX;
  scree_status status = scree__cc_forest_grow(run, &s->forest, &giant);
  if (status == SCREE_OK && !scree__cc_is_whole(run, &s->forest)) status = join_nodes(run, &giant);
  return status ? status : name_components(run);
}

static scree_status setup(scree__run *run) {
  const scree_graph *g = run->graph;
  size_t n = (size_t)g->locals + 1;
  scree__cc_state *s = run->own;
  scree_status status = scree__cc_forest_open(run, &s->forest);
  if (status) return status;
  if (!scree__cc_is_whole(run, &s->forest)) {
    s->rest = scree__run_alloc(run, n * sizeof *s->rest);
    s->roots = scree__run_alloc(run, n * sizeof *s->roots);
    s->budget = scree__run_alloc(run, g->vertices.ranks);
    for (uint32_t i = 0; s->budget && i < g->vertices.ranks; i++) s->budget[i] = GIANT_ARCS;
    const uint64_t bitmap = scree_graph_slots(g) / 8 + 8;
    if (g->directed && scree__whole_pays(g, bitmap)) s->notified = scree__run_alloc(run, (size_t)bitmap);
  }
  return scree__run_ready(run, true, "trees");
}

/* Places of the rank that are no vertices. */
static uint64_t places(const scree_graph *g, uint64_t locals, const void *options) {
  (void)options;
  return 13 * ((UINT64_C(1) << g->local_bits) - (locals - 1));
}

const scree__variant scree__cc_afforest = {
    .about = {"afforest", "union-find in memory of a node, and by messages; arcs of the giant component are skipped"},
    .tuned = true,
    .messages = {{"cc.afforest", sizeof(scree__cc_link), scree__cc_on_links, NULL},
                 {"cc.afforest.request", sizeof(scree__cc_request), scree__cc_on_requests, NULL}},
    .own = sizeof(scree__cc_state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 21, .saving_bits = 1, .more = places},
};
