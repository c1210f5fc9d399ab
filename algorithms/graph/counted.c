/* counted.c - formats with a header that counts: vertices 1 .. n, and so many entries, one a line.
 *
 * Room: see counted.h. */
#include "graph/counted.h"

#include <inttypes.h>
#include <stdio.h>

#include "graph/parse.h"

enum { BATCH = 512 };

/* ---- words ------------------------------------------------------------------------------------------------------ */

scree_status scree__counted_number(scree__reader *reader, const scree__lines *lines, const char **p, uint64_t min,
                                   uint64_t max, const char *expected, uint64_t *number) {
  *p = scree__skip(*p);
  if (!scree__parse_number(p, min, max, number)) return SCREE_OK;
  return scree__expected(reader, lines, *p, expected);
}

scree_status scree__counted_end(scree__reader *reader, const scree__lines *lines, const char *p, scree__counted *h) {
  p = scree__skip(p);
  if (*p) return scree__expected(reader, lines, p, "the end of the line");
  h->line = scree__lines_number(lines);
  h->body = lines->next;
  return SCREE_OK;
}

scree_status scree__counted_id(scree__reader *reader, const scree__lines *lines, const scree__counted *h,
                               const char **p, uint64_t *id) {
  char expected[64];
  *p = scree__skip(*p);
  if (!scree__parse_number(p, 1, h->n, id)) return SCREE_OK;
  snprintf(expected, sizeof expected, "a vertex id of 1 .. %" PRIu64, h->n);
  return scree__expected(reader, lines, *p, expected);
}

scree_status scree__counted_rest(scree__reader *reader, const scree__lines *lines, bool weighted, const char *p,
                                 double *weight, bool *decimals) {
  p = scree__skip(p);
  const char *expected = weighted ? scree__parse_weight(&p, weight, decimals) : NULL;
  p = scree__skip(p);
  if (!expected && *p) expected = "the end of the line";
  return expected ? scree__expected(reader, lines, p, expected) : SCREE_OK;
}

/* ---- body ------------------------------------------------------------------------------------------------------- */

typedef struct {
  scree__reader *reader;
  const scree__counting *how;
  const scree__counted *h;
  bool directed;
  scree_graph_builder *builder;
  scree__seen seen;
} body;

/* Hands on entries, which stand in the last lines taken. */
static scree_status hand_on(body *b, scree__lines *lines, scree_edge *edges, size_t count) {
  bool given = b->reader->options->weights == SCREE_WEIGHTS_GIVEN;
  for (size_t i = 0; i < count; i++) {
    const char *wrong = b->how->wrong ? b->how->wrong(b->h, &edges[i]) : NULL;
    if (wrong) {
      lines->count -= count - 1 - i;
      return scree__why(b->reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found '%" PRIu64 " %" PRIu64 "', %s",
                        b->reader->file.path, scree__lines_number(lines), edges[i].u, edges[i].v, wrong);
    }
    edges[i].u--;
    edges[i].v--;
    if (!given)
      edges[i].weight = scree__weight(b->reader->options, b->directed, edges[i].u, edges[i].v, edges[i].weight);
  }
  if (b->seen.decimals) scree__builder_decimals(b->builder);
  scree_graph_builder_add_many(b->builder, count, edges);
  return SCREE_OK;
}

/* One line the careful way. */
static scree_status careful(body *b, scree__lines *lines, bool *end) {
  char why[128], *line;
  scree_edge edge = {.weight = 1};
  scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
  *end = result == SCREE__LINE_END;
  if (result == SCREE__LINE_ERROR) return scree__unreadable(b->reader, lines, why);
  if (*end || b->how->skip(line)) return SCREE_OK;
  scree_status status = b->how->entry(b->reader, lines, b->h, line, &edge, &b->seen.decimals);
  return status ? status : hand_on(b, lines, &edge, 1);
}

static scree_status read_entries(body *b, scree__lines *lines) {
  scree__plain plain = b->how->plain(b->h);
  plain.min = 1;
  plain.max = b->h->n;
  scree_edge edges[BATCH];
  scree_status status = SCREE_OK;
  for (bool end = false; !end && !status;) {
    size_t count = scree__scan(lines, &plain, edges, BATCH, &b->seen);
    status = count ? hand_on(b, lines, edges, count) : careful(b, lines, &end);
  }
  return status;
}

/* ---- header and counts ------------------------------------------------------------------------------------------ */

/* Rank 0 reads the header and tells it. */
static scree_status agree_header(scree__reader *reader, const scree__counting *how, scree__lines *lines,
                                 scree__counted *h) {
  bool mine = scree_rank(reader->graphs->worker) == 0;
  scree_status status = scree__agree(reader->graphs, mine ? how->header(reader, lines, h) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.sum = {h->n, h->m}, .max = h->body, .min = mine ? h->line : UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  scree_reduce flags = {.max = h->flags, .min = UINT64_MAX};
  if (!status) status = scree_graphs_reduce(reader->graphs, &flags);
  *h = (scree__counted){r.sum[0], r.sum[1], r.min, r.max, flags.max};
  return status;
}

static scree_status check_count(scree__reader *reader, const scree__counting *how, const scree__counted *h,
                                uint64_t entries) {
  if (entries == h->m) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s:%" PRIu64 ": found %" PRIu64 " %s in the file, expected %" PRIu64 " as this line says",
                    reader->file.path, h->line, entries, how->entries, h->m);
}

enum { AN_ENTRY = 4 /* bytes of "1 2" and its line's end */ };

/* Entries that the file may well have: a count that is larger than its bytes allow is no reason to ask for memory. */
static uint64_t possible(const scree__reader *reader, const scree__counted *h) {
  uint64_t max = reader->file.packed ? UINT64_MAX : reader->file.size / AN_ENTRY;
  return h->m < max ? h->m : max;
}

static scree_status read_body(scree__reader *reader, const scree__counting *how, scree__lines *lines,
                              const scree__counted *h, scree_graph **graph) {
  body b = {.reader = reader, .how = how, .h = h, .directed = how->directed(reader, h)};
  scree_weight_kind kind = how->plain(h).weighted ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_NONE;
  scree_status status = scree__reader_builder(reader, h->n, possible(reader, h), b.directed, kind, &b.builder);
  if (status) return status;
  scree_status bad = read_entries(&b, lines);
  scree_graph *g = NULL;
  status = scree_graph_builder_finish(b.builder, &g);
  if (status) return status;
  status = scree__agree_lines(reader, bad, lines);
  if (!status) status = scree__agree(reader->graphs, check_count(reader, how, h, g->edges));
  if (status) {
    scree_graph_free(g);
    return status;
  }
  g->label_base = 1;
  *graph = g;
  return SCREE_OK;
}

scree_status scree__counted_load(scree__reader *reader, const scree__counting *how, scree_graph **graph) {
  scree__lines lines;
  scree__counted h = {0};
  scree_status status = scree__reader_lines(reader, 0, true, &lines);
  if (status) return status;
  status = agree_header(reader, how, &lines, &h);
  if (!status && !reader->file.packed) { /* of a compressed file rank 0 reads on */
    scree__lines_close(&lines);
    status = scree__reader_lines(reader, h.body, false, &lines);
  }
  if (!status) status = read_body(reader, how, &lines, &h, graph);
  scree__lines_close(&lines);
  return status;
}
