/* gathered.c - edges between ids of any size, held by the rank that read them until the vertices are known.
 *
 * Room: see gathered.h. */
#include "graph/gathered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/labels.h"
#include "graph/parse.h"
#include "graph/plan.h"

enum { BATCH = 512 };

void scree__gathered_begin(scree__gathered *g, scree__reader *reader) {
  *g = (scree__gathered){.reader = reader,
                         .weighted = reader->options->columns[2] != 0,
                         .min = reader->options->base == SCREE_BASE_1 ? 1 : 0};
}

void scree__gathered_free(scree__gathered *g) {
  scree_huge_free(g->ends);
  scree_huge_free(g->weights);
  free(g->alone.at);
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

enum { HUGE_PAGE = 1 << 21 };

/* A larger array with the same content: on huge pages to its end, since small ones are taken one by one, which is a
 * third of the time of parsing. */
static bool enlarge(const scree__gathered *g, void **at, size_t bytes, size_t used) {
  if (bytes >= HUGE_PAGE) bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void *larger = scree__graph_array(g->reader->graphs, bytes);
  if (!larger) return false;
  if (used) memcpy(larger, *at, used);
  scree_huge_free(*at);
  *at = larger;
  return true;
}

static size_t end_bytes(const scree__gathered *g) {
  return 2 * (g->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

static size_t weight_bytes(const scree__gathered *g) {
  return g->exact ? sizeof(double) : sizeof(uint32_t);
}

static bool make_room(scree__gathered *g, size_t count) {
  if (g->count + count <= g->room) return true;
  size_t room = 2 * g->room > g->count + count ? 2 * g->room : g->count + count + 1024;
  bool good = enlarge(g, &g->ends, room * end_bytes(g), g->count * end_bytes(g));
  if (good && g->weighted) good = enlarge(g, &g->weights, room * weight_bytes(g), g->count * weight_bytes(g));
  if (good) g->room = room;
  return good;
}

static bool widen_ends(scree__gathered *g) {
  uint64_t *wide = scree__graph_array(g->reader->graphs, g->room * 2 * sizeof *wide);
  if (!wide) return false;
  for (size_t i = 0; i < 2 * g->count; i++) wide[i] = scree__gathered_end(g, i);
  scree_huge_free(g->ends);
  g->ends = wide;
  return g->wide = true;
}

static bool widen_weights(scree__gathered *g) {
  double *wide = scree__graph_array(g->reader->graphs, g->room * sizeof *wide);
  if (!wide) return false;
  for (size_t i = 0; i < g->count; i++) wide[i] = scree__gathered_weight(g, i);
  scree_huge_free(g->weights);
  g->weights = wide;
  return g->exact = true;
}

void scree__gathered_expect(scree__gathered *g, const scree__lines *lines, size_t count) {
  uint64_t end = lines->to < lines->file->size ? lines->to : lines->file->size;
  if (lines->unpack || lines->next <= lines->from || end <= lines->next) return;
  double each = (double)(lines->next - lines->from) / (double)count;
  make_room(g, (size_t)((double)(end - lines->from) / each * 1.02) + 1024);
}

static void put_ends(scree__gathered *g, const scree_edge *edges, size_t count) {
  if (g->wide) {
    uint64_t *ends = (uint64_t *)g->ends + 2 * g->count;
    for (size_t i = 0; i < count; i++) ends[2 * i] = edges[i].u, ends[2 * i + 1] = edges[i].v;
  } else {
    uint32_t *ends = (uint32_t *)g->ends + 2 * g->count;
    for (size_t i = 0; i < count; i++) ends[2 * i] = (uint32_t)edges[i].u, ends[2 * i + 1] = (uint32_t)edges[i].v;
  }
}

static void put_weights(scree__gathered *g, const scree_edge *edges, size_t count) {
  if (g->exact) {
    double *weights = (double *)g->weights + g->count;
    for (size_t i = 0; i < count; i++) weights[i] = edges[i].weight;
  } else {
    uint32_t *weights = (uint32_t *)g->weights + g->count;
    for (size_t i = 0; i < count; i++) weights[i] = (uint32_t)(int64_t)edges[i].weight;
  }
}

scree_status scree__gathered_add(scree__gathered *g, const scree_edge *edges, size_t count) {
  uint64_t max = g->max;
  for (size_t i = 0; i < count; i++) {
    uint64_t larger = edges[i].u > edges[i].v ? edges[i].u : edges[i].v;
    max = larger > max ? larger : max;
  }
  g->max = max;
  bool good = make_room(g, count);
  if (good && !g->wide && max > UINT32_MAX) good = widen_ends(g);
  if (good && g->weighted && !g->exact && g->seen.decimals) good = widen_weights(g);
  if (!good) return scree__no_memory(g->reader->graphs, (g->count + count) * 3 * sizeof(uint64_t));
  put_ends(g, edges, count);
  if (g->weighted) put_weights(g, edges, count);
  g->count += count;
  return SCREE_OK;
}

void scree__gathered_move(scree__gathered *g, size_t to, size_t from) {
  size_t end = end_bytes(g), weight = weight_bytes(g);
  memmove((char *)g->ends + to * end, (char *)g->ends + from * end, end);
  if (g->weights) memmove((char *)g->weights + to * weight, (char *)g->weights + from * weight, weight);
}

scree_status scree__gathered_alone(scree__gathered *g, uint64_t id) {
  if (id > g->max) g->max = id;
  if (scree__words_add(&g->alone, &id, 1)) return SCREE_OK;
  return scree__no_memory(g->reader->graphs, g->alone.count * 16);
}

const char *scree__gathered_id(const scree__gathered *g, const char **p, uint64_t *id) {
  if (!scree__parse_number(p, g->min, INT64_MAX, id)) return NULL;
  return g->min ? "a vertex id of 1 .. 9223372036854775807" : "a vertex id of 0 .. 9223372036854775807";
}

/* ---- a file of vertices ----------------------------------------------------------------------------------------- */

/* The first column of each line. */
static scree_status read_vertices(scree__gathered *g, scree__reader *reader, scree__lines *lines) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_END) return SCREE_OK;
    if (result == SCREE__LINE_ERROR) return scree__unreadable(reader, lines, why);
    if (scree__comment(line)) continue;
    const char *p = scree__skip(line);
    uint64_t id;
    const char *expected = scree__gathered_id(g, &p, &id);
    if (expected) return scree__expected(reader, lines, p, expected);
    scree_status status = scree__gathered_alone(g, id);
    if (status) return status;
  }
}

