/* memory.c - the memory of a run: an estimate by the numbers in the records of its kernel and its variant, and its
 * allocations. */
#include "kernel/memory.h"

#include <scree/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "build/memory_check.h"
#include "graph/exchange.h"
#include "graph/structure.h"
#include "kernel/whole.h"

typedef struct {
  uint64_t slots, locals, arcs, part;
  uint32_t ranks, workers;
  uint64_t head, weight; /* bytes of an arc */
  bool directed, long_arcs, in_place;
} size;

static size size_of(const scree_graph *g, uint64_t arcs, uint32_t workers) {
  size s = {.slots = scree_graph_slots(g),
            .locals = g->locals + 1,
            .arcs = arcs + 1,
            .ranks = g->vertices.ranks,
            .workers = workers,
            .head = g->wide ? 8 : 4,
            .weight = scree__weight_bytes(g->weight),
            .directed = g->directed};
  s.part = 8 * (s.locals + 1) + s.arcs * (s.head + s.weight);
  s.long_arcs = g->wide || g->weight == SCREE_WEIGHT_DOUBLE;
  return s;
}

static uint64_t tables(const scree_graph *g, const size *s, const scree__memory_use *use, const void *options) {
  uint64_t bytes = s->locals * (use->local + (uint64_t)use->worker * s->workers) + s->slots * use->whole_bits / 8;
  const uint64_t saving = s->slots * use->saving_bits / 8;
  if (scree__whole_pays_for(s->part, s->arcs, s->ranks, saving)) bytes += saving;
  return bytes + (use->more ? use->more(g, s->locals, options) : 0);
}

/* A hub's arcs are kept twice. */
static uint64_t kept(const size *s, unsigned ordering) {
  if (ordering == SCREE__ROWS) return s->in_place ? 0 : s->arcs * (s->long_arcs ? 16 : 8);
  if (ordering == SCREE__NODE_ROWS) return s->arcs * 8 + (s->slots / s->ranks + 4) * 4;
  if (ordering == SCREE__TRANSPOSED)
    return s->locals * s->head + s->locals / 8 + (s->directed ? s->arcs * s->head + s->locals * 8 : 0);
  if (ordering == SCREE__HUBS) return s->arcs * 4;
  if (ordering == SCREE__READERS) return (s->locals / 1024 + 1) * 8 * s->ranks;
  return s->directed ? 2 * s->arcs * s->head + s->locals * 8 : 0;
}

/* While an ordering is made: a bitmap with counts; arcs in flight. */
static uint64_t making(const size *s, unsigned ordering) {
  if (ordering == SCREE__HUBS) return s->slots / 4;
  return ordering == SCREE__BOTH_WAYS && s->directed ? 2 * s->arcs * 12 : 0;
}

/* Of arrays of a node each counts its part. */
static uint32_t ranks_that_share(const scree_world *world) {
  const scree_options *o = scree_options_of(world);
  const bool off = o->node_arrays == SCREE_NODE_ARRAYS_OFF || o->transport == SCREE_TRANSPORT_MPI;
  return off ? 1 : scree_node_ranks(world);
}

/* Of a run on this graph and rank; no array of the graph is read. An ordering in `made` is not counted. */
static scree_run_bytes bytes_of(const scree__kernel *kernel, const scree__variant *variant, const scree_graph *g,
                                uint64_t arcs, uint32_t workers, unsigned made, const void *options) {
  size s = size_of(g, arcs, workers);
  s.in_place = scree__sorts_in_place(g);
  scree_run_bytes bytes = {.run = tables(g, &s, &kernel->memory, options) + tables(g, &s, &variant->memory, options)};
  uint64_t max = 0;
  bytes.run += kernel->shared + variant->own;
  bytes.node = s.slots * (kernel->memory.node_bits + variant->memory.node_bits) / 8;
  for (size_t i = 0; kernel->about.arrays[i].name; i++) bytes.run += s.locals * sizeof(uint64_t);
  for (unsigned one = 1; one <= SCREE__NODE_ROWS; one *= 2) {
    if (!(variant->memory.orderings & ~made & one)) continue;
    bytes.kept += kept(&s, one);
    if (making(&s, one) > max) max = making(&s, one);
  }
  bytes.run += max;
  return bytes;
}

