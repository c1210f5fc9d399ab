/* ordered.c - colours by the order of the keys: each vertex gets its colour when its neighbours of a higher key have
 * theirs (Jones & Plassmann, SIAM J. Sci. Comput. 14, 1993), so the colours are those of a serial loop. Each rank
 * colours its vertices one by one in this order, and waits for a neighbour of another rank that is not coloured: of
 * all vertices without a colour the one with the highest key can always get one. */
#include "colour/run.h"
#include "graph/structure.h"

enum { POLLS = 64 };         /* while a rank waits, before it asks for a message and is idle */
enum { NEAR = 3, FAR = 16 }; /* vertices ahead whose neighbours' words, and whose rows, are prefetched */
enum { SPARSE = 8 };         /* arcs per vertex, below which words are not prefetched */
enum { FEW = 64 };           /* a row of fewer arcs has a free colour among so many */
SCREE_MESSAGE_ROUTED(ask, scree__colour_ask);

static inline uint32_t slot(uint32_t word, uint32_t base) {
  const uint32_t colour = (word ^ SCREE__COLOURED) - base;
  return colour < SCREE__COLOUR_WINDOW ? colour : SCREE__COLOUR_WINDOW;
}

/* `wide` and `few` are constants. */
static inline __attribute__((always_inline)) bool mark_row(const scree_graph *g, scree__colour *c, uint64_t u,
                                                           uint32_t base, uint32_t key, bool wide, bool few) {
  const void *targets = g->targets;
  const unsigned *words = c->word;
  const uint64_t end = g->offsets[u + 1];
  const uint32_t stamp = c->stamp;
  bool higher = false;
  uint64_t used = 0;
  for (uint64_t e = g->offsets[u]; e < end; e++) {
    const uint32_t word = AO_int_load(&words[scree__head_get(targets, wide, e)]);
    if (few)
      used |= (uint64_t)(slot(word, 0) < FEW) << word % FEW;
    else
      c->mark[slot(word, base)] = stamp;
    higher |= (int32_t)word >= (int32_t)key;
  }
  c->used = used;
  return higher;
}

/* Marks the colours of neighbours from `base` on, of a short row as bits. Returns whether one without a colour has a
 * key of at least `key`. */
static inline bool mark_colours(scree__colour *c, const scree_graph *g, uint64_t u, uint32_t base, uint32_t key) {
  const bool few = scree_graph_degree(g, u) < FEW;
  if (few && !g->wide) return mark_row(g, c, u, base, key, false, true);
  if (few) return mark_row(g, c, u, base, key, true, true);
  if (++c->stamp == 0) {
    for (uint32_t i = 0; i <= SCREE__COLOUR_WINDOW; i++) c->mark[i] = 0;
    c->stamp = 1;
  }
  return g->wide ? mark_row(g, c, u, base, key, true, false) : mark_row(g, c, u, base, key, false, false);
}

static void mark(scree__colour *c, uint32_t word) {
  c->mark[slot(word, 0)] = c->stamp;
  c->used |= (uint64_t)(slot(word, 0) < FEW) << word % FEW;
}

/* The lowest colour that is not marked, as a word; with more than a window of colours, by further searches. */
static uint32_t free_colour(scree__run *run, uint64_t u) {
  scree__colour *c = scree__colour_of(run);
  run->work.edges += scree_graph_degree(run->graph, u);
  if (scree_graph_degree(run->graph, u) < FEW) return SCREE__COLOURED | (uint32_t)__builtin_ctzll(~c->used);
  for (uint32_t base = 0;; base += SCREE__COLOUR_WINDOW) {
    if (base) mark_colours(c, run->graph, u, base, 0);
    for (uint32_t i = 0; i < SCREE__COLOUR_WINDOW; i++)
      if (c->mark[i] != c->stamp) return SCREE__COLOURED | (base + i);
  }
}

/* Whether u must wait; *at: the location of the neighbour. Marks the colours of those that have got one since. */
static bool must_wait(const scree__run *run, uint64_t u, uint32_t key, uint64_t *at) {
  const scree_graph *g = run->graph;
  scree__colour *c = scree__colour_of(run);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e), self = c->first + u;
    const uint32_t word = scree__colour_get(c, head);
    if (word & SCREE__COLOURED) mark(c, word);
    if (word & SCREE__COLOURED || word < key || head == self) continue;
    if (word == key && scree__colour_place(g, head) > scree__colour_place(g, self)) continue;
    *at = head;
    return true;
  }
  return false;
}

static bool waits(const scree__colour *c, uint64_t at) {
  return !(scree__colour_get(c, at) & SCREE__COLOURED);
}

/* Asks for a message when the vertex that this rank waits for is coloured. */
static void ask_owner(scree__run *run, uint64_t at) {
  const uint32_t bits = run->graph->local_bits;
  const scree__colour_ask item = {(uint32_t)(at & ((UINT64_C(1) << bits) - 1)), run->worker->rank};
  ask_send(run->worker, (ask_type){run->types[1]}, (uint32_t)(at >> bits), item);
  run->work.messages++;
}

