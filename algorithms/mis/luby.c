/* luby.c - a set by rounds: each vertex draws a priority, and those whose priority is the lowest among their
 * neighbours that are not decided are in the set, these neighbours are not (Luby, SIAM J. Comput. 15, 1986). The
 * priorities are drawn from the round and the vertex, so the set is the same on any number of ranks. */
#include "base/hash.h"
#include "mis/run.h"

typedef struct {
  uint32_t target; /* local index on the receiver */
} out_item;
SCREE_MESSAGE_ROUTED(out, out_item);

typedef struct {
  uint32_t *open;         /* local vertices: not decided before this round, then those that were decided in it */
  uint64_t count, joined; /* in it; of them in the set, at the front */
} state;

static void take_out(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const out_item *item = items;
  const scree__mis *m = scree__mis_of(run);
  (void)sender;
  for (uint32_t i = 0; i < count; i++) scree__mis_set(m, m->first + item[i].target, SCREE__MIS_OUT);
}

static uint64_t vertex_at(const scree_graph *g, uint64_t location) {
  return scree_graph_vertex(g, scree_graph_unpack(g, location));
}

/* Whether v is before u in this round. */
static bool is_before(uint64_t round, uint64_t v, uint64_t u) {
  const uint64_t a = scree__hash_draw(round, v), b = scree__hash_draw(round, u);
  return a != b ? a < b : v < u;
}

static bool is_lowest(const scree__run *run, uint64_t round, uint64_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  const uint64_t vertex = vertex_at(g, m->first + u);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e);
    if (scree__mis_get(m, head) != SCREE__MIS_OPEN) continue;
    if (is_before(round, vertex_at(g, head), vertex)) return false;
  }
  return true;
}

/* Brings those that are the lowest to the front. Nothing is decided before all ranks have found theirs. */
static scree_status find(scree__run *run, state *s, uint64_t round, scree_reduce *open) {
  const scree__mis *m = scree__mis_of(run);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run), before = s->count;
  s->count = s->joined = 0;
  for (uint64_t i = 0; i < before; i++) {
    const uint32_t u = s->open[i];
    if (scree__mis_get(m, m->first + u) != SCREE__MIS_OPEN) continue;
    s->open[s->count] = u;
    if (is_lowest(run, round, u)) {
      s->open[s->count] = s->open[s->joined];
      s->open[s->joined++] = u;
    }
    s->count++;
    run->work.edges += scree_graph_degree(run->graph, u);
  }
  scree__work_end(run, begun);
  *open = (scree_reduce){.sum = {s->count}, .min = UINT64_MAX};
  return scree__run_end(run, open);
}

static void send_out(scree__run *run, uint64_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && !m->whole; e++) {
    const scree_location head = scree_graph_target(g, e);
    if (m->array->index_of[scree_location_owner(head)] != UINT32_MAX) continue;
    out_send(run->worker, (out_type){run->types[1]}, scree_location_owner(head),
             (out_item){(uint32_t)scree_location_local(head)});
    run->work.messages++;
  }
}

static scree_status join(scree__run *run, const state *s) {
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  const uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < s->joined; i++) {
    scree__mis_join(run, s->open[i]);
    send_out(run, s->open[i]);
  }
  scree__work_end(run, begun);
  return scree__run_end(run, NULL);
}

/* The other nodes learn what was decided. */
static scree_status notify(scree__run *run, const state *s) {
  const scree__mis *m = scree__mis_of(run);
  if (m->whole) return SCREE_OK;
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < s->count; i++)
    if (scree__mis_get(m, m->first + s->open[i]) != SCREE__MIS_OPEN) scree__mis_notify(run, s->open[i]);
  return scree__run_end(run, NULL);
}

static scree_status solve(scree__run *run) {
  state *s = run->own;
  scree_reduce open = {.sum = {1}};
  scree_status status = SCREE_OK;
  for (uint64_t u = 0; u < run->graph->locals; u++) s->open[s->count++] = (uint32_t)u;
  for (uint64_t round = 0; open.sum[0] && status == SCREE_OK; round++) {
    status = find(run, s, round, &open);
    if (status == SCREE_OK && open.sum[0]) status = join(run, s);
    if (status == SCREE_OK && open.sum[0]) status = notify(run, s);
  }
  return status;
}

static scree_status setup(scree__run *run) {
  state *s = run->own;
  s->open = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof *s->open);
  return scree__run_ready(run, true, "the vertices that are not decided");
}

const scree__variant scree__mis_luby = {
    .about = {"luby", "rounds of drawn priorities: the lowest among their neighbours are in the set"},
    .tuned = true,
    .messages = {{"mis.luby", sizeof(scree__mis_item), scree__mis_take, NULL},
                 {"mis.out", sizeof(out_item), take_out, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 4},
};
