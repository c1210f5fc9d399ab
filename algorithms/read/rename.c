/* rename.c - each rank reads its part of the file and sends it to all, so that each knows whether labels ascend. */
#include "read/rename.h"

#include <inttypes.h>
#include <scree/memory.h>
#include <stdlib.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "read/reader.h"

enum { PAIRS = 1 << 11 /* of a message */ };
#define NONE UINT64_MAX

typedef struct {
  scree_graph *g;
  scree__reader *reader;
  uint64_t base;
  uint64_t *label; /* by vertex of the whole graph */
  uint64_t twice;  /* the smallest id that two lines have; or NONE */
  uint64_t count;  /* of `pairs` */
  uint64_t pairs[2 * PAIRS];
} names;

static void receive_pairs(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  names *s = arg;
  const uint64_t *pairs = data;
  for (size_t i = 0; i < bytes / sizeof *pairs; i += 2) {
    uint64_t *label = &s->label[pairs[i + 1] - s->base];
    if (*label != NONE && pairs[i + 1] < s->twice) s->twice = pairs[i + 1];
    *label = pairs[i];
  }
}

static void send_pairs(names *s) {
  scree_graphs *graphs = s->g->graphs;
  const uint32_t rank = graphs->worker->rank, ranks = graphs->worker->ranks;
  for (uint32_t i = 1; i <= ranks && s->count; i++)
    graph_bytes_send(graphs->worker, graphs->bytes, (rank + i) % ranks, s->pairs, 2 * s->count * sizeof *s->pairs);
  s->count = 0;
}

static scree_status parse(names *s, const scree__lines *lines, const char *p) {
  char expected[96];
  uint64_t *pair = s->pairs + 2 * s->count;
  const uint64_t last = s->base + s->g->vertices.n - 1;
  p = scree__skip_blanks(p);
  if (scree__parse_number(&p, 0, INT64_MAX, &pair[0]))
    return scree__reader_parse_error(s->reader, lines, p, "an old id of 0 .. 9223372036854775807");
  p = scree__skip_blanks(p);
  if (!scree__parse_number(&p, s->base, last, &pair[1])) return SCREE_OK;
  snprintf(expected, sizeof expected, "a new id, one of the graph: %" PRIu64 " .. %" PRIu64, s->base, last);
  return scree__reader_parse_error(s->reader, lines, p, expected);
}

static scree_status read_lines(names *s, scree__lines *lines) {
  char why[128], *line;
  scree__line_result result;
  scree_status status = SCREE_OK;
  while (!status && (result = scree__lines_next(lines, &line, why, sizeof why)) != SCREE__LINE_END) {
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(s->reader, lines, why);
    const char first = *scree__skip_blanks(line);
    if (!first || first == '#') continue;
    status = parse(s, lines, line);
    if (!status && ++s->count == PAIRS) send_pairs(s);
  }
  send_pairs(s);
  return status;
}

/* All lines, on all ranks. Collective. */
static scree_status take_lines(names *s) {
  scree__lines lines;
  scree_status status = scree__reader_lines(s->reader, 0, false, &lines);
  if (status) return status;
  status = scree__exchange_begin(s->g->graphs, (scree__receivers){.bytes = receive_pairs}, s);
  if (!status) {
    const scree_status bad = read_lines(s, &lines);
    status = scree__exchange_end(s->g->graphs, NULL);
    if (!status) status = scree__reader_consensus(s->reader, bad, &lines);
  }
  scree__lines_close(&lines);
  return status;
}

/* ---- labels that do not ascend ---- */

typedef struct {
  uint64_t label, vertex;
} named;

static int by_label(const void *a, const void *b) {
  const uint64_t x = ((const named *)a)->label, y = ((const named *)b)->label;
  return x < y ? -1 : x > y;
}

static bool ascend(const names *s) {
  for (uint64_t v = 1; v < s->g->vertices.n; v++)
    if (s->label[v] <= s->label[v - 1]) return false;
  return true;
}