/* A rank waits for one vertex at a time. */
void scree__colour_take_ask(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__colour_ask *item = items;
  scree__colour *c = scree__colour_of(run);
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    c->asking += !c->asked[item[i].rank];
    c->asked[item[i].rank] = item[i].local + 1;
  }
}

/* A send may run the handler above: then there may be more to answer before this rank is idle. */
static void answer(scree__run *run) {
  scree__colour *c = scree__colour_of(run);
  uint64_t before;
  do {
    before = run->batches;
    for (uint32_t rank = 0; c->asking && rank < run->worker->ranks; rank++) {
      const uint32_t asked = c->asked[rank];
      if (!asked || waits(c, c->first + asked - 1)) continue;
      c->asked[rank] = 0;
      c->asking--;
      scree__colour_send(run, asked - 1, rank);
    }
  } while (c->asking && run->batches != before);
}

/* On one node a message is sent only if a rank has asked for it. */
static void publish(scree__run *run, uint64_t u, uint32_t word) {
  const scree__colour *c = scree__colour_of(run);
  scree_node_array_step(c->array, run->worker);
  scree__colour_set(c, u, word);
  if (!c->whole) scree__colour_notify(run, u, true);
}

/* Inlined: gcc leaves out calls of a function that only prefetches. */
static inline __attribute__((always_inline)) void prefetch(const scree_graph *g, const scree__colour *c, uint64_t i) {
  if (i + FAR < c->count) {
    const char *row = (const char *)g->targets + g->offsets[c->order[i + FAR]] * (g->wide ? 8 : 4);
    __builtin_prefetch(row);
    __builtin_prefetch(row + 64);
  }
  if (i + NEAR >= c->count || g->arcs < SPARSE * g->locals) return;
  const uint64_t from = g->offsets[c->order[i + NEAR]], end = g->offsets[c->order[i + NEAR] + 1];
  for (uint64_t e = from; e < end && e < from + 32; e++) __builtin_prefetch(&c->word[scree_graph_packed_target(g, e)]);
}

void scree__colour_first_fit(scree__run *run, uint64_t i) {
  scree__colour *c = scree__colour_of(run);
  prefetch(run->graph, c, i);
  scree__colour_set(c, c->order[i], 0); /* a loop does not count */
  mark_colours(c, run->graph, c->order[i], 0, 0);
  scree__colour_set(c, c->order[i], free_colour(run, c->order[i]));
  scree_node_array_step(c->array, run->worker);
}

/* Colours some of the vertices from `next` on. */
static void advance(scree__run *run, uint64_t *next, uint64_t *at) {
  scree__colour *c = scree__colour_of(run);
  const uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < SCREE__COLOUR_TURN && *next < c->count; i++, ++*next) {
    const uint32_t u = c->order[*next], key = scree__colour_get(c, c->first + u);
    prefetch(run->graph, c, *next);
    if (mark_colours(c, run->graph, u, 0, key) && must_wait(run, u, key, at)) break;
    publish(run, u, free_colour(run, u));
  }
  scree__work_end(run, begun);
}

static scree_status send_keys(scree__run *run) {
  const scree__colour *c = scree__colour_of(run);
  const scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < c->count && !c->whole; i++) scree__colour_notify(run, c->order[i], false);
  while (!scree__run_test(run, true)) continue;
  return scree__run_ended(run);
}

/* A rank that waits is idle until a message comes, also from a rank of this node: else ranks that share a core would
 * wait for whole time slices. */
scree_status scree__colour_in_order(scree__run *run) {
  scree__colour *c = scree__colour_of(run);
  uint64_t next = 0, at = scree_graph_slots(run->graph); /* the place that counts as coloured */
  uint32_t polls = 0;
  bool idle = false;
  AO_int_store(&c->word[at], SCREE__COLOURED);
  scree_status status = send_keys(run);
  if (status == SCREE_OK) status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, next == c->count || idle)) {
    const bool waiting = waits(c, at);
    polls = waiting ? polls + 1 : 0;
    idle = waiting && (!c->whole || polls > POLLS);
    if (c->whole && polls == POLLS + 1) ask_owner(run, at);
    if (!waiting && next < c->count) advance(run, &next, &at);
    answer(run);
  }
  return scree__run_ended(run);
}

static scree_status solve(scree__run *run) {
  const scree_status status = scree__colour_by_degree(run);
  return status ? status : scree__colour_in_order(run);
}

const scree__variant scree__colour_largest_first = {
    .about = {"largest-first", "the colours of a serial loop in descending order of degree"},
    .tuned = true,
    .messages = {{"colour.key", sizeof(scree__colour_item), scree__colour_take, NULL},
                 {"colour.ask", sizeof(scree__colour_ask), scree__colour_take_ask, NULL}},
    .solve = solve,
};
