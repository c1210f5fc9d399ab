/* sized_format.c - formats whose header states their size: header on rank 0, body in parts, and whether the sizes
 * match. */
#include "read/sized_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "build/builder.h"
#include "build/weights.h"
#include "file/parse.h"
#include "graph/consensus.h"

enum { BATCH = 512 };

/* ---- words ---- */

scree_status scree__sized_number(scree__reader *reader, const scree__lines *lines, const char **p, uint64_t min,
                                 uint64_t max, const char *expected, uint64_t *number) {
  *p = scree__skip_blanks(*p);
  if (!scree__parse_number(p, min, max, number)) return SCREE_OK;
  return scree__reader_parse_error(reader, lines, *p, expected);
}

scree_status scree__sized_end(scree__reader *reader, const scree__lines *lines, const char *p, scree__size_header *h) {
  p = scree__skip_blanks(p);
  if (*p) return scree__reader_parse_error(reader, lines, p, "the end of the line");
  h->line = scree__lines_number(lines);
  h->body = lines->next;
  return SCREE_OK;
}

scree_status scree__sized_id(scree__reader *reader, const scree__lines *lines, const scree__size_header *h,
                             const char **p, uint64_t *id) {
  char expected[64];
  *p = scree__skip_blanks(*p);
  if (!scree__parse_number(p, 1, h->n, id)) return SCREE_OK;
  snprintf(expected, sizeof expected, "a vertex id of 1 .. %" PRIu64, h->n);
  return scree__reader_parse_error(reader, lines, *p, expected);
}

scree_status scree__sized_rest(scree__reader *reader, const scree__lines *lines, bool weighted, const char *p,
                               double *weight, bool *decimals) {
  p = scree__skip_blanks(p);
  const char *expected = NULL;
  if (weighted && scree__weights_are_read(reader->options))
    expected = scree__parse_weight(&p, weight, decimals);
  else if (weighted)
    expected = scree__pass_word(&p, "a weight");
  p = scree__skip_blanks(p);
  if (!expected && *p) expected = "the end of the line";
  return expected ? scree__reader_parse_error(reader, lines, p, expected) : SCREE_OK;
}

/* ---- body ---- */

typedef struct {
  scree__reader *reader;
  const scree__sized_format *how;
  const scree__size_header *h;
  bool directed;
  scree_graph_builder *builder;
  scree__scattering pieces; /* if the lines are scattered */
  bool scatters;            /* this rank */
  uint64_t found;           /* entries on this rank, before the one that is wrong */
  scree__scan_notes notes;
} body;

/* Forwards entries, which are those of the last lines consumed, to the builder. */
static scree_status forward(body *b, scree__lines *lines, scree_edge *edges, size_t count) {
  const bool given = scree__weights_are_read(b->reader->options);
  b->found += count;
  for (size_t i = 0; i < count; i++) {
    const char *wrong = b->how->wrong ? b->how->wrong(b->h, &edges[i]) : NULL;
    if (wrong) {
      lines->count -= count - 1 - i;
      b->found -= count - i;
      return scree__why(b->reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found '%" PRIu64 " %" PRIu64 "', %s",
                        b->reader->file.path, scree__lines_number(lines), edges[i].u, edges[i].v, wrong);
    }
    edges[i].u--;
    edges[i].v--;
    if (!given)
      edges[i].weight = scree__weight(b->reader->options, b->directed, edges[i].u, edges[i].v, edges[i].weight);
  }
  if (b->notes.decimals) scree__builder_decimals(b->builder);
  scree_graph_builder_add_many(b->builder, count, edges);
  return SCREE_OK;
}

/* One line on the slow path. */
static scree_status read_line(body *b, scree__lines *lines, bool *end) {
  char why[128], *line;
  scree_edge edge = {.weight = 1};
  scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
  *end = result == SCREE__LINE_END;
  if (result == SCREE__LINE_ERROR) return scree__reader_read_error(b->reader, lines, why);
  if (*end || b->how->skip(line)) return SCREE_OK;
  scree_status status = b->how->entry(b->reader, lines, b->h, line, &edge, &b->notes.decimals);
  return status ? status : forward(b, lines, &edge, 1);
}

/* Up to the end, or until there are too many: a small compressed file can have more than there is memory for. */
static scree_status read_entries(body *b, scree__lines *lines) {
  scree__plain_line plain = b->how->plain(b->h);
  plain.by = ' ';
  plain.min = 1;
  plain.max = b->h->n;
  scree_edge edges[BATCH];
  scree_status status = SCREE_OK;
  for (bool end = false; !end && !status && b->found <= b->h->m;) {
    if (b->scatters && scree__scatter(&b->pieces, 0)) continue;
    size_t count = scree__scan(lines, &plain, edges, BATCH, &b->notes);
    status = count ? forward(b, lines, edges, count) : read_line(b, lines, &end);
  }
  return status;
}

