/* dimacs.c - the shortest-path format of the ninth DIMACS challenge (.gr): "c" comments, one "p sp VERTICES ARCS", then
 * "a TAIL HEAD LENGTH": directed, ids from 1. */
#include <inttypes.h>
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "io/ending.h"
#include "read/format.h"
#include "read/sized_format.h"

static bool empty_or_comment(const char *line) {
  line = scree__skip_blanks(line);
  return !*line || *line == 'c';
}

static scree_status parse_header(scree__reader *reader, const scree__lines *lines, const char *p,
                                 scree__size_header *h) {
  if (!scree__accept_word(&p, "p"))
    return scree__reader_parse_error(reader, lines, p, "the line 'p sp VERTICES ARCS' before any arc");
  if (!scree__accept_word(&p, "sp")) return scree__reader_parse_error(reader, lines, p, "'sp': a shortest-path graph");
  scree_status status =
      scree__sized_number(reader, lines, &p, 1, SCREE_VERTICES_MAX, "a number of vertices, 1 .. 1099511627776", &h->n);
  if (!status) status = scree__sized_number(reader, lines, &p, 0, INT64_MAX, "a number of arcs", &h->m);
  return status ? status : scree__sized_end(reader, lines, p, h);
}

static scree_status read_header(scree__reader *reader, scree__lines *lines, scree__size_header *h) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    if (!empty_or_comment(line)) return parse_header(reader, lines, line, h);
  }
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found the end of the file, expected the line 'p sp VERTICES "
                    "ARCS'",
                    reader->file.path);
}

static scree_status parse_arc(scree__reader *reader, const scree__lines *lines, const scree__size_header *h,
                              const char *p, scree_edge *edge, bool *decimals) {
  if (!scree__accept_word(&p, "a")) return scree__reader_parse_error(reader, lines, p, "'a TAIL HEAD LENGTH'");
  scree_status status = scree__sized_id(reader, lines, h, &p, &edge->u);
  if (!status) status = scree__sized_id(reader, lines, h, &p, &edge->v);
  return status ? status : scree__sized_rest(reader, lines, true, p, &edge->weight, decimals);
}

static scree__plain_line plain(const scree__size_header *h) {
  (void)h;
  return (scree__plain_line){.prefix = 'a', .weighted = true};
}

static bool directed(const scree__reader *reader, const scree__size_header *h) {
  (void)reader;
  (void)h;
  return true;
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  static const scree__sized_format sized = {.entries = "arcs",
                                            .header = read_header,
                                            .plain = plain,
                                            .directed = directed,
                                            .skip = empty_or_comment,
                                            .entry = parse_arc};
  return scree__sized_load(reader, &sized, graph);
}

static bool known(const char *path, const char *head, const char *line) {
  (void)head;
  return !strncmp(line, "p sp ", 5) || scree__has_ending(path, ".gr");
}

const scree__format scree__format_dimacs = {
    .name = "dimacs",
    .what = "a DIMACS graph",
    .takes = SCREE__TAKES_DIRECTED,
    .instead = "states that it is directed, which vertices it has and where its weights are",
    .known = known,
    .load = load,
};
