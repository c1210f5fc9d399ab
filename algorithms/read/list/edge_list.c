/* edge_list.c - edge lists: one edge per line, two columns of ids or more; and a note about columns that were not
 * read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "build/weights.h"
#include "file/parse.h"
#include "graph/consensus.h"
#include "read/list/edge_list.h"
#include "read/list/line.h"
#include "read/list/resembling.h"
#include "read/list/staged_graph.h"

enum { BATCH = 512 };

/* Parses the field if it is in a column that is read. Returns what was expected instead, or NULL. */
static const char *parse_column(scree__edge_list *l, uint32_t column, const scree__list_field *f, scree_edge *edge) {
  bool used = column == l->column[0] || column == l->column[1] || column == l->column[2];
  if (f->wrong) return f->wrong;
  if (!used) return f->missing ? "another column: see --columns" : NULL;
  if (column == l->column[2]) return scree__parse_real(f->at, f->end, &edge->weight, &l->edges.notes.decimals);
  return scree__staging_parse_id(&l->edges, f->at, f->end, column == l->column[0] ? &edge->u : &edge->v);
}

/* The lines of the parts before this one. */
static bool open_before(const scree__edge_list *l, const scree__lines *lines, scree__lines *before) {
  char why[128], *line;
  if (!lines->decompressor) return scree__lines_open(before, lines->file, l->start, lines->start, why, sizeof why);
  if (!scree__lines_open_members(before, lines->file, 0, lines->packed_from, why, sizeof why)) return false;
  while (before->next < l->start && scree__lines_next(before, &line, why, sizeof why) == SCREE__LINE_OK) continue;
  return true;
}

/* Whether no line before the last one of this rank has an edge in it. */
static bool is_first(const scree__edge_list *l, const scree__lines *lines) {
  const scree_graph_options *o = l->edges.reader->options;
  char why[128], *line;
  scree__lines before;
  const bool first_part = lines->decompressor ? !lines->packed_from : lines->from == l->start;
  if (l->edges.count || first_part) return !l->edges.count;
  if (!open_before(l, lines, &before)) return false;
  scree__line_result result = SCREE__LINE_OK;
  while (result == SCREE__LINE_OK && (result = scree__lines_next(&before, &line, why, sizeof why)) == SCREE__LINE_OK)
    if (!scree__list_skips(o, line)) result = SCREE__LINE_ERROR;
  scree__lines_close(&before);
  return result == SCREE__LINE_END;
}

static scree_status refuse(const scree__edge_list *l, const scree__lines *lines, const char *line, uint32_t column,
                           const scree__list_field *field, const char *expected) {
  char text[448], advice[256];
  scree__list_advise(l->edges.reader->options, lines, line, field, is_first(l, lines), advice, sizeof advice);
  snprintf(text, sizeof text, "%s in column %" PRIu32 "%s", expected, column, advice);
  return scree__list_field_error(l->edges.reader, lines, field, text);
}

static scree_status parse_edge(scree__edge_list *l, const scree__lines *lines, const char *line) {
  const scree_graph_options *o = l->edges.reader->options;
  scree_edge edge = {.weight = 1};
  scree__list_fields fields = scree__list_fields_of(o, line);
  scree__list_field field;
  if (!l->edges.count) scree__first_line_note(&l->first, lines, fields);
  for (uint32_t column = 1; column <= l->last; column++) {
    field = scree__list_next_field(&fields);
    const char *expected = parse_column(l, column, &field, &edge);
    if (expected) return refuse(l, lines, line, column, &field, expected);
  }
  if (scree__list_leaves_open(fields, &field))
    return scree__list_field_error(l->edges.reader, lines, &field, field.wrong);
  if (!l->edges.notes.wide && *scree__skip_blanks(fields.at)) l->edges.notes.wide = lines->count;
  return scree__staging_append(&l->edges, &edge, 1);
}

