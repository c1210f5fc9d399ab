/* graphs.c - the graph layer of a world: its message types, its memory, its callbacks. */
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "graph/exchange.h"

static void on_triples(scree_worker *w, const scree_batch *batch, const scree__triple *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  graphs->receivers.triples(graphs, items, batch->count, graphs->arg);
}
SCREE_HANDLER(graph_triple, scree__triple, on_triples);

static void on_links(scree_worker *w, const scree_batch *batch, const scree__link *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  graphs->receivers.links(graphs, items, batch->count, graphs->arg);
}
SCREE_HANDLER(graph_link, scree__link, on_links);

static void on_arcs(scree_worker *w, const scree_batch *batch, const scree__arc *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  graphs->receivers.arcs(graphs, items, batch->count, graphs->arg);
}
SCREE_HANDLER(graph_arc, scree__arc, on_arcs);

static void on_bytes(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    const void *data = scree_record_next(&items, &bytes);
    graphs->receivers.bytes(graphs, data, bytes, graphs->bytes_arg);
  }
}
SCREE_VARIABLE_HANDLER(graph_bytes, on_bytes);

static scree_graphs *new_graphs(void) {
  scree_graphs *graphs = calloc(1, sizeof *graphs);
  if (graphs) graphs->account = scree__account_new();
  if (graphs) graphs->progress.since = scree__seconds();
  if (graphs && graphs->account) return graphs;
  free(graphs);
  return NULL;
}

scree_status scree_graphs_open(scree_world *world, scree_graphs **out) {
  if (!world) return SCREE_EINVAL;
  if (!out) return scree_register(world, NULL, NULL); /* refused with a text, on all ranks */
  scree_graphs *graphs = new_graphs();
  scree_graphs *arg = graphs; /* without memory the types are registered all the same, so that no rank waits */
  const scree_type_desc types[] = {graph_triple_desc(0, arg), graph_bytes_desc(0, arg), graph_link_desc(0, arg),
                                   graph_arc_desc(0, arg)};
  uint32_t ids[4];
  scree_status status = scree_register_all(world, types, 4, ids);
  scree_worker *worker = scree_worker_of(world, 0);
  if (!status) status = scree_begin(worker);
  if (!status && !graphs) scree_fail(worker, SCREE_ENOMEM, "no memory for the graph layer: free memory on this host");
  if (!status) status = scree_end(worker, NULL);
  if (status) {
    scree_graphs_close(graphs);
    return status;
  }
  graphs->world = world;
  graphs->worker = worker;
  graphs->triple.id = ids[0];
  graphs->bytes.id = ids[1];
  graphs->link.id = ids[2];
  graphs->arc.id = ids[3];
  *out = graphs;
  return SCREE_OK;
}

void scree_graphs_close(scree_graphs *graphs) {
  if (graphs) scree__account_close(graphs->account);
  free(graphs);
}

void scree_graphs_on_load(scree_graphs *graphs, scree_load_fn *fn, void *arg) {
  if (!graphs) return;
  graphs->progress.fn = fn;
  graphs->progress.arg = arg;
}

scree_phase scree_graphs_enter(scree_graphs *graphs, scree_phase phase) {
  return graphs ? scree__progress_enter(&graphs->progress, phase) : SCREE_PHASE_START;
}

scree_phases scree_graphs_phases(scree_graphs *graphs) {
  if (!graphs) return (scree_phases){0};
  scree_graphs_enter(graphs, graphs->progress.phase);
  return graphs->progress.phases;
}

scree_worker *scree_graphs_worker(const scree_graphs *graphs) {
  return graphs ? graphs->worker : NULL;
}

void *scree_graphs_alloc(const scree_graphs *graphs, size_t bytes) {
  if (!graphs) return NULL;
  return scree__huge_alloc_counted(bytes, scree_options_of(graphs->world)->huge_pages, graphs->account);
}

void *scree__graphs_alloc_kept(const scree_graphs *graphs, size_t bytes, bool zeroed) {
  bool dirty;
  void *table = scree__huge_alloc_kept(bytes, scree_options_of(graphs->world)->huge_pages, graphs->account, &dirty);
  return table && dirty && zeroed ? memset(table, 0, bytes) : table;
}

/* In a failed world every call fails for the world's reason, wherever in the call it appears: also in epochs of a
 * kernel, which do not use exchange.c. */
const char *scree_graphs_error(const scree_graphs *graphs) {
  if (!graphs) return "";
  return scree_error(graphs->world) ? scree_error_text(graphs->world) : graphs->text;
}
