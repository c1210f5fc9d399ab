/* dimacs.c - the shortest-path format of the ninth DIMACS challenge (.gr).
 *
 * Room: "c" comments, one "p sp VERTICES ARCS", then "a TAIL HEAD LENGTH": directed, ids from 1. */
#include <inttypes.h>

#include "parse.h"
#include "reader.h"

typedef struct {
  uint64_t n, m, line; /* as the header says; its line */
  uint64_t body;       /* offset of the line behind it */
} header;

static bool empty_or_comment(const char *line) {
  line = scree__skip(line);
  return !*line || *line == 'c';
}

/* Takes the word at *p, which must be `word`. */
static bool take(const char **p, const char *word) {
  const char *at = *p = scree__skip(*p);
  while (*word && *at == *word) at++, word++;
  if (*word || at != scree__word_end(*p)) return false;
  *p = scree__skip(at);
  return true;
}

static scree_status parse_header(scree__reader *reader, const scree__lines *lines, const char *p, header *h) {
  if (!take(&p, "p")) return scree__expected(reader, lines, p, "the line 'p sp VERTICES ARCS' before any arc");
  if (!take(&p, "sp")) return scree__expected(reader, lines, p, "'sp': a shortest-path graph");
  if (scree__parse_number(&p, 1, SCREE_VERTICES_MAX, &h->n))
    return scree__expected(reader, lines, p, "a number of vertices, 1 .. 1099511627776");
  p = scree__skip(p);
  if (scree__parse_number(&p, 0, INT64_MAX, &h->m)) return scree__expected(reader, lines, p, "a number of arcs");
  p = scree__skip(p);
  if (*p) return scree__expected(reader, lines, p, "the end of the line");
  h->line = scree__lines_number(lines);
  h->body = lines->next;
  return SCREE_OK;
}

static scree_status read_header(scree__reader *reader, scree__lines *lines, header *h) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_ERROR) return scree__unreadable(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    if (!empty_or_comment(line)) return parse_header(reader, lines, line, h);
  }
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found the end of the file, expected the line 'p sp VERTICES "
                    "ARCS'",
                    reader->file.path);
}

static scree_status parse_end(scree__reader *reader, const scree__lines *lines, const char **p, uint64_t n,
                              uint64_t *id) {
  char expected[64];
  *p = scree__skip(*p);
  if (!scree__parse_number(p, 1, n, id)) {
    *id -= 1;
    *p = scree__skip(*p);
    return SCREE_OK;
  }
  snprintf(expected, sizeof expected, "a vertex id of 1 .. %" PRIu64, n);
  return scree__expected(reader, lines, *p, expected);
}

static scree_status parse_arc(scree__reader *reader, const scree__lines *lines, const char *p, uint64_t n,
                              scree_graph_builder *builder) {
  uint64_t u, v;
  double w;
  bool decimal = false;
  if (!take(&p, "a")) return scree__expected(reader, lines, p, "'a TAIL HEAD LENGTH'");
  scree_status status = parse_end(reader, lines, &p, n, &u);
  if (!status) status = parse_end(reader, lines, &p, n, &v);
  if (status) return status;
  const char *expected = scree__parse_weight(&p, &w, &decimal);
  p = scree__skip(p);
  if (!expected && *p) expected = "the end of the line";
  if (expected) return scree__expected(reader, lines, p, expected);
  if (decimal) scree__builder_decimals(builder);
  scree_graph_builder_add(builder, u, v, scree__weight(reader->options, true, u, v, w));
  return SCREE_OK;
}

static scree_status read_arcs(scree__reader *reader, scree__lines *lines, uint64_t n, scree_graph_builder *builder,
                              uint64_t *arcs) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_END) return SCREE_OK;
    if (result == SCREE__LINE_ERROR) return scree__unreadable(reader, lines, why);
    if (empty_or_comment(line)) continue;
    scree_status status = parse_arc(reader, lines, line, n, builder);
    if (status) return status;
    ++*arcs;
  }
}

/* Rank 0 reads the header and tells it. */
static scree_status agree_header(scree__reader *reader, scree__lines *lines, header *h) {
  bool mine = scree_rank(scree_graphs_worker(reader->graphs)) == 0;
  scree_status status = scree__agree(reader->graphs, mine ? read_header(reader, lines, h) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.sum = {h->n, h->m}, .max = h->body, .min = mine ? h->line : UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  *h = (header){r.sum[0], r.sum[1], r.min, r.max};
  return status;
}

static scree_status check_count(scree__reader *reader, const header *h, uint64_t arcs) {
  if (arcs == h->m) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s:%" PRIu64 ": found %" PRIu64 " arcs in the file, expected %" PRIu64 " as this line says",
                    reader->file.path, h->line, arcs, h->m);
}

static scree_status read_body(scree__reader *reader, scree__lines *lines, const header *h, scree_graph **graph) {
  scree_graph_builder *builder;
  uint64_t arcs = 0;
  scree_status status = scree__reader_builder(reader, h->n, true, true, &builder);
  if (status) return status;
  scree_status bad = read_arcs(reader, lines, h->n, builder, &arcs);
  scree_graph *g = NULL;
  status = scree_graph_builder_finish(builder, &g);
  if (status) return status;
  status = scree__agree_lines(reader, bad, lines);
  if (!status) status = scree__agree(reader->graphs, check_count(reader, h, g->edges));
  if (status) {
    scree_graph_free(g);
    return status;
  }
  g->label_base = 1;
  *graph = g;
  return SCREE_OK;
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  scree__lines lines;
  header h = {0};
  scree_status status = scree__reader_lines(reader, 0, true, &lines);
  if (status) return status;
  status = agree_header(reader, &lines, &h);
  if (!status && !reader->file.gzip) { /* of a gzip file rank 0 reads on */
    scree__lines_close(&lines);
    status = scree__reader_lines(reader, h.body, false, &lines);
  }
  if (!status) status = read_body(reader, &lines, &h, graph);
  scree__lines_close(&lines);
  return status;
}

const scree__format scree__format_dimacs = {"dimacs", load};
