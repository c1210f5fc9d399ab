/* edge_list.c - edge lists: a line an edge, two columns of ids or more; and notes of what was left unread or may be no edge. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "read/edge_list.h"
#include "read/format.h"
#include "read/staged_graph.h"

enum { BATCH = 512 };

/* The word at *p, if it is in a column that is read. What was expected instead, or NULL. */
static const char *parse_column(scree__edge_list *l, uint32_t column, const char **p, scree_edge *edge) {
  bool used = column == l->column[0] || column == l->column[1] || column == l->column[2];
  if (!used) {
    if (!**p) return "another column: see --columns";
    *p = scree__word_end(*p);
    return NULL;
  }
  if (column == l->column[2]) return scree__parse_weight(p, &edge->weight, &l->edges.notes.decimals);
  return scree__staging_parse_id(&l->edges, p, column == l->column[0] ? &edge->u : &edge->v);
}

/* What may be the matter with the first line. */
static const char *hint(const scree__edge_list *l, const scree__lines *lines, const char *p, uint32_t column) {
  if (l->edges.count || scree__lines_number(lines) != 1) return "";
  if (*p && (*p < '0' || *p > '9') && *p != '-') return "; put '#' before a line of headings";
  return !*p && column == 2 ? "; put '#' before a line that holds a count" : "";
}

/* The number in the third column, 0 if there is none. */
static uint64_t third_of(const char *p) {
  uint64_t number = 0;
  for (int column = 1; column < 3; column++) p = scree__word_end(scree__skip_blanks(p));
  p = scree__skip_blanks(p);
  return scree__parse_number(&p, 0, INT64_MAX, &number) ? 0 : number;
}

static scree_status parse_edge(scree__edge_list *l, const scree__lines *lines, const char *p) {
  scree_edge edge = {.weight = 1};
  if (!l->edges.count) l->third = third_of(p);
  for (uint32_t column = 1; column <= l->last; column++) {
    p = scree__skip_blanks(p);
    const char *expected = parse_column(l, column, &p, &edge);
    if (!expected) continue;
    char text[192];
    snprintf(text, sizeof text, "%s in column %" PRIu32 "%s", expected, column, hint(l, lines, p, column));
    return scree__reader_parse_error(l->edges.reader, lines, p, text);
  }
  if (!l->edges.notes.wide && *scree__skip_blanks(p)) l->edges.notes.wide = lines->count;
  return scree__staging_append(&l->edges, &edge, 1);
}

void scree__edge_list_begin(scree__edge_list *l, scree__reader *reader) {
  const uint32_t *c = reader->options->columns;
  *l = (scree__edge_list){.column = {c[0] ? c[0] : 1, c[0] ? c[1] : 2, c[2]}};
  for (int i = 0; i < 3; i++)
    if (l->column[i] > l->last) l->last = l->column[i];
  scree__staging_init(&l->edges, reader);
}

/* Makes blanks of the commas of a line whose first number is followed by one. The second of two commas without a value
 * between them, or NULL: there are none. */
static const char *split_at_commas(char *line) {
  char *p = line + strspn(line, " \t");
  p += strspn(p, "0123456789");
  if (p == line || p[strspn(p, " \t")] != ',') return NULL;
  for (p = line; (p = strchr(p, ',')); p++) {
    *p++ = ' ';
    p += strspn(p, " \t");
    if (*p == ',') return p;
  }
  return NULL;
}

/* One line on the slow path. */
static scree_status read_line(scree__edge_list *l, scree__lines *lines, bool *end) {
  char why[128], *line;
  scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
  *end = result == SCREE__LINE_END;
  if (result == SCREE__LINE_ERROR) return scree__reader_read_error(l->edges.reader, lines, why);
  if (*end || scree__is_comment(line)) return SCREE_OK;
  const char *empty = split_at_commas(line);
  if (empty) return scree__reader_parse_error(l->edges.reader, lines, empty, "a value between two commas");
  return parse_edge(l, lines, line);
}