scree_status scree__run_memory_check(const scree__kernel *kernel, const scree__variant *variant, const scree_graph *g,
                                     uint64_t runs, const void *options) {
  const unsigned wanted = variant->memory.wanted ? variant->memory.wanted(g, runs) : ~0U;
  const uint64_t little = UINT64_C(1) << 26;
  const uint32_t workers = variant->workers ? scree_graphs_worker(g->graphs)->threads : 1;
  const scree_run_bytes bytes =
      bytes_of(kernel, variant, g, g->offsets[g->locals], workers, scree__orderings_made(g) | ~wanted, options);
  char what[96];
  const uint64_t all =
      bytes.run + bytes.kept + bytes.node / ranks_that_share(scree_world_of(scree_graphs_worker(g->graphs)));
  if (!g->graphs->memory_left && all <= little) return SCREE_OK;
  snprintf(what, sizeof what, "a run of %s, algorithm %s,", kernel->about.name, variant->about.name);
  return scree__memory_check(g->graphs, all, what);
}

scree_run_bytes scree_kernel_plan(const scree_kernel *about, const char *algorithm, const scree_graph_shape *shape,
                                  uint64_t edges, uint32_t ranks, uint32_t workers) {
  if (!about || !shape || !ranks) return (scree_run_bytes){0};
  const scree__kernel *kernel = scree__kernel_of(about);
  const scree__variant *const *variant = kernel->variants;
  scree_graph g = {.weight = shape->weight, .directed = shape->directed, .edges = edges};
  while (*variant && algorithm && strcmp((*variant)->about.name, algorithm) != 0) variant++;
  if (!*variant) return (scree_run_bytes){0};
  scree_distribution_init(&g.vertices, shape->distribution, shape->n, ranks);
  scree__graph_set_width(&g, shape->wide);
  g.locals = scree_distribution_count(&g.vertices, 0);
  g.arcs = shape->directed ? edges : 2 * edges;
  const char *reason;
  const scree__variant *chosen = (*variant)->choose ? (*variant)->choose(&g, NULL, 0, &reason) : *variant;
  const uint64_t arcs = (g.arcs + ranks - 1) / ranks;
  const unsigned wanted = chosen->memory.wanted ? chosen->memory.wanted(&g, 0) : ~0U;
  return bytes_of(kernel, chosen, &g, arcs, workers, ~wanted, NULL);
}

/* ---- while it runs ---- */

struct scree__run_table {
  struct scree__run_table *before;
  void *table;
};

void *scree__run_alloc(const scree__run *run, size_t bytes) {
  struct scree__run_table *t = malloc(sizeof *t);
  void *table = t ? scree__graphs_alloc_kept(run->graph->graphs, bytes, true) : NULL;
  if (table) {
    *t = (struct scree__run_table){run->memory->last, table};
    run->memory->last = t;
    return table;
  }
  free(t);
  run->memory->lacking = true;
  return NULL;
}

/* Bytes of an array that this rank counts: an equal part, so that the ranks of a node count it once. */
static size_t counted(const scree_node_array *array) {
  return array->bytes / array->ranks;
}

scree_status scree__run_share(const scree__run *run, size_t bytes, const scree_node_array **array) {
  scree_graphs *graphs = run->graph->graphs;
  scree_world *world = scree_world_of(run->worker);
  if (run->memory->arrays == SCREE__SHARED_MAX)
    return scree_graphs_agree(graphs, SCREE_EINVAL,
                              "%s: a run shares at most %d arrays of a node: raise SCREE__SHARED_MAX in "
                              "algorithms/kernel/memory.h",
                              run->kernel->about.name, SCREE__SHARED_MAX);
  const scree_status status = scree_node_array_open(world, bytes, array);
  if (status) return scree_graphs_agree(graphs, status, "%s", scree_error_text(world));
  run->memory->array[run->memory->arrays++] = *array;
  scree__account_add(graphs->account, counted(*array));
  return SCREE_OK;
}

static void close_arrays(const scree__run_memory *memory, scree_graphs *graphs) {
  for (uint32_t i = 0; i < memory->arrays; i++) {
    scree__account_subtract(graphs->account, counted(memory->array[i]));
    scree_node_array_close(graphs->world, memory->array[i]);
  }
}

void scree__run_memory_free(scree__run_memory *memory, scree_graphs *graphs) {
  for (struct scree__run_table *t = memory->last, *before; t; t = before) {
    before = t->before;
    scree_huge_free(t->table);
    free(t);
  }
  close_arrays(memory, graphs);
  *memory = (scree__run_memory){0};
}

scree_status scree__run_ready(const scree__run *run, bool ready, const char *what) {
  ready = ready && !run->memory->lacking;
  return scree_graphs_agree(run->graph->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                            "rank %u: no memory for %s on %llu vertices; use more ranks or a smaller graph",
                            scree_graph_rank(run->graph), what, (unsigned long long)run->graph->locals);
}