void scree__edge_list_begin(scree__edge_list *l, scree__reader *reader) {
  const uint32_t *c = reader->options->columns, weight = scree__weights_are_read(reader->options) ? c[2] : 0;
  *l = (scree__edge_list){.column = {c[0] ? c[0] : 1, c[0] ? c[1] : 2, weight}};
  for (int i = 0; i < 3; i++)
    if (l->column[i] > l->last) l->last = l->column[i];
  scree__staging_init(&l->edges, reader);
}

/* One line on the slow path. */
static scree_status read_line(scree__edge_list *l, scree__lines *lines, bool *end) {
  char why[128], *line;
  scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
  *end = result == SCREE__LINE_END;
  if (result == SCREE__LINE_ERROR) return scree__reader_read_error(l->edges.reader, lines, why);
  const scree_graph_options *o = l->edges.reader->options;
  return *end || scree__list_skips(o, line) ? SCREE_OK : parse_edge(l, lines, line);
}

scree_status scree__edge_list_read(scree__edge_list *l, scree__lines *lines) {
  scree__plain_line plain = {.weighted = l->column[2] != 0,
                             .wide = true,
                             .by = l->edges.reader->options->separator,
                             .min = l->edges.min,
                             .max = INT64_MAX};
  const bool usual = l->column[0] == 1 && l->column[1] == 2 && (!plain.weighted || l->column[2] == 3);
  scree_edge edges[BATCH];
  scree_status status = SCREE_OK;
  bool end = false, expected = false;
  while (!end && !status && !l->edges.count) status = read_line(l, lines, &end); /* the first one: it may count */
  const uint64_t max = l->edges.max;
  l->edges.max = 0;
  while (!end && !status) {
    if (l->scattering && scree__scatter(l->scattering, 0)) continue;
    size_t count = usual ? scree__scan(lines, &plain, edges, BATCH, &l->edges.notes) : 0;
    if (count && !expected) scree__staging_reserve(&l->edges, lines, l->edges.count + count);
    expected = expected || count;
    status = count ? scree__staging_append(&l->edges, edges, count) : read_line(l, lines, &end);
  }
  l->first.rest = l->edges.max;
  if (max > l->edges.max) l->edges.max = max;
  return status;
}

/* Prints one line on rank 0, if columns were not read and no option names those to read. */
static void note_unread(const scree__edge_list *l, bool wide) {
  const scree__reader *reader = l->edges.reader;
  if (!wide || reader->options->columns[0] || reader->graphs->worker->rank) return;
  fprintf(stderr,
          "scree: %s: columns 1,2 are read, the others are left unread; --columns S,D[,W] says where source, "
          "target and weight are\n",
          reader->file.path);
}

/* *from: the rank that has the first edge of the file. */
static scree_status agree_edges(scree__edge_list *l, const scree__lines *lines, uint64_t *from) {
  scree_graphs *graphs = l->edges.reader->graphs;
  scree_reduce r = {.sum = {l->edges.count, l->edges.notes.wide != 0},
                    .min = l->edges.count ? graphs->worker->rank : UINT64_MAX};
  scree_status status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  note_unread(l, r.sum[1] != 0);
  *from = r.min;
  if (r.sum[0]) return scree__first_line_check(&l->first, &l->edges, lines, r.min, r.sum[0]);
  if (l->edges.reader->options->vertices) return SCREE_OK;
  return scree__consensus(
      graphs, scree__why(graphs, SCREE_EINVAL, "%s: found no edge, expected one a line", l->edges.reader->file.path));
}

static scree_status read_piece(void *arg, scree__lines *lines, uint64_t number) {
  (void)number;
  return scree__edge_list_read(arg, lines);
}

