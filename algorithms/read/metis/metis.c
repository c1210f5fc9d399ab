/* metis.c - the format of METIS (.graph): after the header a line for each vertex, 1 .. n, of its neighbours, each
 * followed by the weight of the edge if there are weights; comments with %. Each edge is at both of its ends. Vertex
 * sizes and weights are checked to be numbers, and otherwise left. (Karypis: METIS 5, section 4.1.1.)
 *
 * A line does not say which vertex it belongs to. Therefore each rank reads its part twice: for the number of lines,
 * from which the ranks after it learn where theirs begin, and for the edges. */
#include "read/metis/metis.h"
#include "io/ending.h"

#include <inttypes.h>
#include <string.h>

#include "build/builder.h"
#include "build/plan.h"
#include "build/weights.h"
#include "graph/consensus.h"
#include "read/format.h"
#include "read/symmetry.h"

enum { BATCH = 512, FEW = 64 };

typedef struct {
  scree__reader *reader;
  scree__size_header h;
  scree_graph_builder *builder;
  scree__symmetry symmetry;
  uint64_t next, vertices;  /* the vertex of the next line, from 0; lines of vertices that this rank has read */
  uint64_t arcs;            /* on this rank */
  scree__scattering pieces; /* if the lines are scattered */
  bool scatters;            /* this rank */
  bool alone;               /* rank 0 reads all lines */
  size_t count;
  scree_edge edges[BATCH];
} session;

/* *line: the next one that is not a comment, or NULL. */
static scree_status next_line(session *s, scree__lines *lines, char **line) {
  char why[128];
  scree__line_result result;
  do result = scree__lines_next(lines, line, why, sizeof why);
  while (result == SCREE__LINE_OK && scree__metis_is_comment(*line));
  if (result == SCREE__LINE_ERROR) return scree__reader_read_error(s->reader, lines, why);
  if (result == SCREE__LINE_END) *line = NULL;
  return SCREE_OK;
}

/* ---- the lines of a vertex ---- */

static void flush(session *s) {
  scree_graph_builder_add_many(s->builder, s->count, s->edges);
  s->count = 0;
}

static void add_arc(session *s, uint64_t v, uint64_t weight) {
  const scree_graph_options *o = s->reader->options;
  scree__symmetry_add(&s->symmetry, s->next, v, weight);
  s->edges[s->count++] = (scree_edge){s->next, v, scree__weight(o, false, s->next, v, (double)weight)};
  if (s->count == BATCH) flush(s);
}

/* No more than two arcs of each edge: a small compressed file can have more than there is memory for. `arcs`: so far,
 * of this rank or of the file. */
static scree_status too_many(const session *s, uint64_t arcs) {
  if (arcs <= 2 * s->h.m) return SCREE_OK;
  return scree__sized_check_count(s->reader, "edges", &s->h, s->h.m, UINT64_MAX);
}

/* The weight of an edge; 1 if weights are not read. */
static scree_status parse_weight(session *s, const scree__lines *lines, const char **p, uint64_t *weight) {
  static const char legal[] = "the weight of an edge, 0 .. 4294967295";
  if (scree__weights_are_read(s->reader->options))
    return scree__sized_number(s->reader, lines, p, 0, UINT32_MAX, legal, weight);
  *p = scree__skip_blanks(*p);
  const char *expected = scree__pass_word(p, legal);
  return expected ? scree__reader_parse_error(s->reader, lines, *p, expected) : SCREE_OK;
}

static scree_status parse_neighbours(session *s, const scree__lines *lines, const char *p) {
  scree_status status = SCREE_OK;
  for (p = scree__skip_blanks(p); *p && !status; p = scree__skip_blanks(p)) {
    uint64_t v, weight = 1;
    status = scree__sized_id(s->reader, lines, &s->h, &p, &v);
    if (!status && scree__metis_weighted(&s->h)) status = parse_weight(s, lines, &p, &weight);
    if (!status) status = too_many(s, ++s->arcs);
    if (!status) add_arc(s, v - 1, weight);
  }
  return status;
}