scree_status scree__gathered_vertices(scree__gathered *g) {
  const char *path = g->reader->options->vertices;
  if (!path) return SCREE_OK;
  scree__reader reader = {.graphs = g->reader->graphs, .options = g->reader->options, .file = {.fd = -1}};
  scree__lines lines;
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__reader_lines(&reader, 0, false, &lines);
  if (!status) {
    status = scree__agree_lines(&reader, read_vertices(g, &reader, &lines), &lines);
    scree__lines_close(&lines);
  }
  scree__file_close(&reader.file);
  return status;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

scree_status scree__gathered_check(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  if (o->columns[2] && o->weights != SCREE_WEIGHTS_GIVEN && o->weights != SCREE_WEIGHTS_DROP)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found a weight column (--columns) and other weights; expected "
                      "one of them",
                      reader->file.path);
  if (o->base && o->vertices)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found --base and --vertices %s; expected one of them: both say which ids are vertices",
                      reader->file.path, o->vertices);
  return SCREE_OK;
}

/* The edges go to the builder in batches; `all` NULL: vertices are the ids less `least`. */
static void add_edges(scree__gathered *g, bool directed, const scree__labels *all, scree_graph_builder *builder) {
  const scree_graph_options *options = g->reader->options;
  scree_edge batch[BATCH];
  for (size_t i = 0; i < g->count;) {
    size_t n = 0;
    for (; n < BATCH && i < g->count; n++, i++) {
      uint64_t u = scree__label_index(all, scree__gathered_end(g, 2 * i));
      uint64_t v = scree__label_index(all, scree__gathered_end(g, 2 * i + 1));
      double w = scree__gathered_weight(g, i);
      batch[n] = (scree_edge){u, v, scree__weight(options, directed, u, v, w)};
    }
    scree_graph_builder_add_many(builder, n, batch);
  }
}

