/* graph_files.h - what tests of the readers share: a file as text, what it holds or why it is refused.
 *
 * All helpers are inline functions. Each text is read on several numbers of virtual ranks: plain on all, in one
 * frame of zstd and in many members on some of them. */
#ifndef GRAPH_FILES_H
#define GRAPH_FILES_H
#include <zlib.h>
#include <zstd.h>

#include "graph_cases.h"
#include "members.h"

static const scree_graph_options none, directed = {.direction = SCREE_DIRECTED},
                                       undirected = {.direction = SCREE_UNDIRECTED},
                                       weighted = {.direction = SCREE_DIRECTED, .columns = {1, 2, 3}};

typedef struct {
  const char *text, *ending; /* of the file */
  scree_graph_options options;
  const char *path; /* set by the run */
  const char *part; /* of the error; NULL: expected to load */
  const char *arcs; /* "label>label:weight ...", sorted; of a good one */
  uint64_t n, edges;
  scree_weight_kind weight;
  uint64_t read_max; /* bytes of text that a rank reads; 0: any number */
} file_case;

/* ---- good files -------------------------------------------------------------------------------------------------- */

static inline int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct {
  char *items[64];
  size_t count;
} bag;

static inline void take_items(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  bag *b = arg;
  if (check(b->count < 64)) b->items[b->count++] = strndup(data, bytes);
}

/* The arcs as text on rank 0, in order. */
static inline void describe(const scree_graph *g, char *text, size_t size) {
  scree_graphs *graphs = g->graphs;
  bag b = {.count = 0};
  uint64_t *labels = graph_labels_of(g);
  assert_non_null(labels);
  scree__exchange_begin(graphs, (scree__receivers){.bytes = take_items}, &b);
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      char item[128];
      uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      snprintf(item, sizeof item, "%" PRIu64 ">%" PRIu64 ":%.17g", scree_graph_label(g, tail),
               labels[scree_graph_vertex(g, scree_graph_target(g, e))], scree_graph_weight(g, e));
      graph_bytes_send(graphs->worker, graphs->bytes, 0, item, strlen(item));
    }
  check_equal(scree__exchange_end(graphs, NULL), SCREE_OK);
  qsort(b.items, b.count, sizeof *b.items, by_text);
  free(labels);
  *text = 0;
  for (size_t i = 0; i < b.count; i++) {
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s", i ? " " : "", b.items[i]);
    free(b.items[i]);
  }
}

static inline void check_estimate(const scree_graph *g, const scree_size_estimate *e) {
  check_text(e->vertices_min <= g->vertices.n && g->vertices.n <= e->vertices_max,
             "%lu vertices, estimated: %lu to %lu", (unsigned long)g->vertices.n, (unsigned long)e->vertices_min,
             (unsigned long)e->vertices_max);
  check_text(e->edges_min <= g->edges && g->edges <= e->edges_max, "%lu edges, estimated: %lu to %lu",
             (unsigned long)g->edges, (unsigned long)e->edges_min, (unsigned long)e->edges_max);
}

static inline void load(scree_graphs *graphs, void *arg) {
  const file_case *c = arg;
  scree_graph *g = NULL;
  scree_size_estimate estimate;
  const scree_status estimated = scree_graph_estimate(graphs, c->path, &c->options, &estimate);
  const uint64_t before = scree_graphs_phases(graphs).bytes[SCREE_PHASE_READ];
  scree_status status = scree_graph_load(graphs, c->path, &c->options, &g);
  if (c->part) {
    check_equal(status, SCREE_EINVAL);
    check_contains(scree_graphs_error(graphs), c->part);
    check_contains(scree_graphs_error(graphs), c->path);
    check(!g);
    scree_reduce r = {.min = UINT64_MAX}; /* the world lives on */
    check_equal(scree_graphs_reduce(graphs, &r), SCREE_OK);
    return;
  }
  if (!check_text(status == SCREE_OK, "%s", scree_graphs_error(graphs))) return;
  if (check_equal(estimated, SCREE_OK)) check_estimate(g, &estimate);
  if (c->read_max) check(scree_graphs_phases(graphs).bytes[SCREE_PHASE_READ] - before <= c->read_max);
  char text[2048];
  describe(g, text, sizeof text);
  if (!scree_graph_rank(g)) check_string(text, c->arcs);
  check_equal(g->vertices.n, c->n);
  check_equal(g->edges, c->edges);
  check_equal(g->weight, c->weight);
  uint64_t *labels = graph_labels_of(g);
  for (uint64_t v = 0; check(labels != NULL) && v < g->vertices.n; v++) {
    check_equal(scree_graph_find(g, labels[v]), v);
    if (v) check(labels[v] > labels[v - 1]);
  }
  free(labels);
  check_equal(scree_graph_find(g, UINT64_MAX), SCREE_NO_VERTEX);
  scree_graph_free(g);
}

static inline size_t pack_zstd(const char *text, void *packed, size_t room) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  size_t bytes = ZSTD_compress2(context, packed, room, text, strlen(text));
  check(!ZSTD_isError(bytes));
  ZSTD_freeCCtx(context);
  return bytes;
}

static inline size_t pack(const char *text, void *packed, size_t room) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                .avail_in = (unsigned)strlen(text),
                .next_out = packed,
                .avail_out = (unsigned)room};
  check(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  check(deflate(&z, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&z);
  return z.total_out;
}

/* On every `step`-th number of ranks. */
static inline void run_some(file_case *c, const void *data, size_t bytes, const char *ending, size_t from,
                            size_t step) {
  c->path = graph_case_file(data, bytes, ending);
  for (size_t i = from; i < GRAPH_CASE_RANKS; i += step) graph_case_run(graph_case_ranks[i], (uint32_t)i, load, c);
  unlink(c->path);
}
static inline void run(file_case *c, const void *data, size_t bytes, const char *ending) {
  run_some(c, data, bytes, ending, 0, 1);
}

/* Cases take turns in the numbers of ranks, and in those on which they are read packed. */
static inline void run_packed(file_case *c, const void *data, size_t bytes, size_t turn) {
  run_some(c, data, bytes, c->ending, harness_full() ? 0 : turn % 3, harness_full() ? 1 : 3);
}

static inline void run_all(file_case *cases, size_t count) {
  static size_t turn; /* of all cases of the program */
  for (size_t i = 0; i < count && !harness_failures(); i++, turn++) {
    static unsigned char packed[1 << 16];
    file_case *c = &cases[i];
    if (!c->ending) c->ending = ".txt";
    run_some(c, c->text, strlen(c->text), c->ending, harness_full() ? 0 : turn % 2, harness_full() ? 1 : 2);
    run_packed(c, packed, pack_zstd(c->text, packed, sizeof packed), turn);
    const size_t size = strlen(c->text);
    for (members_kind kind = MEMBERS_BGZIP; kind < MEMBERS_KINDS && size; kind++) {
      const size_t piece = kind == MEMBERS_GZIP ? size / 3 + 1 : 1 + turn % 9; /* some lines, which are scattered */
      const size_t bytes = members_pack(c->text, size, piece, kind, packed, sizeof packed);
      if (check(bytes > 0)) run_packed(c, packed, bytes, turn + 1 + kind);
    }
    if (harness_failures()) printf("case %u: %s\n", (unsigned)i, c->text);
  }
}

#endif
