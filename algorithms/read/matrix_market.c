/* matrix_market.c - Matrix Market coordinate files (.mtx): the banner "%%MatrixMarket matrix coordinate FIELD
 * SYMMETRY", comments with %, "ROWS COLUMNS ENTRIES", then "ROW COLUMN [VALUE]", from 1. An entry is an arc from row to
 * column; of a symmetric matrix it is an edge, listed on or below the diagonal. (Boisvert, Pozo & Remington: The Matrix
 * Market Exchange Formats, NISTIR 5935, 1996.) */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "read/format.h"
#include "read/sized_format.h"

enum { PATTERN = 1, SYMMETRIC = 2 };

static bool empty_or_comment(const char *line) {
  line = scree__skip_blanks(line);
  return !*line || *line == '%';
}

/* Index of the word at *p, in upper or lower case, among the legal ones. */
static scree_status choose(scree__reader *reader, const scree__lines *lines, const char **p, const char *const *words,
                           const char *expected, int *chosen) {
  *p = scree__skip_blanks(*p);
  size_t length = (size_t)(scree__word_end(*p) - *p);
  for (int i = 0; words[i]; i++)
    if (strlen(words[i]) == length && !strncasecmp(words[i], *p, length)) {
      *p += length;
      *chosen = i;
      return SCREE_OK;
    }
  return scree__reader_parse_error(reader, lines, *p, expected);
}

static scree_status parse_banner(scree__reader *reader, const scree__lines *lines, const char *p,
                                 scree__size_header *h) {
  static const char *const start[] = {"%%MatrixMarket", "%MatrixMarket", NULL}, *const object[] = {"matrix", NULL},
                           *const form[] = {"coordinate", NULL}, *const field[] = {"pattern", "integer", "real", NULL},
                           *const symmetry[] = {"general", "symmetric", NULL};
  int chosen;
  scree_status status = choose(reader, lines, &p, start, "'%%MatrixMarket'", &chosen);
  if (!status) status = choose(reader, lines, &p, object, "'matrix'", &chosen);
  if (!status) status = choose(reader, lines, &p, form, "'coordinate': a sparse matrix, by its entries", &chosen);
  if (!status) status = choose(reader, lines, &p, field, "'pattern', 'integer' or 'real': the weights", &chosen);
  if (!status && !chosen) h->flags |= PATTERN;
  if (!status) status = choose(reader, lines, &p, symmetry, "'general' or 'symmetric': a graph", &chosen);
  if (!status && chosen) h->flags |= SYMMETRIC;
  p = scree__skip_blanks(p);
  if (!status && *p) return scree__reader_parse_error(reader, lines, p, "the end of the line");
  return status;
}

static scree_status parse_sizes(scree__reader *reader, const scree__lines *lines, const char *p,
                                scree__size_header *h) {
  uint64_t columns = 0;
  scree_status status =
      scree__sized_number(reader, lines, &p, 1, SCREE_VERTICES_MAX, "a number of rows, 1 .. 1099511627776", &h->n);
  if (!status)
    status = scree__sized_number(reader, lines, &p, h->n, h->n,
                                 "as many columns as rows: a square matrix, whose rows are the vertices", &columns);
  if (!status) status = scree__sized_number(reader, lines, &p, 0, INT64_MAX, "a number of entries", &h->m);
  return status ? status : scree__sized_end(reader, lines, p, h);
}

static bool contradicts(const scree__reader *reader, const scree__size_header *h) {
  return h->flags & SYMMETRIC && reader->options->direction == SCREE_DIRECTED;
}

static scree_status read_header(scree__reader *reader, scree__lines *lines, scree__size_header *h) {
  char why[128], *line;
  for (bool banner = true;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    if (banner ? !*scree__skip_blanks(line) : empty_or_comment(line)) continue;
    if (!banner) return parse_sizes(reader, lines, line, h);
    banner = false;
    scree_status status = parse_banner(reader, lines, line, h);
    if (status) return status;
    if (contradicts(reader, h))
      return scree__why(reader->graphs, SCREE_EINVAL,
                        "%s:%" PRIu64 ": found --directed, but the matrix is symmetric, so the graph is undirected; "
                        "expected none",
                        reader->file.path, scree__lines_number(lines));
  }
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found the end of the file, expected the line 'ROWS COLUMNS ENTRIES'", reader->file.path);
}

static scree__plain_line plain(const scree__size_header *h) {
  return (scree__plain_line){.weighted = !(h->flags & PATTERN)};
}

static bool directed(const scree__reader *reader, const scree__size_header *h) {
  return !(h->flags & SYMMETRIC) && reader->options->direction != SCREE_UNDIRECTED;
}

static scree_status parse_entry(scree__reader *reader, const scree__lines *lines, const scree__size_header *h,
                                const char *p, scree_edge *edge, bool *decimals) {
  scree_status status = scree__sized_id(reader, lines, h, &p, &edge->u);
  if (!status) status = scree__sized_id(reader, lines, h, &p, &edge->v);
  return status ? status : scree__sized_rest(reader, lines, !(h->flags & PATTERN), p, &edge->weight, decimals);
}

static const char *wrong(const scree__size_header *h, const scree_edge *edge) {
  if (!(h->flags & SYMMETRIC) || edge->u >= edge->v) return NULL;
  return "expected an entry on or below the diagonal, row >= column, as a symmetric matrix lists them";
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  static const scree__sized_format sized = {.entries = "entries",
                                            .header = read_header,
                                            .plain = plain,
                                            .directed = directed,
                                            .skip = empty_or_comment,
                                            .entry = parse_entry,
                                            .wrong = wrong};
  return scree__sized_load(reader, &sized, graph);
}

/* Blanks and empty lines in front of the banner, and one % in place of two, are accepted: otherwise the file would be
 * taken for an edge list. */
static bool known(const char *path, const char *head, const char *line) {
  (void)path;
  (void)line;
  head += strspn(head, " \t\r\n");
  return *head == '%' && !strncasecmp(head + (head[1] == '%') + 1, "MatrixMarket", strlen("MatrixMarket"));
}

const scree__format scree__format_matrix_market = {
    .name = "matrix-market",
    .what = "a Matrix Market file",
    .takes = SCREE__TAKES_DIRECTED | SCREE__TAKES_UNDIRECTED,
    .instead = "states where its ids and weights are, and counts from 1",
    .known = known,
    .load = load,
};