static scree_status build(scree__gathered *g, scree__labels *all, uint64_t edges, scree_graph **graph) {
  bool directed = g->reader->options->direction == SCREE_DIRECTED;
  scree_weight_kind decimal = g->seen.decimals ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_UINT32;
  scree_graph_builder *builder;
  scree_status status =
      scree__reader_builder(g->reader, all->n, edges, directed, g->weighted ? decimal : SCREE_WEIGHT_NONE, &builder);
  if (status) return status;
  if (g->seen.decimals) scree__builder_decimals(builder);
  add_edges(g, directed, all, builder);
  status = scree_graph_builder_finish(builder, graph);
  if (!status) scree__labels_give(*graph, all);
  return status;
}

/* Is there memory for a vertex of every id? So that it is named what needs so much. */
static scree_status check_based(scree__gathered *g, const scree__labels *all, uint64_t largest) {
  char what[256];
  const scree_graph_shape shape = {.n = all->n, .distribution = g->reader->options->distribution};
  uint64_t bytes = scree_graph_plan(&shape, 0, scree_ranks(g->reader->graphs->worker)).graph;
  snprintf(what, sizeof what,
           "%.99s: --base, which makes a vertex of every id up to the largest, %" PRIu64
           " (without it only ids that occur are vertices),",
           g->reader->file.path, largest);
  return scree__memory_check(g->reader->graphs, bytes, what);
}

/* All ids from the base on. */
static scree_status based(scree__gathered *g, scree__labels *all) {
  scree_graphs *graphs = g->reader->graphs;
  scree_reduce r = {.max = g->max, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  *all = (scree__labels){.base = g->min, .n = r.max - g->min + 1};
  if (all->n <= SCREE_VERTICES_MAX) return scree__agree(graphs, check_based(g, all, r.max));
  return scree__agree(graphs, scree__why(graphs, SCREE_EINVAL,
                                         "%s: found the vertex id %" PRIu64 ", expected at most %" PRIu64
                                         " with --base, which makes a vertex of every id; without it only ids that "
                                         "occur are vertices",
                                         g->reader->file.path, r.max, SCREE_VERTICES_MAX + g->min - 1));
}

/* Is there any vertex? *edges: of all ranks. A decimal point on one rank counts for all. */
static scree_status check_any(scree__gathered *g, uint64_t *edges) {
  scree_reduce r = {.sum = {g->count, g->alone.count}, .max = g->seen.decimals, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->reader->graphs, &r);
  *edges = r.sum[0];
  g->seen.decimals = r.max != 0;
  if (status || r.sum[0] || r.sum[1]) return status;
  return scree__agree(g->reader->graphs, scree__why(g->reader->graphs, SCREE_EINVAL,
                                                    "%s: found no vertex, expected one or more", g->reader->file.path));
}

scree_status scree__gathered_build(scree__gathered *g, scree_graph **graph) {
  scree__labels all = {0};
  uint64_t edges = 0;
  scree_status status = check_any(g, &edges);
  if (!status && g->reader->options->base)
    status = based(g, &all);
  else if (!status)
    status = scree__labels_find(g, &all);
  if (!status) status = build(g, &all, edges, graph);
  scree__labels_free(&all);
  return status;
}