/* Lines that rank 0 scatters. If one is wrong, rank 0 reads them all again: it finds the first. Collective. */
static scree_status read_scattered(scree__edge_list *l, scree__lines *lines) {
  scree__reader *reader = l->edges.reader;
  scree_graphs *graphs = reader->graphs;
  const uint64_t start = l->start;
  scree__scattering pieces = {.graphs = graphs, .lines = lines, .parse = read_piece, .arg = l};
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = scree__scatter_receive}, &pieces);
  if (status) return status;
  l->scattering = graphs->worker->rank ? NULL : &pieces;
  scree__scatter_lines(&pieces);
  status = scree__exchange_end(graphs, NULL);
  if (!status) status = scree__consensus(graphs, pieces.status);
  if (status != SCREE_EINVAL) return status;
  scree__lines_close(lines);
  scree__staging_free(&l->edges);
  scree__edge_list_begin(l, reader);
  l->start = start;
  status = scree__reader_lines(reader, start, true, lines);
  return status ? status : scree__reader_consensus(reader, scree__edge_list_read(l, lines), lines);
}

static scree_status read_lines(scree__edge_list *l, scree__lines *lines) {
  if (lines->scattered) return read_scattered(l, lines);
  return scree__reader_consensus(l->edges.reader, scree__edge_list_read(l, lines), lines);
}

/* ---- lines that are skipped ---- */

scree_status scree__edge_list_skip(scree__reader *reader, scree__lines *lines) {
  const scree_graph_options *o = reader->options;
  char why[128], *line = NULL;
  scree__line_result result = SCREE__LINE_OK;
  for (uint64_t i = 0; i < o->skip_lines && result == SCREE__LINE_OK; i++)
    result = scree__lines_next(lines, &line, why, sizeof why);
  bool more = o->header, named = o->skip_lines;
  while (more && result == SCREE__LINE_OK) {
    result = scree__lines_next(lines, &line, why, sizeof why);
    more = result == SCREE__LINE_OK && scree__list_skips(o, line);
    named = true;
  }
  if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
  return named && result == SCREE__LINE_OK ? scree__list_check_headings(reader, lines, line) : SCREE_OK;
}

/* Opens the lines after them. Collective; the caller closes them on SCREE_OK. */
static scree_status open_lines(scree__edge_list *l, scree__lines *lines) {
  scree__reader *reader = l->edges.reader;
  if (!reader->options->skip_lines && !reader->options->header) return scree__reader_lines(reader, 0, false, lines);
  scree_status status = scree__reader_lines(reader, 0, true, lines);
  if (status) return status;
  status =
      scree__consensus(reader->graphs, reader->graphs->worker->rank ? SCREE_OK : scree__edge_list_skip(reader, lines));
  scree_reduce r = {.max = lines->next, .min = UINT64_MAX};
  if (!status) status = scree_graphs_reduce(reader->graphs, &r);
  scree__lines_close(lines);
  l->start = r.max;
  return status ? status : scree__reader_lines(reader, l->start, false, lines);
}

static scree_status check_options(scree__reader *reader) {
  if (reader->options->direction == SCREE_DIRECTION_UNSET)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: an edge list does not say whether its edges are directed; "
                      "expected --directed or --undirected",
                      reader->file.path);
  return scree__staging_check_options(reader);
}

scree_status scree__edge_list_load(scree__reader *reader, scree_graph **graph) {
  scree__edge_list l;
  scree__lines lines;
  scree__labels ids = {0};
  uint64_t from = 0;
  scree__edge_list_begin(&l, reader);
  scree_status status = scree__consensus(reader->graphs, check_options(reader));
  if (!status)
    status = scree__consensus(reader->graphs,
                              reader->graphs->worker->rank ? SCREE_OK : scree__list_check_resembling(reader));
  if (!status) status = open_lines(&l, &lines);
  if (status) return status;
  status = read_lines(&l, &lines);
  if (!status) status = agree_edges(&l, &lines, &from);
  scree__lines_close(&lines);
  if (!status) status = scree__staging_read_vertices(&l.edges);
  if (!status) status = scree__staging_find_ids(&l.edges, &ids);
  if (!status) status = scree__first_line_check_ids(&l.first, &l.edges, from, ids.n);
  if (!status) status = scree__staging_build(&l.edges, &ids, graph);
  scree__labels_free(&ids);
  scree__staging_free(&l.edges);
  return status;
}
