/* push.c - triangles by messages to the owner of each one's second vertex: the rest of the first one's row, a few keys
 * at a time. Only rows of the same rank are read in place. */
#include "tc/run.h"

enum { REST = SCREE__TC_OWN, WORDS = 6 };

typedef struct {
  uint32_t target, count; /* local index on the receiver */
  uint64_t first;         /* location of the first vertex */
  uint64_t words[WORDS];
} rest_item;
SCREE_MESSAGE_ROUTED(rest, rest_item);

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const rest_item *item = items;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t triangles = scree__tc_common(run, item[i].target, 0, item[i].words, item[i].count);
    if (triangles) scree__tc_add(run, item[i].first, triangles);
  }
}

static void far(scree__run *run, uint64_t u, uint32_t at, uint64_t location) {
  const scree_graph *g = run->graph;
  const scree__tc *t = run->own;
  const scree__tc_row row = scree__tc_row_of(t, scree__tc_own_location(run->graph, u));
  const uint64_t most = sizeof(uint64_t[WORDS]) / scree__head_bytes(t->wide);
  const uint64_t local = location & ((UINT64_C(1) << g->local_bits) - 1);
  const uint32_t to = scree__tc_worker(t, (uint32_t)(location >> g->local_bits), local);
  rest_item item = {.target = (uint32_t)local, .first = (uint64_t)run->worker->rank << g->local_bits | u};
  for (uint64_t k = row.begin + at + 1; k < row.end; k++) {
    const uint64_t key = scree__head_get(row.keys, t->wide, k);
    if (scree__tc_is_vertex(t, key)) scree__head_set(item.words, t->wide, item.count++, key);
    if (item.count < most && k + 1 < row.end) continue;
    rest_send(run->worker, (rest_type){run->types[REST]}, to, item);
    run->work.messages++;
    item.count = 0;
  }
}

static scree_status setup(scree__run *run) {
  static const scree__tc_how how = {.node = false, .far = far};
  return scree__tc_setup(run, &how);
}

const scree__variant scree__tc_push = {
    .about = {"push", "the owner of a neighbour is sent the rest of the row to compare"},
    .workers = true,
    .tuned = true,
    .messages = {SCREE__TC_MESSAGES, {"tc.rest", sizeof(rest_item), take, NULL}},
    .flags = {SCREE_TO_WORKER, 0, SCREE_TO_WORKER},
    .setup = setup,
    .solve = scree__tc_solve,
};