static scree_status read_piece(void *arg, scree__lines *lines, uint64_t number) {
  (void)number;
  return read_entries(arg, lines);
}

/* The lines of all ranks, while the builder's exchange is open. */
static scree_status read_lines(body *b, scree__lines *lines) {
  scree_graphs *graphs = b->reader->graphs;
  if (!lines->scattered) return read_entries(b, lines);
  b->pieces = (scree__scattering){.graphs = graphs, .lines = lines, .parse = read_piece, .arg = b};
  b->scatters = !graphs->worker->rank;
  scree__exchange_bytes(graphs, scree__scatter_receive, &b->pieces);
  return scree__scatter_lines(&b->pieces);
}

/* ---- header and counts ---- */

scree_status scree__sized_share_header(scree__reader *reader, scree__header_fn *read, scree__lines *lines,
                                       scree__size_header *h) {
  bool mine = reader->graphs->worker->rank == 0;
  scree_status status = scree__consensus(reader->graphs, mine ? read(reader, lines, h) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.sum = {h->n, h->m}, .max = h->body, .min = mine ? h->line : UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  scree_reduce flags = {.max = h->flags, .min = UINT64_MAX};
  if (!status) status = scree_graphs_reduce(reader->graphs, &flags);
  *h = (scree__size_header){r.sum[0], r.sum[1], r.min, r.max, flags.max};
  return status;
}

scree_status scree__sized_check_count(scree__reader *reader, const char *what, const scree__size_header *h,
                                      uint64_t expected, uint64_t found) {
  if (found == expected) return SCREE_OK;
  const bool more = found > expected; /* how many is unknown: no rank has read on */
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s:%" PRIu64 ": found %s%" PRIu64 " %s in the file, expected %" PRIu64 " as this line says",
                    reader->file.path, h->line, more ? "more than " : "", more ? expected : found, what, expected);
}

enum { AN_ENTRY = 4 /* bytes of "1 2" and its line's end; of "1 " and "2 " */ };

uint64_t scree__sized_possible(const scree__reader *reader, const scree__size_header *h) {
  uint64_t max = reader->file.compression ? UINT64_MAX : reader->file.size / AN_ENTRY;
  return h->m < max ? h->m : max;
}

static scree_status read_body(scree__reader *reader, const scree__sized_format *how, scree__lines *lines,
                              const scree__size_header *h, scree_graph **graph) {
  body b = {.reader = reader, .how = how, .h = h, .directed = how->directed(reader, h)};
  scree_weight_kind kind = how->plain(h).weighted ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_NONE;
  scree_status status =
      scree__reader_builder(reader, h->n, scree__sized_possible(reader, h), b.directed, kind, &b.builder);
  if (status) return status;
  scree_status bad = read_lines(&b, lines);
  scree_graph *g = NULL;
  uint64_t before;
  status = scree_graph_builder_finish(b.builder, &g);
  if (status) return status;
  status = scree__prefix_sum(reader->graphs, b.found, &before);
  if (before + b.found > h->m) bad = SCREE_OK; /* the file has too many before what is wrong */
  if (!status) status = scree__reader_consensus(reader, bad, lines);
  if (!status)
    status = scree__consensus(reader->graphs, scree__sized_check_count(reader, how->entries, h, h->m, g->edges));
  if (status) {
    scree_graph_free(g);
    return status;
  }
  g->label_base = 1;
  *graph = g;
  return SCREE_OK;
}

scree_status scree__sized_load(scree__reader *reader, const scree__sized_format *how, scree_graph **graph) {
  scree__lines lines;
  scree__size_header h = {0};
  scree_status status = scree__reader_lines(reader, 0, true, &lines);
  if (status) return status;
  status = scree__sized_share_header(reader, how->header, &lines, &h);
  scree__lines_close(&lines);
  if (!status) status = scree__reader_lines(reader, h.body, false, &lines);
  if (!status) status = read_body(reader, how, &lines, &h, graph);
  const bool again = status == SCREE_EINVAL && lines.scattered; /* by rank 0 alone, which finds what is wrong first */
  scree__lines_close(&lines);
  if (again) status = scree__reader_lines(reader, h.body, true, &lines);
  if (again && !status) status = read_body(reader, how, &lines, &h, graph);
  scree__lines_close(&lines);
  return status;
}
