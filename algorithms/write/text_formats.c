/* text_formats.c - the records of the text formats, and which graphs they cannot hold. */
#include "write/writer.h"

static const char *needs_weights(const scree_graph *g) {
  return g->weight ? NULL
                   : "needs weights, and this graph has none: draw them with --random-weights or take "
                     "--unit-weights";
}
static void put_pair(uint64_t a, const char *between, uint64_t b, scree__sink *s) {
  scree__put_number(s, a);
  scree__put_text(s, between);
  scree__put_number(s, b);
}
static void put_rest(const scree_graph *g, uint64_t e, scree__sink *s) {
  if (g->weight) {
    scree__put_text(s, " ");
    scree__put_weight(s, g, e);
  }
  scree__put_text(s, "\n");
}

/* ---- DIMACS: ids 1 .. n, arcs ---- */

static void dimacs_header(const scree_graph *g, scree__sink *s) {
  scree__put_text(s, "p sp ");
  put_pair(g->vertices.n, " ", g->arcs, s);
  scree__put_text(s, "\n");
}
static void dimacs_arc(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *s) {
  scree__put_text(s, "a ");
  put_pair(tail + 1, " ", head + 1, s);
  put_rest(g, e, s);
}
static const scree__text_format dimacs = {.header = dimacs_header, .arc = dimacs_arc};
const scree__writer scree__writer_dimacs = {
    .name = "dimacs", .ending = ".gr", .base = 1, .text = &dimacs, .against = needs_weights};

/* ---- edge lists: labels ---- */

static void edges_arc(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *s) {
  put_pair(tail, " ", head, s);
  put_rest(g, e, s);
}
static const char *needs_an_edge(const scree_graph *g) {
  return g->edges ? NULL : "has a line for each edge, and this graph has no edge";
}
static const scree__text_format edges = {.labels = true, .arc = edges_arc, .once = true};
const scree__writer scree__writer_edges = {
    .name = "edges", .ending = ".txt", .base = UINT64_MAX, .text = &edges, .against = needs_an_edge};

/* ---- Matrix Market: ids 1 .. n; of a symmetric matrix the lower triangle ---- */

static void matrix_header(const scree_graph *g, scree__sink *s) {
  static const char *const fields[] = {"pattern", "integer", "real", "real"};
  scree__put_text(s, "%%MatrixMarket matrix coordinate ");
  scree__put_text(s, fields[g->weight]);
  scree__put_text(s, g->directed ? " general\n" : " symmetric\n");
  put_pair(g->vertices.n, " ", g->vertices.n, s);
  scree__put_text(s, " ");
  scree__put_number(s, g->edges);
  scree__put_text(s, "\n");
}
static void matrix_arc(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *s) {
  if (g->directed)
    put_pair(tail + 1, " ", head + 1, s);
  else
    put_pair(head + 1, " ", tail + 1, s); /* tail <= head */
  put_rest(g, e, s);
}
static const scree__text_format matrix_market = {.header = matrix_header, .arc = matrix_arc, .once = true};
const scree__writer scree__writer_matrix_market = {
    .name = "matrix-market", .ending = ".mtx", .base = 1, .text = &matrix_market};

/* ---- METIS: ids 1 .. n, a line for each vertex in order, each edge at both ends ---- */

static void metis_header(const scree_graph *g, scree__sink *s) {
  put_pair(g->vertices.n, " ", g->edges, s);
  scree__put_text(s, g->weight ? " 001\n" : "\n");
}
/* A blank ends each number: some readers of streams lose a number that is ended by the end of the line. */
static void metis_arc(const scree_graph *g, uint64_t tail, uint64_t head, uint64_t e, scree__sink *s) {
  (void)tail;
  scree__put_number(s, head + 1);
  scree__put_text(s, " ");
  if (!g->weight) return;
  scree__put_weight(s, g, e);
  scree__put_text(s, " ");
}
static const char *against_metis(const scree_graph *g) {
  if (g->directed) return "holds undirected graphs, and this one is directed";
  if (g->weight > SCREE_WEIGHT_UINT32)
    return "holds integer weights, and this graph has others: drop them by --no-weights, or draw them with "
           "--random-weights LO..HI";
  return g->vertices.kind == SCREE_DISTRIBUTION_BLOCK
             ? NULL
             : "has a line for each vertex, in order, which needs --distribution block";
}
static void line_end(scree__sink *s) {
  scree__put_text(s, "\n");
}
static const scree__text_format metis = {.header = metis_header, .arc = metis_arc, .end = line_end};
const scree__writer scree__writer_metis = {
    .name = "metis", .ending = ".graph", .other_ending = ".metis", .base = 1, .text = &metis, .against = against_metis};
