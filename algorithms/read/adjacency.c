/* adjacency.c - adjacency lists: a line per vertex, its id and then its neighbours.
 *
 * "VERTEX NEIGHBOUR ..." or "VERTEX NEIGHBOUR WEIGHT ...", comments as in edge lists; a vertex may have no neighbour. An
 * undirected graph lists each edge at both ends, a self loop once; or every edge at one end: all at the smaller id, or
 * all at the larger. */
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "read/format.h"
#include "read/staged_graph.h"
#include "read/symmetry.h"

/* The neighbours of u, after its id. */
static scree_status parse_list(scree__edge_staging *g, const scree__lines *lines, const char *p, uint64_t u) {
  for (p = scree__skip_blanks(p); *p; p = scree__skip_blanks(p)) {
    scree_edge edge = {.u = u, .weight = 1};
    const char *expected = scree__staging_parse_id(g, &p, &edge.v);
    if (!expected && g->weighted) {
      p = scree__skip_blanks(p);
      expected = scree__parse_weight(&p, &edge.weight, &g->notes.decimals);
    }
    if (expected) return scree__reader_parse_error(g->reader, lines, p, expected);
    scree_status status = scree__staging_append(g, &edge, 1);
    if (status) return status;
  }
  return SCREE_OK;
}

static scree_status read_lists(scree__edge_staging *g, scree__lines *lines) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_END) return SCREE_OK;
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(g->reader, lines, why);
    if (scree__is_comment(line)) continue;
    const char *p = scree__skip_blanks(line);
    uint64_t u;
    const char *expected = scree__staging_parse_id(g, &p, &u);
    if (expected) return scree__reader_parse_error(g->reader, lines, p, expected);
    scree_status status = scree__staging_append_vertex(g, u);
    if (!status) status = parse_list(g, lines, p, u);
    if (status) return status;
  }
}

/* ---- undirected: an edge listed at both ends is one edge ---- */

static scree__symmetry sides(const scree__edge_staging *g) {
  scree__symmetry s = {0};
  for (size_t i = 0; i < g->count; i++) {
    uint64_t bits = 0;
    double weight = scree__staging_weight(g, i);
    if (g->weights) memcpy(&bits, &weight, sizeof bits);
    scree__symmetry_add(&s, scree__staging_end(g, 2 * i), scree__staging_end(g, 2 * i + 1), bits);
  }
  return s;
}

static void drop_down(scree__edge_staging *g) {
  size_t kept = 0;
  for (size_t i = 0; i < g->count; i++) {
    if (scree__staging_end(g, 2 * i + 1) < scree__staging_end(g, 2 * i)) continue;
    scree__staging_move(g, kept++, i);
  }
  g->count = kept;
}

static scree_status pair_up(scree__edge_staging *g) {
  scree_graphs *graphs = g->reader->graphs;
  scree__symmetry s = sides(g);
  scree_status status = scree__symmetry_sum(graphs, &s);
  if (status || !s.up || !s.down) return status;
  if (scree__symmetry_holds(&s)) {
    drop_down(g);
    return SCREE_OK;
  }
  return scree__consensus(graphs, scree__symmetry_refuse(&s, g->reader, g->weighted,
                                                         "each edge of an undirected graph at both its ends, or all "
                                                         "at the smaller id, or all at the larger"));
}

static scree_status check_options(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  if (o->direction == SCREE_DIRECTION_UNSET)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: an adjacency list does not say whether its edges are directed; "
                      "expected --directed or --undirected",
                      reader->file.path);
  if (o->columns[0] && (o->columns[0] != 1 || o->columns[1] != 2 || (o->columns[2] && o->columns[2] != 3)))
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found --columns %u,%u,%u; expected 1,2 or, if each neighbour of an adjacency list is "
                      "followed by its weight, 1,2,3",
                      reader->file.path, (unsigned)o->columns[0], (unsigned)o->columns[1], (unsigned)o->columns[2]);
  return scree__staging_check_options(reader);
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  scree__edge_staging g;
  scree__lines lines;
  scree__staging_init(&g, reader);
  scree_status status = scree__consensus(reader->graphs, check_options(reader));
  if (!status) status = scree__reader_lines(reader, 0, false, &lines);
  if (status) return status;
  lines.max = SCREE__LINE_LIST;
  status = scree__reader_consensus(reader, read_lists(&g, &lines), &lines);
  scree__lines_close(&lines);
  if (!status && reader->options->direction == SCREE_UNDIRECTED) status = pair_up(&g);
  if (!status) status = scree__staging_read_vertices(&g);
  if (!status) status = scree__staging_build(&g, graph);
  scree__staging_free(&g);
  return status;
}

static bool known(const char *path, const char *head, const char *line) {
  (void)head;
  (void)line;
  return scree__has_ending(path, ".adj");
}

const scree__format scree__format_adjacency = {
    .name = "adjacency",
    .what = "an adjacency list",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED | SCREE__TAKES_COLUMNS | SCREE__TAKES_BASE |
             SCREE__TAKES_VERTICES,
    .instead = "has its vertices, and its weights, if any, in its lines",
    .known = known,
    .load = load,
};
