/* serialized.c - the writer of serialized graphs, .sg and .wsg: each rank puts its rows, in ascending order of their
 * heads, where they belong; of a directed graph once more by heads. */
#include "file/serialized.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "graph/consensus.h"
#include "graph/structure.h"
#include "write/shared_file.h"
#include "write/writer.h"

enum { MANY = 4096 };

typedef struct {
  const scree_graph *g; /* whose rows are written */
  scree__serialized h;
  scree__shared_file out;
  uint64_t rows;       /* the byte where they begin */
  uint64_t before;     /* arcs of lower ranks */
  size_t capacity;     /* of both buffers, in arcs: MANY, or the longest row */
  uint64_t *sorted;    /* arcs of a row: head, and the weight in the lower half */
  uint32_t *words;     /* arcs as they are in the file */
  uint64_t have, next; /* arcs in `words`; arcs of this rank that are in the file */
} session;

/* ---- offsets ---- */

static scree_status write_offsets(const session *s) {
  const scree_graph *g = s->g;
  uint64_t offsets[MANY], first = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), 0));
  const uint64_t last = htole64(g->arcs);
  scree_status status = SCREE_OK;
  for (uint64_t u = 0, count; u < g->locals && !status; u += count) {
    count = g->locals - u < MANY ? g->locals - u : MANY;
    for (uint64_t i = 0; i < count; i++) offsets[i] = htole64(s->before + g->offsets[u + i]);
    status = scree__shared_file_write(g->graphs, &s->out, scree__serialized_offset_at(s->rows, first + u), offsets,
                                      count * sizeof *offsets);
  }
  if (status || scree_graph_rank(g)) return status;
  return scree__shared_file_write(g->graphs, &s->out, scree__serialized_offset_at(s->rows, s->h.n), &last, sizeof last);
}

/* ---- arcs ---- */

static int by_head(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static scree_status flush(session *s) {
  scree_status status =
      scree__shared_file_write(s->g->graphs, &s->out, scree__serialized_arc_at(&s->h, s->rows, s->before + s->next),
                               s->words, s->have * scree__serialized_arc_bytes(&s->h));
  s->next += s->have;
  s->have = 0;
  return status;
}

static scree_status put_row(session *s, uint64_t u) {
  const scree_graph *g = s->g;
  const uint64_t begin = g->offsets[u], count = g->offsets[u + 1] - begin;
  scree_status status = s->have + count > s->capacity ? flush(s) : SCREE_OK;
  for (uint64_t i = 0; i < count; i++)
    s->sorted[i] = scree_graph_vertex(g, scree_graph_target(g, begin + i)) << 32 |
                   (s->h.weighted ? (uint32_t)scree_graph_weight(g, begin + i) : 0);
  qsort(s->sorted, count, sizeof *s->sorted, by_head);
  for (uint64_t i = 0; i < count; i++, s->have++) {
    uint32_t *to = s->words + s->have * (s->h.weighted ? 2 : 1);
    to[0] = htole32((uint32_t)(s->sorted[i] >> 32));
    if (s->h.weighted) to[1] = htole32((uint32_t)s->sorted[i]);
  }
  return status;
}

static scree_status make_buffers(session *s) {
  s->capacity = MANY;
  for (uint64_t u = 0; u < s->g->locals; u++)
    if (s->g->offsets[u + 1] - s->g->offsets[u] > s->capacity) s->capacity = s->g->offsets[u + 1] - s->g->offsets[u];
  s->sorted = malloc(s->capacity * sizeof *s->sorted);
  s->words = malloc(s->capacity * sizeof *s->sorted);
  if (s->sorted && s->words) return SCREE_OK;
  return scree__no_memory(s->g->graphs, "the arcs to write", 2 * s->capacity * sizeof *s->sorted);
}

static scree_status write_arcs(session *s) {
  scree_status status = make_buffers(s);
  s->have = s->next = 0;
  for (uint64_t u = 0; u < s->g->locals && !status; u++) status = put_row(s, u);
  if (!status) status = flush(s);
  free(s->sorted);
  free(s->words);
  return status;
}

/* The rows of g. Collective. */
static scree_status write_rows(session *s, const scree_graph *g, uint64_t rows) {
  s->g = g;
  s->rows = rows;
  scree_status status = scree__prefix_sum(g->graphs, g->offsets[g->locals], &s->before);
  if (status) return status;
  status = write_offsets(s);
  if (!status) status = write_arcs(s);
  return scree__consensus(g->graphs, status);
}

/* ---- by heads ---- */

static void add_reversed(const scree_graph *g, scree_graph_builder *builder) {
  enum { BATCH = 256 };
  scree_edge edges[BATCH];
  uint64_t count = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      edges[count++] = (scree_edge){scree_graph_vertex(g, scree_graph_target(g, e)), tail, scree_graph_weight(g, e)};
      if (count == BATCH) scree_graph_builder_add_many(builder, count, edges);
      count %= BATCH;
    }
  }
  scree_graph_builder_add_many(builder, count, edges);
}

