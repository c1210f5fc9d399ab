/* graphs.c - the graph layer of a world: its message types, phases, agreement.
 *
 * Room: what every collective of the layer needs: an epoch with a receiver, one status and one text on all ranks. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/internal.h"

static void on_triples(scree_worker *w, const scree_batch *batch, const scree__triple *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  graphs->take_triples(graphs, items, batch->count, graphs->arg);
}
SCREE_HANDLER(graph_triple, scree__triple, on_triples);

static void on_links(scree_worker *w, const scree_batch *batch, const scree__link *items, void *arg) {
  (void)w;
  scree__builder_links(arg, items, batch->count);
}
SCREE_HANDLER(graph_link, scree__link, on_links);

static void on_arcs(scree_worker *w, const scree_batch *batch, const scree__arc *items, void *arg) {
  (void)w;
  scree__builder_arcs(arg, items, batch->count);
}
SCREE_HANDLER(graph_arc, scree__arc, on_arcs);

static void on_bytes(scree_worker *w, const scree_batch *batch, const void *items, void *arg) {
  (void)w;
  scree_graphs *graphs = arg;
  for (uint32_t i = 0; i < batch->count; i++) {
    size_t bytes;
    const void *data = scree_record(&items, &bytes);
    graphs->take_bytes(graphs, data, bytes, graphs->arg);
  }
}
SCREE_VARIABLE_HANDLER(graph_bytes, on_bytes);

scree_status scree_graphs_open(scree_world *world, scree_graphs **out) {
  scree_graphs *graphs = calloc(1, sizeof *graphs);
  scree_graphs *arg = graphs; /* without memory the types are registered all the same, so that no rank waits */
  graph_triple_type triple;
  graph_bytes_type bytes;
  graph_link_type link;
  graph_arc_type arc;
  scree_status status = graph_triple_register(world, arg, &triple);
  if (!status) status = graph_bytes_register(world, arg, &bytes);
  if (!status) status = graph_link_register(world, arg, &link);
  if (!status) status = graph_arc_register(world, arg, &arc);
  scree_worker *worker = scree_worker_of(world, 0);
  scree_reduce r = {.max = graphs == NULL};
  if (!status) status = scree_begin(worker);
  if (!status) status = scree_end(worker, &r);
  if (!status && r.max) status = SCREE_ENOMEM;
  if (status) {
    free(graphs);
    return status;
  }
  graphs->world = world;
  graphs->worker = worker;
  graphs->triple = triple;
  graphs->bytes = bytes;
  graphs->link = link;
  graphs->arc = arc;
  *out = graphs;
  return SCREE_OK;
}

void scree_graphs_close(scree_graphs *graphs) {
  free(graphs);
}

void scree_graphs_on_load(scree_graphs *graphs, scree_load_fn *fn, void *arg) {
  graphs->watch = (scree__watch){fn, arg};
}

scree_worker *scree_graphs_worker(const scree_graphs *graphs) {
  return graphs->worker;
}

void *scree_graphs_alloc(const scree_graphs *graphs, size_t bytes) {
  return scree__huge_alloc(bytes, scree_options_of(graphs->world)->huge_pages, false);
}

const char *scree_graphs_error(const scree_graphs *graphs) {
  return graphs->text;
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

static scree_status world_failed(scree_graphs *graphs, scree_status status) {
  if (status) snprintf(graphs->text, sizeof graphs->text, "%s", scree_error_text(graphs->world));
  if (status && !*graphs->text) snprintf(graphs->text, sizeof graphs->text, "%s", scree_status_text(status));
  return status;
}

scree_status scree__phase_begin(scree_graphs *graphs, scree__take_triples *triples, scree__take_bytes *bytes,
                                void *arg) {
  graphs->take_triples = triples;
  graphs->take_bytes = bytes;
  graphs->arg = arg;
  return world_failed(graphs, scree_begin(graphs->worker));
}

scree_status scree__phase_end(scree_graphs *graphs, scree_reduce *inout) {
  return world_failed(graphs, scree_end(graphs->worker, inout));
}

scree_status scree_graphs_reduce(scree_graphs *graphs, scree_reduce *inout) {
  scree_status status = scree__phase_begin(graphs, NULL, NULL, NULL);
  return status ? status : scree__phase_end(graphs, inout);
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

scree_status scree__why(scree_graphs *graphs, scree_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(graphs->why, sizeof graphs->why, format, list);
  va_end(list);
  return status;
}

scree_status scree__no_memory(scree_graphs *graphs, size_t bytes) {
  return scree__why(graphs, SCREE_ENOMEM, "rank %u: out of memory: %zu bytes were asked for",
                    (unsigned)scree_rank(graphs->worker), bytes);
}

static void take_text(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)arg;
  if (bytes >= sizeof graphs->text) bytes = sizeof graphs->text - 1;
  memcpy(graphs->text, data, bytes);
  graphs->text[bytes] = 0;
}

scree_status scree__elect(scree_graphs *graphs, uint64_t key, const char *why, uint64_t *min) {
  scree_reduce r = {.min = key};
  scree_status status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  *min = r.min;
  if (r.min == UINT64_MAX) return SCREE_OK;
  status = scree__phase_begin(graphs, NULL, take_text, NULL);
  if (status) return status;
  if (key == r.min)
    for (uint32_t i = 0; i < scree_ranks(graphs->worker); i++)
      graph_bytes_send(graphs->worker, graphs->bytes, i, why, strlen(why));
  return scree__phase_end(graphs, NULL);
}

scree_status scree__elect_verdict(scree_graphs *graphs, uint64_t key, const char *why, uint64_t *min,
                                  scree_verdict *verdict) {
  scree_status status = scree__elect(graphs, key, why, min);
  if (status) return status;
  *verdict = (scree_verdict){.valid = *min == UINT64_MAX};
  if (verdict->valid) return SCREE_OK;
  snprintf(verdict->text, sizeof verdict->text, "%.255s", graphs->text);
  graphs->text[0] = 0;
  return SCREE_OK;
}

enum { WORST = 15, STATUS_SHIFT = 60 };

scree_status scree__agree_key(scree_graphs *graphs, scree_status status, uint64_t key) {
  uint64_t mine = status ? (uint64_t)(WORST - (int)status) << STATUS_SHIFT | key : UINT64_MAX, min;
  scree_status failed = scree__elect(graphs, mine, graphs->why, &min);
  if (failed) return failed;
  return min == UINT64_MAX ? SCREE_OK : (scree_status)(WORST - (int)(min >> STATUS_SHIFT));
}

scree_status scree__agree(scree_graphs *graphs, scree_status status) {
  return scree__agree_key(graphs, status, scree_rank(graphs->worker));
}

scree_status scree_graphs_agree(scree_graphs *graphs, scree_status status, const char *why, ...) {
  if (status) {
    va_list list;
    va_start(list, why);
    vsnprintf(graphs->why, sizeof graphs->why, why, list);
    va_end(list);
  }
  return scree__agree(graphs, status);
}
