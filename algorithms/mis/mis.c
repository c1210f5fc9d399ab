/* mis.c - the kernel of maximal independent sets: its record, and what its variants share. */
#include "mis/run.h"

enum { STATE_BITS = 2 };
SCREE_MESSAGE_ROUTED(mis_decided, scree__mis_item);

static const scree__variant *const variants[] = {&scree__mis_greedy, &scree__mis_luby, NULL};

void scree__mis_take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__mis_item *item = items;
  (void)sender;
  for (uint32_t i = 0; i < count; i++) {
    const scree__mis_state state = (scree__mis_state)(item[i].value & ((1 << STATE_BITS) - 1));
    scree__mis_set(scree__mis_of(run), item[i].value >> STATE_BITS, state);
  }
}

void scree__mis_notify(scree__run *run, uint64_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  const scree__mis_item item = {(m->first + u) << STATE_BITS | scree__mis_get(m, m->first + u)};
  uint32_t last = UINT32_MAX;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && !m->whole; e++) {
    const uint32_t to = scree_location_owner(scree_graph_target(g, e));
    if (to == run->worker->rank || to == last) continue;
    last = to;
    mis_decided_send(run->worker, (mis_decided_type){run->types[0]}, to, item);
    run->work.messages++;
  }
}

void scree__mis_join(scree__run *run, uint64_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  scree__mis_set(m, m->first + u, SCREE__MIS_IN);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_packed_target(g, e);
    if (head == m->first + u) continue;
    if (m->whole || m->array->index_of[head >> g->local_bits] != UINT32_MAX) scree__mis_set(m, head, SCREE__MIS_OUT);
  }
  run->work.edges += scree_graph_degree(g, u);
}

static scree_status setup(scree__run *run) {
  scree__mis *m = scree__mis_of(run);
  scree_status status = scree__run_undirected(run);
  if (status == SCREE_OK) status = scree__run_share(run, scree_graph_slots(run->graph) + 1, &m->array);
  if (status) return status;
  m->state = (unsigned char *)m->array->at;
  m->first = (uint64_t)scree_graph_rank(run->graph) << run->graph->local_bits;
  m->whole = m->array->ranks == run->worker->ranks;
  return SCREE_OK;
}

static scree_status finish(scree__run *run) {
  const scree__mis *m = scree__mis_of(run);
  uint64_t *member = run->result[0];
  scree_reduce all = SCREE_REDUCE_INIT;
  for (uint64_t u = 0; u < run->graph->locals; u++)
    all.sum[0] += member[u] = scree__mis_get(m, m->first + u) == SCREE__MIS_IN;
  const scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->figure[0] = (double)all.sum[0];
  run->passes = 1;
  return status;
}

const scree__kernel scree__kernel_mis = {
    .about = {.name = "mis",
              .help = "a maximal independent set; of undirected graphs only (--undirected)",
              .arrays = {{"member", SCREE_VALUE_COUNT, true}},
              .figures = {"members"},
              .options_name = "scree_kernel_options",
              .options_init = "scree_kernel_options_init",
              .options_size = sizeof(scree_kernel_options)},
    .variants = variants,
    .setup = setup,
    .finish = finish,
    .validate = scree__mis_validate,
    .shared = sizeof(scree__mis),
    .memory = {.node_bits = 8},
};