/* index[u]: how many labels are smaller than that of local vertex u. Local. */
static scree_status sort(const names *s, uint64_t *index) {
  const scree_graph *g = s->g;
  const uint64_t n = g->vertices.n;
  named *all = scree_graphs_alloc(g->graphs, n * sizeof *all);
  if (!all) return scree__no_memory(g->graphs, "the order of the labels", n * sizeof *all);
  for (uint64_t v = 0; v < n; v++) all[v] = (named){s->label[v], v};
  qsort(all, n, sizeof *all, by_label);
  uint64_t twice = NONE;
  for (uint64_t i = 0; i < n; i++) {
    const scree_location p = scree_graph_location(g, all[i].vertex);
    if (scree_location_owner(p) == scree_graph_rank(g)) index[scree_location_local(p)] = i;
    if (i && twice == NONE && all[i].label == all[i - 1].label) twice = all[i].label;
  }
  scree_huge_free(all);
  if (twice == NONE) return SCREE_OK;
  return scree__why(g->graphs, SCREE_EINVAL, "%s: found the old id %" PRIu64 " twice, expected it once",
                    s->reader->file.path, twice);
}

/* ---- the graph ---- */

/* Whether each vertex has a line. Local; the same on all ranks. */
static scree_status check(const names *s) {
  uint64_t v = 0;
  while (v < s->g->vertices.n && s->label[v] != NONE) v++;
  if (s->twice != NONE)
    return scree__why(s->g->graphs, SCREE_EINVAL, "%s: found two lines of the new id %" PRIu64 ", expected one",
                      s->reader->file.path, s->twice);
  if (v == s->g->vertices.n) return SCREE_OK;
  return scree__why(s->g->graphs, SCREE_EINVAL,
                    "%s: found no line of the new id %" PRIu64 ", expected one for each of %" PRIu64 " .. %" PRIu64,
                    s->reader->file.path, s->base + v, s->base, s->base + s->g->vertices.n - 1);
}

static scree_status give(names *s) {
  scree_graph *g = s->g;
  const size_t bytes = ((size_t)g->locals + 1) * sizeof(uint64_t);
  scree_status status = check(s);
  if (status) return status;
  uint64_t *labels = scree_graphs_alloc(g->graphs, bytes), *index = NULL;
  g->labels = labels;
  if (!labels) return scree__no_memory(g->graphs, "the labels of vertices", bytes);
  for (uint64_t u = 0; u < g->locals; u++)
    labels[u] = s->label[scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u))];
  if (ascend(s)) return SCREE_OK;
  g->label_index = index = scree_graphs_alloc(g->graphs, bytes);
  return index ? sort(s, index) : scree__no_memory(g->graphs, "the labels of vertices", bytes);
}

static scree_status rename_all(names *s) {
  scree_graphs *graphs = s->g->graphs;
  const size_t bytes = s->g->vertices.n * sizeof *s->label;
  s->label = scree_graphs_alloc(graphs, bytes);
  scree_status status =
      scree__consensus(graphs, s->label ? SCREE_OK : scree__no_memory(graphs, "the ids of a map", bytes));
  for (uint64_t v = 0; v < s->g->vertices.n && !status; v++) s->label[v] = NONE;
  if (!status) status = take_lines(s);
  if (!status) status = scree__consensus(graphs, give(s));
  scree_huge_free(s->label);
  return status;
}

scree_status scree__rename(scree_graph *g, const scree_graph_options *o, const char *name) {
  if (!o->map) return SCREE_OK;
  const scree_graph_options plain = {.format = SCREE_FORMAT_EDGES};
  scree__reader reader = {.graphs = g->graphs, .options = &plain, .file = {.fd = -1}};
  names *s = g->labels ? NULL : malloc(sizeof *s);
  scree_status status = SCREE_OK;
  if (g->labels)
    status =
        scree__why(g->graphs, SCREE_EINVAL,
                   "%s: found ids with gaps, or renumbered by degree, and --map %s; expected a graph numbered without "
                   "gaps: leave --map out if its ids are those that you want",
                   name, o->map);
  else if (!s)
    status = scree__no_memory(g->graphs, "a map of ids", sizeof *s);
  status = scree__consensus(g->graphs, status);
  if (!status) {
    *s = (names){.g = g, .reader = &reader, .base = g->label_base, .twice = NONE};
    status = scree__reader_open(&reader, o->map);
    if (!status) status = rename_all(s);
    scree__file_close(&reader.file);
  }
  free(s);
  return status;
}
