/* staged_graph.c - from edge staging to a graph: which ids are vertices (those that occur, those of a file of vertices,
 * or all from a base on), and the edges between them. */
#include "read/list/staged_graph.h"

#include <inttypes.h>
#include <stdio.h>

#include "build/builder.h"
#include "build/memory_check.h"
#include "build/weights.h"
#include "file/parse.h"
#include "graph/consensus.h"
#include "graph/discard.h"
#include "read/list/line.h"

enum { BATCH = 512, DISCARD = 1 << 22 };

scree_status scree__staging_check_options(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  if (o->base && o->vertices)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found --base and --vertices %s; expected one of them: both say which ids are vertices",
                      reader->file.path, o->vertices);
  return SCREE_OK;
}

/* ---- a file of vertices ---- */

/* The first column of each line. */
static scree_status read_vertices(scree__edge_staging *g, scree__reader *reader, scree__lines *lines) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_END) return SCREE_OK;
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (scree__list_skips(reader->options, line)) continue;
    scree__list_fields fields = scree__list_fields_of(reader->options, line);
    const scree__list_field field = scree__list_next_field(&fields);
    uint64_t id;
    const char *expected = field.wrong ? field.wrong : scree__staging_parse_id(g, field.at, field.end, &id);
    if (expected) return scree__list_field_error(reader, lines, &field, expected);
    scree_status status = scree__staging_append_vertex(g, id);
    if (status) return status;
  }
}

scree_status scree__staging_read_vertices(scree__edge_staging *g) {
  const char *path = g->reader->options->vertices;
  if (!path) return SCREE_OK;
  scree__reader reader = {.graphs = g->reader->graphs, .options = g->reader->options, .file = {.fd = -1}};
  scree__lines lines;
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__reader_lines(&reader, 0, false, &lines);
  if (!status) {
    status = scree__reader_consensus(&reader, read_vertices(g, &reader, &lines), &lines);
    scree__lines_close(&lines);
  }
  scree__file_close(&reader.file);
  return status;
}

/* ---- the graph ---- */

/* The ends of edges 0 .. count-1 are needed no more; *gone: of how many of them the memory was returned. What arrives
 * elsewhere as arcs needs it. */
static void discard_ends(const scree__edge_staging *g, size_t count, size_t *gone) {
  const size_t each = 2 * (g->wide ? sizeof(uint64_t) : sizeof(uint32_t));
  if ((count - *gone) * each < DISCARD) return;
  scree__discard((const char *)g->ends + *gone * each, (const char *)g->ends + count * each);
  *gone = count;
}

/* Passes the edges to the builder in batches. */
static void add_edges(scree__edge_staging *g, bool directed, const scree__labels *all, scree_graph_builder *builder) {
  const scree_graph_options *options = g->reader->options;
  scree_edge batch[BATCH];
  size_t gone = 0;
  for (size_t i = 0; i < g->count;) {
    size_t n = 0;
    discard_ends(g, i, &gone);
    for (; n < BATCH && i < g->count; n++, i++) {
      uint64_t u = scree__labels_index(all, scree__staging_end(g, 2 * i));
      uint64_t v = scree__labels_index(all, scree__staging_end(g, 2 * i + 1));
      double w = scree__staging_weight(g, i);
      batch[n] = (scree_edge){u, v, scree__weight(options, directed, u, v, w)};
    }
    scree_graph_builder_add_many(builder, n, batch);
  }
}

scree_status scree__staging_build(scree__edge_staging *g, const scree__labels *all, scree_graph **graph) {
  bool directed = g->reader->options->direction == SCREE_DIRECTED;
  scree_weight_kind decimal = g->notes.decimals ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_UINT32;
  scree_graph_builder *builder;
  scree_status status =
      scree__reader_builder(g->reader, all->n, g->all, directed, g->weighted ? decimal : SCREE_WEIGHT_NONE, &builder);
  if (status) return status;
  if (g->notes.decimals) scree__builder_decimals(builder);
  add_edges(g, directed, all, builder);
  scree_graph *made;
  status = scree_graph_builder_finish(builder, &made);
  if (status) return status;
  status = scree__labels_give(all, made);
  if (status)
    scree_graph_free(made);
  else
    *graph = made;
  return status;
}

/* Whether there is memory for a vertex of every id: the text names the option that needs so much. */
static scree_status check_based(scree__edge_staging *g, const scree__labels *all, uint64_t largest) {
  char what[256];
  const scree_graph_shape shape = {.n = all->n, .distribution = g->reader->options->distribution};
  uint64_t bytes = scree_graph_plan(&shape, 0, g->reader->graphs->worker->ranks).graph;
  snprintf(what, sizeof what,
           "%.99s: --base, which makes a vertex of every id up to the largest, %" PRIu64
           " (without it only ids that occur are vertices),",
           g->reader->file.path, largest);
  return scree__memory_check(g->reader->graphs, bytes, what);
}

/* All ids from the base on. */
static scree_status based(scree__edge_staging *g, scree__labels *all) {
  scree_graphs *graphs = g->reader->graphs;
  scree_reduce r = {.max = g->max, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  *all = (scree__labels){.base = g->min, .n = r.max - g->min + 1};
  if (all->n <= SCREE_VERTICES_MAX) return scree__consensus(graphs, check_based(g, all, r.max));
  return scree__consensus(graphs, scree__why(graphs, SCREE_EINVAL,
                                             "%s: found the vertex id %" PRIu64 ", expected at most %" PRIu64
                                             " with --base, which makes a vertex of every id; without it only ids that "
                                             "occur are vertices",
                                             g->reader->file.path, r.max, SCREE_VERTICES_MAX + g->min - 1));
}

/* Refuses a file without vertices. A decimal point on one rank counts for all. */
static scree_status check_any(scree__edge_staging *g) {
  scree_reduce r = {.sum = {g->count, g->vertices.count}, .max = g->notes.decimals, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->reader->graphs, &r);
  g->all = r.sum[0];
  g->notes.decimals = r.max != 0;
  if (status || r.sum[0] || r.sum[1]) return status;
  return scree__consensus(
      g->reader->graphs,
      scree__why(g->reader->graphs, SCREE_EINVAL, "%s: found no vertex, expected one or more", g->reader->file.path));
}

scree_status scree__staging_find_ids(scree__edge_staging *g, scree__labels *ids) {
  const scree_status status = check_any(g);
  if (status) return status;
  return g->reader->options->base ? based(g, ids) : scree__labels_find(g, ids);
}
