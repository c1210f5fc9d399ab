/* edges.c - edge lists: a line an edge, two columns of ids or more.
 *
 * Room: columns, comments, the note of what was left unread. The vertices are the ids that occur. Each rank holds the
 * edges that it read until the ids are known: 24 bytes an edge. */
#include <inttypes.h>
#include <stdlib.h>

#include "labels.h"
#include "parse.h"
#include "reader.h"

typedef struct {
  scree__reader *reader;
  uint32_t column[3], last; /* source, target, weight (0: none); the last of them */
  scree__triple *edges;
  size_t count, room;
  uint64_t wide; /* number of the first line here that has columns behind the last; 0: none */
  bool decimals;
} list;

static bool comment(const char *p) {
  if (!*p || *p == '#' || *p == '%' || *p == '~') return true;
  return *p == 'c' && scree__word_end(p) == p + 1;
}

/* The word at *p, if it stands in a column that is read. What was expected instead, or NULL. */
static const char *parse_column(list *l, uint32_t column, const char **p, scree__triple *edge) {
  bool used = column == l->column[0] || column == l->column[1] || column == l->column[2];
  if (!used) {
    if (!**p) return "another column: see --columns";
    *p = scree__word_end(*p);
    return NULL;
  }
  if (column == l->column[2]) return scree__parse_weight(p, &edge->w, &l->decimals);
  return scree__parse_id(p, column == l->column[0] ? &edge->a : &edge->b);
}

static scree_status keep(list *l, const scree__triple *edge) {
  if (l->count == l->room) {
    size_t room = l->room ? 2 * l->room : 1024;
    scree__triple *edges = realloc(l->edges, room * sizeof *edges);
    if (!edges) return scree__no_memory(l->reader->graphs, room * sizeof *edges);
    l->edges = edges;
    l->room = room;
  }
  l->edges[l->count++] = *edge;
  return SCREE_OK;
}

static bool text_header(const list *l, const scree__lines *lines, const char *p) {
  return !l->count && scree__lines_number(lines) == 1 && (*p < '0' || *p > '9') && *p != '-' && *p;
}

static scree_status parse_edge(list *l, const scree__lines *lines, const char *p) {
  scree__triple edge = {0, 0, 1};
  for (uint32_t column = 1; column <= l->last; column++) {
    p = scree__skip(p);
    const char *expected = parse_column(l, column, &p, &edge);
    if (!expected) continue;
    char text[192];
    snprintf(text, sizeof text, "%s in column %" PRIu32 "%s", expected, column,
             text_header(l, lines, p) ? "; put '#' before a line of headings" : "");
    return scree__expected(l->reader, lines, p, text);
  }
  if (!l->wide && *scree__skip(p)) l->wide = lines->count;
  return keep(l, &edge);
}

static scree_status read_edges(list *l, scree__lines *lines) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_END) return SCREE_OK;
    if (result == SCREE__LINE_ERROR) return scree__unreadable(l->reader, lines, why);
    if (comment(scree__skip(line))) continue;
    scree_status status = parse_edge(l, lines, line);
    if (status) return status;
  }
}

/* One line on rank 0, if columns were left unread and nobody said which to read. */
static void note_unread(const list *l, bool wide) {
  if (!wide || l->reader->options->columns[0] || scree_rank(l->reader->graphs->worker)) return;
  fprintf(stderr,
          "scree: %s: columns 1,2 are read, the others are left unread; --columns S,D[,W] says where source, "
          "target and weight stand\n",
          l->reader->file.path);
}

static scree_status agree_edges(list *l, const scree__lines *lines, scree_status status) {
  scree_graphs *graphs = l->reader->graphs;
  status = scree__agree_lines(l->reader, status, lines);
  if (status) return status;
  scree_reduce r = {.sum = {l->count, l->wide != 0}, .min = UINT64_MAX};
  status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  note_unread(l, r.sum[1] != 0);
  if (r.sum[0]) return SCREE_OK;
  return scree__agree(graphs,
                      scree__why(graphs, SCREE_EINVAL, "%s: found no edge, expected one a line", l->reader->file.path));
}

static scree_status collect_ids(list *l, scree__words *all) {
  scree__words mine = {0};
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < l->count && !status; i++)
    if (!scree__words_add(&mine, (uint64_t[]){l->edges[i].a, l->edges[i].b}, 2))
      status = scree__no_memory(l->reader->graphs, 16 * l->count);
  status = scree__agree(l->reader->graphs, status);
  if (!status) return scree__labels(l->reader->graphs, &mine, all);
  free(mine.at);
  return status;
}

static scree_status build(list *l, scree__words *all, scree_graph **graph) {
  const scree_graph_options *options = l->reader->options;
  bool directed = options->direction == SCREE_DIRECTED;
  scree_graph_builder *builder;
  scree_status status = scree__reader_builder(l->reader, all->count, directed, l->column[2] != 0, &builder);
  if (status) return status;
  if (l->decimals) scree__builder_decimals(builder);
  for (size_t i = 0; i < l->count; i++) {
    uint64_t u = scree__label_index(all, l->edges[i].a), v = scree__label_index(all, l->edges[i].b);
    scree_graph_builder_add(builder, u, v, scree__weight(options, directed, u, v, l->edges[i].w));
  }
  status = scree_graph_builder_finish(builder, graph);
  if (!status) scree__labels_give(*graph, all);
  return status;
}

static scree_status check_options(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  if (o->direction == SCREE_DIRECTION_UNSET)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: an edge list does not say whether its edges are directed; "
                      "expected --directed or --undirected",
                      reader->file.path);
  if (o->columns[2] && o->weights != SCREE_WEIGHTS_GIVEN && o->weights != SCREE_WEIGHTS_DROP)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found a weight column (--columns) and other weights; expected "
                      "one of them",
                      reader->file.path);
  return SCREE_OK;
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  const uint32_t *c = reader->options->columns;
  list l = {.reader = reader, .column = {c[0] ? c[0] : 1, c[0] ? c[1] : 2, c[2]}};
  for (int i = 0; i < 3; i++)
    if (l.column[i] > l.last) l.last = l.column[i];
  scree__lines lines;
  scree__words all = {0};
  scree_status status = scree__agree(reader->graphs, check_options(reader));
  if (!status) status = scree__reader_lines(reader, 0, false, &lines);
  if (status) return status;
  status = agree_edges(&l, &lines, read_edges(&l, &lines));
  scree__lines_close(&lines);
  if (!status) status = collect_ids(&l, &all);
  if (!status) status = build(&l, &all, graph);
  free(l.edges);
  free(all.at);
  return status;
}

const scree__format scree__format_edges = {"edges", load};
