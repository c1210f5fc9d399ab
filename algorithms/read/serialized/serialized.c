/* serialized.c - the reader of serialized graphs. Where a rank's rows are not a piece of the file (rows.c), each rank
 * checks its share of the offsets, then reads its share of the arcs; it finds the tail of the first one by bisection,
 * and of the others as the offsets go on. What a directed graph has by heads is not read. */
#include "read/serialized/serialized.h"
#include "io/ending.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build/builder.h"
#include "build/plan.h"
#include "build/weights.h"
#include "graph/consensus.h"
#include "read/format.h"

enum { MANY = 4096 };

typedef struct {
  scree__reader *reader;
  scree__serialized_offsets rows;
  uint32_t words[2 * MANY];
  scree_edge edges[MANY];
  scree__symmetry symmetry;
} session;

/* ---- arcs ---- */

scree_status scree__serialized_wrong_arc(scree__serialized_offsets *s, uint64_t e, uint64_t u, int64_t found,
                                         bool weight) {
  s->byte = scree__serialized_arc_at(&s->h, SCREE__SERIALIZED_HEADER, e) + (weight ? sizeof(int32_t) : 0);
  return scree__why(s->reader->graphs, SCREE_EINVAL,
                    "%s: byte %" PRIu64 ": found %s %" PRId64 " of vertex %" PRIu64 ", expected 0 .. %" PRIu64,
                    s->reader->file.path, s->byte, weight ? "weight" : "neighbour", found, u,
                    weight ? INT32_MAX : s->h.n - 1);
}

/* Arc e, which is i-th in memory; `u`: its tail. */
static scree_status take_arc(session *s, uint64_t e, uint64_t i, uint64_t u) {
  const scree_graph_options *o = s->reader->options;
  const bool directed = s->rows.h.directed && o->direction != SCREE_UNDIRECTED, weighted = s->rows.h.weighted;
  const int32_t head = (int32_t)le32toh(s->words[weighted ? 2 * i : i]),
                weight = weighted && scree__weights_are_read(o) ? (int32_t)le32toh(s->words[2 * i + 1]) : 1;
  scree_edge *edge = &s->edges[i];
  *edge = (scree_edge){u, (uint64_t)(int64_t)head, weight};
  if (edge->v >= s->rows.h.n) return scree__serialized_wrong_arc(&s->rows, e, u, head, false);
  if (weight < 0) return scree__serialized_wrong_arc(&s->rows, e, u, weight, true);
  if (!s->rows.h.directed) scree__symmetry_add(&s->symmetry, u, edge->v, (uint64_t)weight);
  edge->weight = scree__weight(o, directed, u, edge->v, edge->weight);
  return SCREE_OK;
}

/* Arcs e .. e + count - 1; *tail is that of the arc before them, and then of the last one. */
static scree_status take_arcs(session *s, uint64_t e, uint64_t count, uint64_t *tail) {
  const uint64_t bytes = scree__serialized_arc_bytes(&s->rows.h);
  s->rows.byte = scree__serialized_arc_at(&s->rows.h, SCREE__SERIALIZED_HEADER, e);
  scree_status status = scree__reader_bytes(s->reader, &s->reader->file, s->words, count * bytes, s->rows.byte);
  for (uint64_t i = 0, end = 0; i < count && !status; i++) {
    while (!(status = scree__serialized_offset(&s->rows, *tail + 1, &end)) && end <= e + i) ++*tail;
    if (!status) status = take_arc(s, e + i, i, *tail);
  }
  return status;
}

static scree_status add_arcs(session *s, scree_graph_builder *builder) {
  scree_worker *w = s->reader->graphs->worker;
  uint64_t from, to, tail = 0;
  scree_distribution_block_range(s->rows.h.arcs, w->rank, w->ranks, &from, &to);
  scree_status status = from < to ? scree__serialized_tail(&s->rows, from, &tail) : SCREE_OK;
  for (uint64_t e = from, count; e < to && !status; e += count) {
    count = to - e < MANY ? to - e : MANY;
    status = take_arcs(s, e, count, &tail);
    if (!status) scree_graph_builder_add_many(builder, count, s->edges);
    scree__progress_report(&s->reader->graphs->progress, e + count - from, to - from);
  }
  return status;
}

/* ---- the graph ---- */