static scree_status parse_vertex(session *s, const scree__lines *lines, const char *p) {
  scree_status status = SCREE_OK;
  uint64_t ignored;
  if (s->next >= s->h.n) { /* empty lines may follow */
    p = scree__skip_blanks(p);
    return *p ? scree__reader_parse_error(s->reader, lines, p, "no line after those of the vertices") : SCREE_OK;
  }
  for (uint64_t i = 0; i < scree__metis_skipped(&s->h) && !status; i++)
    status = scree__sized_number(s->reader, lines, &p, 0, INT64_MAX, "the size or a weight of the vertex", &ignored);
  if (!status) status = parse_neighbours(s, lines, p);
  s->next++;
  s->vertices++;
  return status;
}

/* Lines of vertices in a text of complete lines. */
static uint64_t count_vertices(const char *text, const char *end) {
  uint64_t count = 0;
  for (; text < end; text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1)
    count += !scree__metis_is_comment(text);
  return count;
}

/* Passes the lines that are in memory to another rank, if one can take them. */
static bool scatter(session *s, const scree__lines *lines, bool poll) {
  const char *end, *text;
  if (!s->scatters || !scree__scatter_ready(&s->pieces, poll)) return false;
  text = scree__lines_buffered(lines, &end);
  const uint64_t count = count_vertices(text, end);
  if (!scree__scatter(&s->pieces, s->next)) return false;
  s->next += count;
  return true;
}

static scree_status read_vertices(session *s, scree__lines *lines) {
  char *line = NULL;
  scree_status status = SCREE_OK;
  bool end = false;
  for (uint32_t i = 0; !end && !status; i++) {
    if (scatter(s, lines, i % FEW == 0)) continue;
    status = next_line(s, lines, &line);
    end = !line;
    if (!status && line) status = parse_vertex(s, lines, line);
  }
  flush(s);
  return status;
}

static scree_status read_piece(void *arg, scree__lines *lines, uint64_t number) {
  session *s = arg;
  if (s->reader->graphs->worker->rank) s->next = number;
  return read_vertices(s, lines);
}

/* The lines of all ranks, while the builder's exchange is open. */
static scree_status read_lines(session *s, scree__lines *lines) {
  scree_graphs *graphs = s->reader->graphs;
  if (!lines->scattered) return read_vertices(s, lines);
  s->pieces = (scree__scattering){.graphs = graphs, .lines = lines, .parse = read_piece, .arg = s};
  s->scatters = !graphs->worker->rank;
  scree__exchange_bytes(graphs, scree__scatter_receive, &s->pieces);
  return scree__scatter_lines(&s->pieces);
}

/* ---- which lines ---- */

static uint64_t count_lines(session *s, scree__lines *lines) {
  uint64_t count = 0;
  for (char *line; !next_line(s, lines, &line) && line;) count++;
  return count;
}

/* A vertex has at most all edges. */
static size_t longest_line(const session *s) {
  enum { A_NEIGHBOUR = 64 }; /* bytes, blanks included */
  const uint64_t numbers = s->h.m < SCREE__LINE_LIST ? s->h.m + scree__metis_skipped(&s->h) : SCREE__LINE_LIST;
  const uint64_t bytes = SCREE__LINE_MAX + A_NEIGHBOUR * numbers;
  return bytes < SCREE__LINE_LIST ? (size_t)bytes : SCREE__LINE_LIST;
}

/* Opens this rank's part of the lines after the header. Collective. */
static scree_status open_part(session *s, scree__lines *lines) {
  scree_status status = scree__reader_lines(s->reader, s->h.body, s->alone, lines);
  lines->max = longest_line(s);
  return status;
}

/* Opens this rank's part and finds the vertex of its first line, of scattered lines later. What is wrong is found
 * when they are parsed. Collective; the caller closes the lines in any case. */
static scree_status find_part(session *s, scree__lines *lines) {
  scree_status status = open_part(s, lines);
  if (status || s->alone || lines->scattered || s->reader->graphs->worker->ranks == 1) return status;
  status = scree__prefix_sum(s->reader->graphs, count_lines(s, lines), &s->next);
  scree__lines_close(lines);
  return status ? status : open_part(s, lines);
}

