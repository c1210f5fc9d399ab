/* pull.c - triangles by reading the rows of other vertices: in place where their ranks are on this node. Of other nodes
 * a worker asks for them, each once in a round for all of its vertices that need it: rounds bound the memory. */
#include <stdlib.h>

#include "tc/run.h"

enum { REQUEST = SCREE__TC_OWN, ROW, WORDS = 7 };

typedef struct {
  uint32_t target, from, at; /* local index on the receiver; the worker that asks, and where it waits for the row */
} request_item;
SCREE_MESSAGE_ROUTED(request, request_item);

/* A part of the row of a far vertex. */
typedef struct {
  uint32_t at, count;
  uint64_t words[WORDS];
} row_item;
SCREE_MESSAGE_ROUTED(row, row_item);

static void take_requests(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const request_item *item = items;
  const scree__tc *t = run->own;
  const row_type type = {run->types[ROW]};
  const uint64_t most = sizeof(uint64_t[WORDS]) / scree__head_bytes(t->wide);
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const scree__tc_row row = scree__tc_row_of(t, scree__tc_own_location(run->graph, item[i].target));
    for (uint64_t k = row.begin; k < row.end; k += most) {
      const uint64_t left = row.end - k, here = left < most ? left : most;
      row_item part = {.at = item[i].at, .count = (uint32_t)here};
      for (uint64_t j = 0; j < here; j++)
        scree__head_set(part.words, t->wide, j, scree__head_get(row.keys, t->wide, k + j));
      row_send(run->worker, type, item[i].from, part);
      run->work.messages++;
    }
  }
}

static void take_rows(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const row_item *item = items;
  const scree__tc_part *p = scree__tc_part_of(run);
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t location = p->far[item[i].at].location;
    uint64_t triangles = 0;
    for (uint64_t k = item[i].at; k < p->fars && p->far[k].location == location; k++)
      triangles += scree__tc_common(run, p->far[k].u, p->far[k].at + 1, item[i].words, item[i].count);
    if (triangles) scree__tc_add(run, location, triangles);
  }
}

static void far(scree__run *run, uint64_t u, uint32_t at, uint64_t location) {
  scree__tc_part *p = scree__tc_part_of(run);
  p->far[p->fars++] = (scree__tc_far){location, (uint32_t)u, at};
}

static int by_location(const void *a, const void *b) {
  const uint64_t x = ((const scree__tc_far *)a)->location, y = ((const scree__tc_far *)b)->location;
  return (x > y) - (x < y);
}

static void ask(scree__run *run) {
  const scree_graph *g = run->graph;
  const scree__tc *t = run->own;
  const scree__tc_part *p = scree__tc_part_of(run);
  const request_type type = {run->types[REQUEST]};
  const uint32_t from = run->worker->rank * t->workers + run->worker->index;
  if (p->fars) qsort(p->far, p->fars, sizeof *p->far, by_location);
  for (uint64_t k = 0; k < p->fars; k++) {
    if (k && p->far[k].location == p->far[k - 1].location) continue;
    const uint32_t owner = (uint32_t)(p->far[k].location >> g->local_bits);
    const uint64_t local = p->far[k].location & ((UINT64_C(1) << g->local_bits) - 1);
    request_send(run->worker, type, scree__tc_worker(t, owner, local),
                 (request_item){(uint32_t)local, from, (uint32_t)k});
    run->work.messages++;
  }
}

/* On several nodes. */
static uint64_t bytes_of_far(const scree_graph *g, uint64_t locals, const void *options) {
  (void)options;
  (void)locals;
  return scree__tc_fars(g->arcs / 2 / g->vertices.ranks) * sizeof(scree__tc_far);
}

static scree_status setup(scree__run *run) {
  static const scree__tc_how how = {.node = true, .far = far, .ask = ask};
  return scree__tc_setup(run, &how);
}

const scree__variant scree__tc_pull = {
    .about = {"pull", "rows of neighbours are read in place, those of other nodes are asked for"},
    .workers = true,
    .tuned = true,
    .messages = {SCREE__TC_MESSAGES,
                 {"tc.request", sizeof(request_item), take_requests, NULL},
                 {"tc.row", sizeof(row_item), take_rows, NULL}},
    .flags = {SCREE_TO_WORKER, 0, SCREE_TO_WORKER, SCREE_TO_WORKER},
    .setup = setup,
    .solve = scree__tc_solve,
    .memory = {.more = bytes_of_far},
};
