/* smallest_last.c - colours in the order in which vertices of the smallest degree are removed, the last one first
 * (Matula & Beck, J. ACM 30, 1983): at most one colour more than the degeneracy. A round removes all vertices of at
 * most `level` remaining neighbours; when there is none, the level rises. So the order is the same on any number of
 * ranks. */
#include "colour/run.h"
#include "kernel/near.h"

typedef struct {
  uint32_t target; /* local index on the receiver */
} lower_item;
SCREE_MESSAGE_ROUTED(colour_lower, lower_item);

typedef struct {
  uint32_t *bound;        /* by local vertex: arcs to those that remain */
  uint32_t *queue, *rest; /* removed vertices; those that remained when the level began */
  uint64_t head, tail, left;
  uint32_t level, round;
  scree_reduce next; /* sum: vertices that the next round removes; min: no remaining vertex has a lower bound */
} state;

/* A removed vertex has its round as its word. */
static void remove_vertex(scree__run *run, uint32_t v) {
  state *s = run->own;
  scree__colour_set(scree__colour_of(run), v, s->round);
  s->queue[s->tail++] = v;
  s->next.sum[0]++;
}

static void lower(scree__run *run, uint32_t v) {
  state *s = run->own;
  if (s->bound[v] <= s->level) return;
  s->bound[v]--;
  if (s->bound[v] == s->level)
    remove_vertex(run, v);
  else if (s->bound[v] < s->next.min)
    s->next.min = s->bound[v];
}

static void take_lower(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const lower_item *item = items;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) lower(run, item[i].target);
}

static void lower_neighbours(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const scree_location head = scree_graph_target(g, e);
    const uint32_t to = scree_location_owner(head), local = (uint32_t)scree_location_local(head);
    if (to == run->worker->rank) {
      lower(run, local);
    } else {
      colour_lower_send(run->worker, (colour_lower_type){run->types[2]}, to, (lower_item){local});
      run->work.messages++;
    }
  }
  run->work.edges += scree_graph_degree(g, u);
}

/* Those that have the bound of this level are removed, those that an earlier level removed are forgotten. */
static void remove_first(scree__run *run) {
  state *s = run->own;
  uint64_t kept = 0;
  for (uint64_t i = 0; i < s->left; i++) {
    const uint32_t v = s->rest[i], bound = s->bound[v];
    if (bound == s->level) remove_vertex(run, v);
    if (bound <= s->level) continue;
    s->rest[kept++] = v;
    if (bound < s->next.min) s->next.min = bound;
  }
  s->left = kept;
}

/* Takes the neighbours of what the last round removed, which the next one follows. */
static scree_status one_round(scree__run *run) {
  state *s = run->own;
  const uint64_t end = s->tail;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  s->round++;
  s->next.sum[0] = 0;
  while (!scree__run_test_reduce(run, s->head == end, &s->next)) {
    const uint64_t begun = scree__work_begin(run);
    for (int i = 0; i < SCREE__COLOUR_TURN && s->head < end; i++) lower_neighbours(run, s->queue[s->head++]);
    scree__work_end(run, begun);
  }
  return scree__run_ended(run);
}

static scree_status solve(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  state *s = run->own;
  scree_status status = SCREE_OK;
  s->queue = c->spare;
  s->rest = c->order;
  for (uint64_t u = 0; u < g->locals; u++) {
    s->bound[u] = (uint32_t)scree__degree_without_loops(g, u);
    s->rest[s->left++] = (uint32_t)u;
  }
  for (uint64_t level = 0; level != UINT64_MAX && status == SCREE_OK; level = s->next.min) {
    s->level = (uint32_t)level;
    s->next = (scree_reduce)SCREE_REDUCE_INIT;
    remove_first(run);
    do status = one_round(run);
    while (status == SCREE_OK && s->next.sum[0]);
  }
  if (status) return status;
  scree__colour_sort(run, s->round);
  return scree__colour_in_order(run);
}

static scree_status setup(scree__run *run) {
  state *s = run->own;
  s->bound = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof *s->bound);
  return scree__run_ready(run, true, "the remaining degrees");
}

const scree__variant scree__colour_smallest_last = {
    .about = {"smallest-last", "the same in reverse order of removal: fewer colours, many rounds"},
    .tuned = true,
    .messages = {{"colour.removed", sizeof(scree__colour_item), scree__colour_take, NULL},
                 {"colour.removed.ask", sizeof(scree__colour_ask), scree__colour_take_ask, NULL},
                 {"colour.lower", sizeof(lower_item), take_lower, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 4},
};
