/* greedy.c - the set that a serial loop over the vertices finds, in the order of their numbers: a vertex is in it
 * unless an earlier neighbour is (Blelloch, Fineman & Shun, SPAA 2012). Each rank decides those of its vertices whose
 * earlier neighbours are decided, again and again, in one epoch.
 *
 * In a block distribution on one node a rank whose predecessors have finished need not examine earlier neighbours:
 * those in the set have marked theirs. While it waits for them, it examines only if many vertices can be decided; or,
 * if few of its vertices have neighbours of other ranks, it guesses (part.c). */
#include "graph/structure.h"
#include "mis/run.h"

enum { TURN = 256, FEW = 8 }; /* vertices between two polls; 1 / FEW of them must be decided for another pass */
enum { AHEAD = 64 };          /* vertices ahead whose rows are prefetched */

typedef struct {
  uint32_t target; /* of a rank: no vertex */
} done_item;
SCREE_MESSAGE_ROUTED(done, done_item);

typedef struct {
  uint32_t *open;             /* local vertices that are not decided, in ascending order */
  uint32_t *examined;         /* by vertex: arcs of its row that lead to vertices which are not in the set, or later */
  uint64_t count, read, kept; /* of `open`: in it; examined in this pass; of these still open */
  struct {
    bool chain, settled,
        passed_on; /* ranks finish in turn; those before this one have; the next one knows of this one */
  } turn;
  bool few, sure;        /* the last pass decided few; they had when this one began */
  bool guesses, guessed; /* it does; all are */
  scree__mis_part part;
  bool news; /* on several nodes: another pass may decide some */
} state;

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__mis_take(run, sender, items, count);
  ((state *)run->own)->news = true;
}

static void take_done(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  state *s = run->own;
  (void)sender, (void)items, (void)count;
  s->turn.settled = true;
}

static inline bool precedes(const scree_graph *g, uint64_t a, uint64_t b) {
  if (g->vertices.kind == SCREE_DISTRIBUTION_BLOCK) return a < b;
  return scree_graph_vertex(g, scree_graph_unpack(g, a)) < scree_graph_vertex(g, scree_graph_unpack(g, b));
}

/* By the states of the earlier neighbours. */
static scree__mis_state examine(scree__run *run, state *s, uint32_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  for (uint64_t e = g->offsets[u] + s->examined[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e);
    const scree__mis_state state = scree__mis_get(m, head);
    if (state == SCREE__MIS_OUT || !precedes(g, head, m->first + u)) continue;
    s->examined[u] = (uint32_t)(e - g->offsets[u]);
    return state == SCREE__MIS_IN ? SCREE__MIS_OUT : SCREE__MIS_OPEN;
  }
  return SCREE__MIS_IN;
}

/* Returns whether it is decided. */
static bool decide(scree__run *run, state *s, uint32_t u) {
  const scree__mis *m = scree__mis_of(run);
  scree__mis_state state = scree__mis_get(m, m->first + u);
  if (state == SCREE__MIS_OPEN) {
    state = s->sure ? SCREE__MIS_IN : examine(run, s, u);
    if (state == SCREE__MIS_OPEN) return false;
    if (state == SCREE__MIS_IN) scree__mis_join(run, u);
    if (state == SCREE__MIS_OUT) scree__mis_set(m, m->first + u, state);
    scree_node_array_step(m->array, run->worker);
  }
  scree__mis_notify(run, u);
  return true;
}

/* Inlined: gcc leaves out calls of a function that only prefetches. */
static inline __attribute__((always_inline)) void prefetch(const scree__run *run, const state *s) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  if (s->read + AHEAD >= s->count) return;
  const uint32_t u = s->open[s->read + AHEAD];
  if (scree__mis_get(m, m->first + u) != SCREE__MIS_OPEN) return;
  const char *row = (const char *)g->targets + g->offsets[u] * scree__head_bytes(g->wide);
  __builtin_prefetch(row);
  __builtin_prefetch(row + 64);
}

static void pass(scree__run *run, state *s) {
  const uint64_t begun = scree__work_begin(run);
  if (s->read == 0) {
    s->sure = s->turn.settled;
    s->news = false;
  }
  for (int i = 0; i < TURN && s->read < s->count; i++) {
    const uint32_t u = s->open[s->read];
    prefetch(run, s);
    if (!decide(run, s, u)) s->open[s->kept++] = u;
    s->read++;
  }
  if (s->read == s->count) {
    s->few = s->turn.chain && s->count - s->kept < s->count / FEW;
    s->news |= s->kept < s->count;
    s->count = s->kept;
    s->read = s->kept = 0;
  }
  scree__work_end(run, begun);
}

static bool must_pass_on(const scree__run *run, const state *s) {
  return s->turn.chain && s->turn.settled && !s->turn.passed_on && s->count == 0 &&
         run->worker->rank + 1 < run->worker->ranks;
}

static void guess(scree__run *run, state *s) {
  if (!s->guessed)
    s->guessed = !scree__mis_part_guess(run, &s->part);
  else
    scree__mis_part_settle(run, &s->part), s->count = 0;
}

/* On one node others change states at any time; one who guesses waits for a message. */
static bool may_decide(const scree__run *run, const state *s) {
  if (s->guesses) return s->count && (s->turn.settled || !s->guessed);
  return s->count && (s->news || s->read || scree__mis_of(run)->whole);
}

static scree_status solve(scree__run *run) {
  state *s = run->own;
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t u = 0; u < run->graph->locals && !s->guesses; u++) s->open[s->count++] = (uint32_t)u;
  if (s->guesses) s->count = 1;
  s->news = true;
  while (!scree__run_test(run, !may_decide(run, s) && !must_pass_on(run, s))) {
    if (s->guesses && may_decide(run, s))
      guess(run, s);
    else if (may_decide(run, s) && (s->turn.settled || !s->few || s->read))
      pass(run, s);
    if (!must_pass_on(run, s)) continue;
    s->turn.passed_on = true;
    done_send(run->worker, (done_type){run->types[1]}, run->worker->rank + 1, (done_item){0});
    run->work.messages++;
  }
  return scree__run_ended(run);
}

static scree_status setup(scree__run *run) {
  const size_t n = (size_t)run->graph->locals + 1;
  state *s = run->own;
  s->open = scree__run_alloc(run, n * sizeof *s->open);
  s->examined = scree__run_alloc(run, n * sizeof *s->examined);
  s->turn.chain = scree__mis_of(run)->whole && run->graph->vertices.kind == SCREE_DISTRIBUTION_BLOCK;
  s->turn.settled = s->turn.chain && run->worker->rank == 0;
  s->guesses = s->turn.chain && s->open && scree__mis_part_open(run, &s->part, s->open);
  return scree__run_ready(run, true, "the vertices that are not decided");
}

const scree__variant scree__mis_greedy = {
    .about = {"greedy", "the set of a serial loop in the order of the vertices, in one epoch"},
    .tuned = true,
    .messages = {{"mis.greedy", sizeof(scree__mis_item), take, NULL}, {"mis.done", sizeof(done_item), take_done, NULL}},
    .own = sizeof(state),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 10},
};