/* Writes the arcs of a directed graph by heads. Collective. */
static scree_status write_reversed(session *s, const scree_graph *g) {
  const scree_graph_shape shape = {
      .n = g->vertices.n, .distribution = g->vertices.kind, .weight = g->weight, .directed = true};
  scree_graph_builder *builder;
  scree_graph *reversed = NULL;
  scree_status status = scree_graph_builder_begin(g->graphs, &shape, &builder);
  if (status) return status;
  add_reversed(g, builder);
  status = scree_graph_builder_finish(builder, &reversed);
  if (!status) status = write_rows(s, reversed, SCREE__SERIALIZED_HEADER + scree__serialized_rows_bytes(&s->h));
  scree_graph_free(reversed);
  return status;
}

/* ---- the file ---- */

static scree_status write_header(const session *s, const scree_graph *g) {
  char header[SCREE__SERIALIZED_HEADER] = {s->h.directed};
  const uint64_t n = htole64(s->h.n), arcs = htole64(s->h.arcs);
  if (scree_graph_rank(g)) return SCREE_OK;
  memcpy(header + SCREE__SERIALIZED_ARCS_AT, &arcs, sizeof arcs);
  memcpy(header + SCREE__SERIALIZED_VERTICES_AT, &n, sizeof n);
  return scree__shared_file_write(g->graphs, &s->out, 0, header, sizeof header);
}

static scree_status write_serialized(const scree_graph *g, const char *path, const scree_write_options *options) {
  (void)options;
  session s = {.h = {.n = g->vertices.n, .arcs = g->arcs, .directed = g->directed, .weighted = g->weight}};
  scree_status status = scree__shared_file_open(g->graphs, path, &s.out);
  if (!status) status = write_rows(&s, g, SCREE__SERIALIZED_HEADER);
  if (!status && g->directed) status = write_reversed(&s, g);
  scree_status last = scree__shared_file_close(g->graphs, &s.out, status ? SCREE_OK : write_header(&s, g));
  return scree__shared_file_finish(g->graphs, &s.out, status ? status : last);
}

/* ---- the formats ---- */

static const char *against_both(const scree_graph *g) {
  if (g->vertices.kind != SCREE_DISTRIBUTION_BLOCK)
    return "has its vertices in order, which needs --distribution block";
  return g->vertices.n > SCREE__SERIALIZED_VERTICES_MAX ? "holds at most 2147483648 vertices" : NULL;
}
static const char *against_plain(const scree_graph *g) {
  if (!g->weight) return against_both(g);
  return "holds no weights, and this graph has some: drop them by --no-weights, or write .wsg";
}
static const char *against_weighted(const scree_graph *g) {
  if (!g->weight)
    return "needs weights, and this graph has none: draw them with --random-weights or take --unit-weights";
  if (g->weight != SCREE_WEIGHT_UINT32 || g->weight_max > INT32_MAX)
    return "holds integer weights of 0 .. 2147483647, and this graph has others: draw them with --random-weights "
           "LO..HI";
  return against_both(g);
}

const scree__writer scree__writer_sg = {
    .name = "sg", .ending = ".sg", .write = write_serialized, .against = against_plain};
const scree__writer scree__writer_wsg = {
    .name = "wsg", .ending = ".wsg", .write = write_serialized, .against = against_weighted};
