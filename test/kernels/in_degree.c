/* in_degree.c - a kernel of one variant: the number of arcs that lead to each vertex. */
#include "kernel/kernel.h"

typedef struct {
  uint32_t target; /* local index on the receiver */
} arc_item;
SCREE_MESSAGE_ROUTED(arc, arc_item);

static void take_arcs(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  (void)sender;
  const arc_item *item = items;
  uint64_t *degree = run->result[0];
  for (uint32_t i = 0; i < count; i++) degree[item[i].target]++;
}

static void send_arcs(scree__run *run) {
  const scree_graph *g = run->graph;
  const arc_type type = {run->types[0]};
  const uint64_t arcs = g->offsets[g->locals];
  for (uint64_t e = 0; e < arcs; e++) {
    scree_location head = scree_graph_target(g, e);
    arc_send(run->worker, type, scree_location_owner(head), (arc_item){(uint32_t)scree_location_local(head)});
  }
  run->work.messages += arcs;
  run->work.edges += arcs;
}

static scree_status solve(scree__run *run) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  send_arcs(run);
  scree__work_end(run, begun);
  run->passes = 1;
  return scree__run_end(run, NULL);
}

static scree_status validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                             scree_verdict *verdict) {
  (void)source;
  (void)options;
  const uint64_t *degree = answer->array[0];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < g->locals; u++) all.sum[0] += degree[u];
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  *verdict = (scree_verdict){.valid = all.sum[0] == g->arcs};
  if (!verdict->valid) *verdict = (scree_verdict){.rule = 1, .text = "rule 1: the degrees do not sum to the arcs"};
  return status;
}

static const scree__variant by_messages = {
    .about = {"messages", "one message for each arc"},
    .messages = {{"in_degree", sizeof(arc_item), take_arcs, NULL}},
    .solve = solve,
};
static const scree__variant *const variants[] = {&by_messages, NULL};

const scree__kernel scree__kernel_in_degree = {
    .about = {.name = "in-degree",
              .help = "arcs that lead to each vertex",
              .arrays = {{"degree", SCREE_VALUE_COUNT, true}},
              .options_name = "scree_kernel_options",
              .options_init = "scree_kernel_options_init",
              .options_size = sizeof(scree_kernel_options)},
    .variants = variants,
    .validate = validate,
};