scree_status scree__edge_list_read(scree__edge_list *l, scree__lines *lines) {
  scree__plain_line plain = {.weighted = l->column[2] != 0, .wide = true, .min = l->edges.min, .max = INT64_MAX};
  bool usual = l->column[0] == 1 && l->column[1] == 2 && (!plain.weighted || l->column[2] == 3);
  scree_edge edges[BATCH];
  scree_status status = SCREE_OK;
  bool end = false, expected = false;
  while (!end && !status && !l->edges.count) status = read_line(l, lines, &end); /* the first one: it may count */
  while (!end && !status) {
    size_t count = usual ? scree__scan(lines, &plain, edges, BATCH, &l->edges.notes) : 0;
    if (count && !expected) scree__staging_reserve(&l->edges, lines, l->edges.count + count);
    expected = expected || count;
    status = count ? scree__staging_append(&l->edges, edges, count) : read_line(l, lines, &end);
  }
  return status;
}

/* One line on rank 0, if columns were left unread and no option says which to read. */
static void note_unread(const scree__edge_list *l, bool wide) {
  const scree__reader *reader = l->edges.reader;
  if (!wide || reader->options->columns[0] || reader->graphs->worker->rank) return;
  fprintf(stderr,
          "scree: %s: columns 1,2 are read, the others are left unread; --columns S,D[,W] says where source, "
          "target and weight stand\n",
          reader->file.path);
}

/* Does the first edge count what follows: as "vertices edges", or as "rows columns entries" of a Matrix Market file? */
static bool may_count(const scree__edge_list *l, uint64_t follow, uint64_t max) {
  const uint64_t u = scree__staging_end(&l->edges, 0), v = scree__staging_end(&l->edges, 1);
  if (u == max && v == follow) return true;
  return l->column[0] == 1 && l->column[1] == 2 && l->third == follow && (u > v ? u : v) == max;
}

/* One line on the rank that has the first edge. */
static void note_counts(const scree__edge_list *l, uint64_t first, uint64_t edges, uint64_t max) {
  const scree__reader *reader = l->edges.reader;
  if (reader->graphs->worker->rank != first || edges < 4 || !may_count(l, edges - 1, max)) return;
  fprintf(stderr,
          "scree: %s: the first line is read as an edge, but may count: %" PRIu64 " is the largest id, and %" PRIu64
          " lines follow; put '#' before it if it is no edge\n",
          reader->file.path, max, edges - 1);
}

static scree_status agree_edges(scree__edge_list *l, const scree__lines *lines, scree_status status) {
  scree_graphs *graphs = l->edges.reader->graphs;
  status = scree__reader_consensus(l->edges.reader, status, lines);
  if (status) return status;
  uint64_t first = l->edges.count ? graphs->worker->rank : UINT64_MAX; /* rank that has the first edge */
  scree_reduce r = {.sum = {l->edges.count, l->edges.notes.wide != 0}, .max = l->edges.max, .min = first};
  status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  note_unread(l, r.sum[1] != 0);
  note_counts(l, r.min, r.sum[0], r.max);
  if (r.sum[0] || l->edges.reader->options->vertices) return SCREE_OK;
  return scree__consensus(
      graphs, scree__why(graphs, SCREE_EINVAL, "%s: found no edge, expected one a line", l->edges.reader->file.path));
}

static scree_status check_options(scree__reader *reader) {
  if (reader->options->direction == SCREE_DIRECTION_UNSET)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: an edge list does not say whether its edges are directed; "
                      "expected --directed or --undirected",
                      reader->file.path);
  return scree__staging_check_options(reader);
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  scree__edge_list l;
  scree__lines lines;
  scree__edge_list_begin(&l, reader);
  scree_status status = scree__consensus(reader->graphs, check_options(reader));
  if (!status) status = scree__reader_lines(reader, 0, false, &lines);
  if (status) return status;
  status = agree_edges(&l, &lines, scree__edge_list_read(&l, &lines));
  scree__lines_close(&lines);
  if (!status) status = scree__staging_read_vertices(&l.edges);
  if (!status) status = scree__staging_build(&l.edges, graph);
  scree__staging_free(&l.edges);
  return status;
}

const scree__format scree__format_edges = {
    .name = "edges",
    .what = "an edge list",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED | SCREE__TAKES_COLUMNS | SCREE__TAKES_BASE |
             SCREE__TAKES_VERTICES,
    .instead = "has its vertices, and its weights, if any, in its lines",
    .load = load,
};
