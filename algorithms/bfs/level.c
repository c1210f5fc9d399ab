/* level.c - level-synchronous BFS.
 *
 * Room: one variant. One epoch for each level: the frontier tells its neighbours, and who hears of it for the first
 * time is the next frontier. The end of the epoch sums the sizes of the parts of that frontier. */
#include <stdlib.h>

#include "variants.h"

/* "I am before you." The level is known from the epoch, the sender's rank to the handler. */
typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} visit_item;
SCREE_MESSAGE(visit, visit_item);

typedef struct {
  uint32_t *now, *next;    /* this rank's part of the frontier, and of the one after it */
  uint64_t count;          /* vertices in now */
  int64_t depth;           /* level of the vertices in next */
  scree_reduce next_count; /* sum[0]: vertices in next */
} frontier;

static void handle(scree_worker *worker, const scree_run *batch, const void *items, void *arg) {
  (void)worker;
  scree__run *run = ((scree__solver *)arg)->run;
  frontier *f = run->own;
  const visit_item *item = items;
  uint64_t found = 0;
  for (uint32_t i = 0; i < batch->count; i++) {
    uint32_t v = item[i].target;
    if (run->level[v] >= 0) continue;
    run->level[v] = f->depth;
    run->parent[v] = scree_place_make((uint32_t)batch->source, item[i].parent);
    f->next[f->next_count.sum[0] + found++] = v;
  }
  f->next_count.sum[0] += found;
  run->work.useful += found;
  run->work.rejected += batch->count - found;
}

static void visit_neighbours(scree__run *run, uint32_t u) {
  const scree_graph *g = run->graph;
  const visit_type type = {run->type};
  const uint64_t end = g->offsets[u + 1];
  for (uint64_t e = g->offsets[u]; e < end; e++) {
    visit_item item = {(uint32_t)scree_place_local(scree_graph_target(g, e)), u};
    visit_send(run->worker, type, scree_place_owner(scree_graph_target(g, e)), item);
  }
  run->work.sent += end - g->offsets[u];
}

/* *total: vertices of the next frontier on all ranks. */
static scree_status one_level(scree__run *run, frontier *f, uint64_t *total) {
  f->next_count = (scree_reduce){{0, 0}, UINT64_MAX, 0};
  f->depth++;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint64_t i = 0; i < f->count; i++) visit_neighbours(run, f->now[i]);
  status = scree_end(run->worker, &f->next_count);
  *total = f->next_count.sum[0];
  return status;
}

static scree_status traverse(scree__run *run, frontier *f) {
  scree_status status = SCREE_OK;
  if (run->has_source) f->now[f->count++] = run->source;
  for (uint64_t total = 1; total && status == SCREE_OK; run->work.epochs++) {
    uint64_t useful = run->work.useful;
    status = one_level(run, f, &total);
    uint32_t *done = f->now;
    f->now = f->next;
    f->next = done;
    f->count = run->work.useful - useful; /* the reduction holds the sum over all ranks by now */
  }
  run->work.edges = run->work.sent;
  return status;
}

static scree_status solve(scree__run *run) {
  size_t bytes = (size_t)(run->graph->locals + 1) * sizeof(uint32_t);
  frontier f = {.now = malloc(bytes), .next = malloc(bytes)};
  scree_status status = scree_graphs_agree(run->graph->graphs, f.now && f.next ? SCREE_OK : SCREE_ENOMEM,
                                           "rank %u: no memory for a frontier of %llu vertices; use more ranks",
                                           scree_graph_rank(run->graph), (unsigned long long)run->graph->locals);
  run->own = &f;
  if (status == SCREE_OK) status = traverse(run, &f);
  free(f.now);
  free(f.next);
  return status;
}

const scree__variant scree__bfs_level = {
    .about = {"level", "level-synchronous: one epoch for each level"},
    .type = "bfs.level",
    .item = sizeof(visit_item),
    .handler = handle,
    .solve = solve,
};
