/* header.c - the first line of a METIS file that is not a comment, and the size in it. */
#include <inttypes.h>

#include "build/weights.h"
#include "graph/consensus.h"
#include "read/metis/metis.h"

enum { CONSTRAINTS_MAX = 1 << 20 };

/* FORMAT and CONSTRAINTS, if they are there. */
static scree_status parse_format(scree__reader *reader, const scree__lines *lines, const char **p,
                                 scree__size_header *h) {
  uint64_t format = 0, constraints = 0;
  *p = scree__skip_blanks(*p);
  if (!**p) return SCREE_OK;
  const char *word = *p;
  scree_status status = scree__sized_number(reader, lines, p, 0, 111, "a format of three digits 0 or 1", &format);
  if (!status && (format % 10 > 1 || format / 10 % 10 > 1))
    status = scree__reader_parse_error(reader, lines, word, "a format of three digits 0 or 1");
  if (status) return status;
  const bool sizes = format / 100, weights = format / 10 % 10;
  *p = scree__skip_blanks(*p);
  if (**p)
    status = scree__sized_number(reader, lines, p, 0, weights ? CONSTRAINTS_MAX : 0,
                                 weights ? "a number of vertex weights, 0 .. 1048576"
                                         : "0, as the format says that there are no vertex weights",
                                 &constraints);
  if (weights && !constraints) constraints = 1;
  h->flags = (constraints + sizes) << 1 | format % 10;
  return status;
}

static scree_status parse_header(scree__reader *reader, const scree__lines *lines, const char *p,
                                 scree__size_header *h) {
  scree_status status =
      scree__sized_number(reader, lines, &p, 1, SCREE_VERTICES_MAX, "a number of vertices, 1 .. 1099511627776", &h->n);
  if (!status) status = scree__sized_number(reader, lines, &p, 0, INT64_MAX, "a number of edges", &h->m);
  if (!status) status = parse_format(reader, lines, &p, h);
  return status ? status : scree__sized_end(reader, lines, p, h);
}

scree_status scree__metis_header(scree__reader *reader, scree__lines *lines, scree__size_header *h) {
  char why[128], *line;
  for (;;) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    if (!scree__metis_is_comment(line)) return parse_header(reader, lines, line, h);
  }
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found the end of the file, expected the line 'VERTICES EDGES [FORMAT [CONSTRAINTS]]'",
                    reader->file.path);
}

scree_weight_kind scree__metis_weight_kind(const scree__reader *reader, const scree__size_header *h) {
  return scree__weight_kind(reader->options, scree__metis_weighted(h) ? SCREE_WEIGHT_UINT32 : SCREE_WEIGHT_NONE);
}

scree_status scree__metis_estimate(scree__reader *reader, scree_size_estimate *o) {
  scree__size_header h = {0};
  scree__lines lines;
  scree_status status = scree__reader_first_lines(reader, &lines);
  if (status) return status;
  status = scree__metis_header(reader, &lines, &h);
  scree__lines_close(&lines);
  o->shape.n = h.n;
  o->shape.weight = scree__metis_weight_kind(reader, &h);
  o->edges = h.m;
  return status;
}
