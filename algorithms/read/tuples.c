/* tuples.c - the reader of binary edge tuples. Each rank reads its part twice: for the largest id, unless the caller
 * gives the number of vertices, and for the edges. */
#include "file/tuples.h"

#include <inttypes.h>
#include <stdlib.h>

#include "build/plan.h"
#include "build/weights.h"
#include "graph/consensus.h"
#include "read/format.h"

enum { MANY = 4096 };

typedef struct {
  scree__reader *reader;
  scree__file weights;
  bool weighted;
  uint64_t n, from, to; /* vertices; this rank's tuples */
  scree__tuple tuples[MANY];
  float floats[MANY];
  scree_edge edges[MANY];
} session;

/* Tuples at .. at + count - 1, and their weights. */
static scree_status read_tuples(session *s, uint64_t at, uint64_t *count, bool weights) {
  *count = s->to - at < MANY ? s->to - at : MANY;
  scree_status status =
      scree__reader_bytes(s->reader, &s->reader->file, s->tuples, *count * sizeof *s->tuples, at * sizeof *s->tuples);
  if (!status && weights)
    status = scree__reader_bytes(s->reader, &s->weights, s->floats, *count * sizeof *s->floats, at * sizeof *s->floats);
  return status;
}

/* ---- before the first edge ---- */

static scree_status open_weights(session *s) {
  char why[128];
  scree_graphs *graphs = s->reader->graphs;
  const char *path = s->reader->options->weights_file;
  if (!path) return SCREE_OK;
  if (!scree__file_open(&s->weights, path, why, sizeof why))
    return scree__why(graphs, SCREE_EINVAL, "%s: rank %u: %s", path, (unsigned)graphs->worker->rank, why);
  uint64_t edges = s->reader->file.size / sizeof *s->tuples;
  s->weighted = scree__weights_are_read(s->reader->options);
  if (s->weights.size == edges * sizeof *s->floats) return SCREE_OK;
  return scree__why(graphs, SCREE_EINVAL,
                    "%s: found %" PRIu64 " bytes of weights, expected 4 for each of the %" PRIu64 " edges of %s", path,
                    s->weights.size, edges, s->reader->file.path);
}

static scree_status check(session *s) {
  const scree__file *file = &s->reader->file;
  if (file->compression)
    return scree__why(s->reader->graphs, SCREE_EINVAL, "%s: found compressed tuples; decompress them first",
                      file->path);
  if (file->size % sizeof *s->tuples)
    return scree__why(s->reader->graphs, SCREE_EINVAL,
                      "%s: found %" PRIu64 " bytes, expected a multiple of 12: binary edge tuples have 12 each",
                      file->path, file->size);
  return open_weights(s);
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* n: as given by the caller, or the largest id of all ranks and one. */
static scree_status count_vertices(session *s) {
  uint64_t largest = 0, count;
  scree_status status = SCREE_OK;
  s->n = s->reader->options->scale ? UINT64_C(1) << s->reader->options->scale : 0;
  for (uint64_t at = s->from; at < s->to && !s->n && !status; at += count) {
    status = read_tuples(s, at, &count, false);
    for (uint64_t i = 0; i < count && !status; i++)
      largest = larger(largest, larger(scree__tuple_u(&s->tuples[i]), scree__tuple_v(&s->tuples[i])));
  }
  status = scree__consensus(s->reader->graphs, status);
  scree_reduce r = {.max = largest, .min = UINT64_MAX};
  if (!status) status = scree_graphs_reduce(s->reader->graphs, &r);
  if (!s->n) s->n = r.max + 1;
  return status;
}

/* ---- the edges ---- */

static scree_status out_of_range(session *s, uint64_t number, const scree_edge *e) {
  return scree__why(s->reader->graphs, SCREE_EINVAL,
                    "%s: edge %" PRIu64 ", from 0: found vertex %" PRIu64 ", expected 0 .. %" PRIu64 " as --scale says",
                    s->reader->file.path, number, larger(e->u, e->v), s->n - 1);
}

static scree_status add_edges(session *s, scree_graph_builder *builder) {
  const scree_graph_options *o = s->reader->options;
  for (uint64_t at = s->from, count; at < s->to; at += count) {
    scree_status status = read_tuples(s, at, &count, s->weighted);
    if (status) return status;
    for (uint64_t i = 0; i < count; i++) {
      scree_edge *e = &s->edges[i];
      *e = (scree_edge){scree__tuple_u(&s->tuples[i]), scree__tuple_v(&s->tuples[i]), 1};
      if (e->u >= s->n || e->v >= s->n) return out_of_range(s, at + i, e);
      e->weight = scree__weight(o, false, e->u, e->v, s->weighted ? (double)s->floats[i] : 1);
    }
    scree_graph_builder_add_many(builder, count, s->edges);
    scree__progress_report(&s->reader->graphs->progress, at + count - s->from, s->to - s->from);
  }
  return SCREE_OK;
}

static scree_status build(session *s, scree_graph **graph) {
  scree_graph_shape shape = {
      .n = s->n,
      .distribution = s->reader->options->distribution,
      .weight = scree__weight_kind(s->reader->options, s->weighted ? SCREE_WEIGHT_FLOAT : SCREE_WEIGHT_NONE)};
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  scree_status status =
      scree__memory_check_graph(s->reader->graphs, &shape, s->reader->file.size / sizeof *s->tuples, false);
  if (!status) status = scree_graph_builder_begin(s->reader->graphs, &shape, &builder);
  if (status) return status;
  scree_status bad = add_edges(s, builder);
  status = scree_graph_builder_finish(builder, &g);
  if (status) return status;
  status = scree__consensus(s->reader->graphs, bad);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  session *s = calloc(1, sizeof *s);
  scree_status status = scree__consensus(
      reader->graphs, s ? SCREE_OK : scree__no_memory(reader->graphs, "the tuples to read", sizeof *s));
  if (!status) {
    s->reader = reader;
    s->weights.fd = -1;
    scree_distribution_block_range(reader->file.size / sizeof *s->tuples, reader->graphs->worker->rank,
                                   reader->graphs->worker->ranks, &s->from, &s->to);
    status = scree__consensus(reader->graphs, check(s));
    if (!status) status = count_vertices(s);
    if (!status) status = build(s, graph);
    scree__file_close(&s->weights);
  }
  free(s);
  return status;
}

const scree__format scree__format_tuples = {
    .name = "tuples",
    .what = "a file of binary edge tuples",
    .takes = SCREE__TAKES_UNDIRECTED | SCREE__TAKES_WEIGHTS_FILE | SCREE__TAKES_SCALE,
    .instead = "is undirected, has no columns, and counts its vertices from 0",
    .binary = true,
    .load = load,
};