static scree_status begin(session *s, scree_graph_builder **builder) {
  const scree_graph_shape shape = scree__serialized_shape(s->reader, &s->rows.h);
  scree_status status =
      scree__memory_check_graph(s->reader->graphs, &shape, scree__serialized_edges(&s->rows.h), false);
  if (!status) status = scree_graph_builder_begin(s->reader->graphs, &shape, builder);
  if (!status && !s->rows.h.directed) scree__builder_one_way(*builder);
  return status;
}

scree_status scree__serialized_check_symmetry(scree__serialized_offsets *s, scree__symmetry *symmetry, scree_graph *g) {
  scree_status status = scree__symmetry_sum(g->graphs, symmetry);
  if (status) return status;
  g->edges = symmetry->up + symmetry->loops;
  if (scree__symmetry_holds(symmetry)) return SCREE_OK;
  return scree__consensus(g->graphs,
                          scree__symmetry_refuse(symmetry, s->reader,
                                                 s->h.weighted && scree__weights_are_read(s->reader->options),
                                                 "each edge of an undirected graph at both its ends"));
}

static scree_status build(session *s, scree_graph **graph) {
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  scree_status status = begin(s, &builder);
  if (status) return status;
  scree_status bad = add_arcs(s, builder);
  status = scree_graph_builder_finish(builder, &g);
  if (status) return status;
  status = scree__consensus_by_key(s->reader->graphs, bad, s->rows.byte, NULL);
  if (!status && !s->rows.h.directed) status = scree__serialized_check_symmetry(&s->rows, &s->symmetry, g);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

static scree_status read_header(session *s, bool weighted) {
  scree_status status = scree__serialized_header(s->reader, weighted, &s->rows.h);
  if (status || s->rows.h.directed || s->reader->options->direction != SCREE_DIRECTED) return status;
  return scree__why(s->reader->graphs, SCREE_EINVAL,
                    "%s: byte 0: found --directed, but the file says that the graph is undirected; expected none",
                    s->reader->file.path);
}

static scree_status load_arcs(session *s, scree_graph **graph) {
  scree_status status = scree__serialized_check_offsets(&s->rows);
  return status ? status : build(s, graph);
}

static scree_status load(scree__reader *reader, bool weighted, scree_graph **graph) {
  session *s = calloc(1, sizeof *s);
  scree_status status =
      scree__consensus(reader->graphs, s ? SCREE_OK : scree__no_memory(reader->graphs, "the arcs to read", sizeof *s));
  if (!status) {
    s->reader = s->rows.reader = reader;
    status = scree__consensus(reader->graphs, read_header(s, weighted));
    if (!status && scree__serialized_has_rows(reader, &s->rows.h))
      status = scree__serialized_rows(&s->rows, graph);
    else if (!status)
      status = load_arcs(s, graph);
  }
  free(s);
  return status;
}

static scree_status load_plain(scree__reader *reader, scree_graph **graph) {
  return load(reader, false, graph);
}
static scree_status load_weighted(scree__reader *reader, scree_graph **graph) {
  return load(reader, true, graph);
}

static scree_status estimate_plain(scree__reader *reader, scree_size_estimate *o) {
  return scree__serialized_estimate(reader, false, o);
}
static scree_status estimate_weighted(scree__reader *reader, scree_size_estimate *o) {
  return scree__serialized_estimate(reader, true, o);
}

/* ---- the formats ---- */

static bool known_plain(const char *path, const char *head, const char *line) {
  (void)head;
  (void)line;
  return scree__has_ending(path, ".sg");
}
static bool known_weighted(const char *path, const char *head, const char *line) {
  (void)head;
  (void)line;
  return scree__has_ending(path, ".wsg");
}

const scree__format scree__format_sg = {
    .name = "sg",
    .what = "a serialized graph",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED,
    .instead = "has its vertices, 0 to n-1, in its header, and no weights",
    .binary = true,
    .known = known_plain,
    .load = load_plain,
    .estimate = estimate_plain,
};

const scree__format scree__format_wsg = {
    .name = "wsg",
    .what = "a serialized graph with weights",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED,
    .instead = "has its vertices, 0 to n-1, in its header, and its weights with its arcs",
    .binary = true,
    .known = known_weighted,
    .load = load_weighted,
    .estimate = estimate_weighted,
};