/* ---- the graph ---- */

static scree_status begin(session *s) {
  scree_graph_shape shape = {.n = s->h.n,
                             .distribution = s->reader->options->distribution,
                             .weight = scree__metis_weight_kind(s->reader, &s->h)};
  scree_status status =
      scree__memory_check_graph(s->reader->graphs, &shape, scree__sized_possible(s->reader, &s->h), false);
  if (!status) status = scree_graph_builder_begin(s->reader->graphs, &shape, &s->builder);
  if (!status) scree__builder_one_way(s->builder);
  return status;
}

static scree_status check_sums(session *s) {
  scree_status status = scree__sized_check_count(s->reader, "lines of vertices", &s->h, s->h.n, s->vertices);
  if (status) return status;
  if (!scree__symmetry_holds(&s->symmetry))
    return scree__symmetry_refuse(&s->symmetry, s->reader,
                                  scree__metis_weighted(&s->h) && scree__weights_are_read(s->reader->options),
                                  "each edge of an undirected graph at both its ends");
  return scree__sized_check_count(s->reader, "edges", &s->h, s->h.m, s->symmetry.up + s->symmetry.loops);
}

/* The numbers of all ranks are those of the header. Collective. */
static scree_status check(session *s, scree_graph *g) {
  scree_reduce r = {.sum = {s->vertices}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  if (!status) status = scree__symmetry_sum(g->graphs, &s->symmetry);
  if (status) return status;
  s->vertices = r.sum[0];
  g->edges = s->symmetry.up + s->symmetry.loops;
  g->label_base = 1;
  return scree__consensus(g->graphs, check_sums(s));
}

static scree_status build(session *s, scree__lines *lines, scree_graph **graph) {
  scree_graph *g = NULL;
  scree_status status = begin(s);
  if (status) return status;
  scree_status bad = read_lines(s, lines);
  status = scree_graph_builder_finish(s->builder, &g);
  if (status) return status;
  uint64_t before;
  status = scree__prefix_sum(s->reader->graphs, s->arcs, &before);
  /* If so, this comes before what is wrong. The arcs of a rank without lines are not too many: its offset is 0. */
  const scree_status more = s->arcs ? too_many(s, before + s->arcs) : SCREE_OK;
  if (!status) status = scree__reader_consensus(s->reader, more ? more : bad, lines);
  if (!status) status = check(s, g);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

/* The lines after the header, by all ranks or, if `alone`, by rank 0. *again: it may be tried alone. Collective. */
static scree_status load_body(scree__reader *reader, const scree__size_header *h, bool alone, bool *again,
                              scree_graph **graph) {
  session s = {.reader = reader, .h = *h, .alone = alone};
  scree__lines lines;
  scree_status status = find_part(&s, &lines);
  if (!status) status = build(&s, &lines, graph);
  *again = lines.scattered;
  scree__lines_close(&lines);
  return status;
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  scree__size_header h = {0};
  scree__lines lines;
  scree_status status = scree__reader_lines(reader, 0, true, &lines);
  if (status) return status;
  status = scree__sized_share_header(reader, scree__metis_header, &lines, &h);
  scree__lines_close(&lines);
  bool again = false;
  if (!status) status = load_body(reader, &h, false, &again, graph);
  if (status == SCREE_EINVAL && again) status = load_body(reader, &h, true, &again, graph); /* finds the first fault */
  return status;
}

static bool known(const char *path, const char *head, const char *line) {
  (void)head;
  (void)line;
  return scree__has_ending(path, ".graph") || scree__has_ending(path, ".metis");
}

const scree__format scree__format_metis = {
    .name = "metis",
    .what = "a METIS graph",
    .takes = SCREE__TAKES_UNDIRECTED,
    .instead = "states that it is undirected, which vertices it has and where its weights are",
    .known = known,
    .load = load,
    .estimate = scree__metis_estimate,
};
