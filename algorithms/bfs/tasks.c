/* tasks.c - level-synchronous BFS by tasks, as Grappa's (Nelson et al. 2015, section 7) and GMT's (Morari et al. 2014,
 * section V): an epoch for each level, in which a loop runs over the queue of vertices of that level. Its tasks notify
 * the owner of each neighbour, which puts those reached for the first time into its next queue. Nothing is pruned. */
#include "bfs/variants.h"

typedef struct {
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
} visit_item;
SCREE_MESSAGE_ROUTED(visit, visit_item);

typedef struct {
  uint32_t *now, *next;  /* local vertices: of this level, and of the next one */
  uint64_t count, found; /* how many */
  int64_t level;         /* of the next one */
  scree_reduce all;      /* sum[0]: those of the next level on this rank; when the epoch has ended, on all */
} queues;

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  queues *q = run->own;
  const visit_item *item = items;
  const uint64_t before = q->found;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = item[i].target;
    if (scree__level(run)[v] >= 0) continue;
    scree__level(run)[v] = q->level;
    scree__parent(run)[v] = scree_graph_vertex(run->graph, scree_location_make(sender, item[i].parent));
    q->next[q->found++] = v;
  }
  run->work.useful += q->found - before;
  run->work.rejected += count - (q->found - before);
  q->all.sum[0] = q->found;
}

/* Vertices of the queue. */
static void run_expand(scree_task *self, uint64_t begin, uint64_t end, const uint64_t *first) {
  const scree__bfs_kept *kept = scree_task_arg(self);
  scree__run *run = kept->tasks.run;
  const scree_graph *g = run->graph;
  const uint32_t *now = ((const queues *)run->own)->now;
  const visit_type type = {run->types[0]};
  uint64_t arcs = 0;
  for (uint64_t i = begin - *first; i < end - *first; i++) {
    const uint32_t u = now[i];
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      const scree_location head = scree_graph_target(g, e);
      visit_send(run->worker, type, scree_location_owner(head), (visit_item){(uint32_t)scree_location_local(head), u});
    }
    arcs += g->offsets[u + 1] - g->offsets[u];
  }
  run->work.messages += arcs;
  run->work.edges += arcs;
}
SCREE_LOOP_BODY(scree__expand, uint64_t, run_expand);

static scree_status next_level(scree__run *run, queues *q, const scree__bfs_kept *kept) {
  const uint64_t first = kept->tasks.first;
  uint32_t *now = q->now;
  q->found = 0;
  q->all = (scree_reduce){.min = UINT64_MAX};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  scree__expand_for_in(run->worker, kept->expand, NULL, SCREE_LOOP_BY_MAP, first, first + q->count, 0, first);
  status = scree__run_end(run, &q->all);
  q->now = q->next;
  q->next = now;
  q->count = q->found;
  return status;
}

static scree_status solve(scree__run *run) {
  queues *q = run->own;
  scree_status status = SCREE_OK;
  for (q->level = 1, q->all.sum[0] = 1; q->all.sum[0] && !status; q->level++) status = next_level(run, q, run->kept);
  return status;
}

static scree_status types(scree_world *world, scree__run_tasks *tasks) {
  scree__bfs_kept *kept = (scree__bfs_kept *)tasks;
  const scree_status status = scree__expand_register(world, kept, &kept->expand);
  kept->expand.map = &tasks->map;
  return status;
}

static scree_status setup(scree__run *run) {
  queues *q = run->own;
  const size_t bytes = (size_t)(run->graph->locals + 1) * sizeof *q->now;
  q->now = scree__run_alloc(run, bytes);
  q->next = scree__run_alloc(run, bytes);
  const scree_status status = scree__run_ready(run, true, "queues");
  if (!status && run->has_source) q->now[q->count++] = run->source;
  return status ? status : scree__run_tasks_open(run, types);
}

const scree__variant scree__bfs_tasks = {
    .about = {"tasks", "level-synchronous, by a loop of tasks over each level; nothing is pruned"},
    .messages = {{"bfs.tasks", sizeof(visit_item), take, NULL}},
    .own = sizeof(queues),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 8},
};
