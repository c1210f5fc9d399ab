/* format.c - the format of a file, by the caller's option, or by name and content; and whether the options apply to
 * it. */
#include "read/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "io/ending.h"
#include "read/foreign.h"

/* In the order of scree_graph_format, without AUTO. */
static const scree__format *const formats[] = {
    &scree__format_dimacs, &scree__format_edges, &scree__format_matrix_market, &scree__format_tuples,
    &scree__format_image,  &scree__format_sg,    &scree__format_wsg,           &scree__format_metis};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 64 /* bytes at the start that are examined */ };

/* The name without .gz or .zst. */
static void plain_name(const char *path, char *name, size_t size) {
  snprintf(name, size, "%s", path);
  if (scree__has_ending(name, ".gz") || scree__has_ending(name, ".zst")) *strrchr(name, '.') = 0;
}

/* The first bytes of the text, without a byte order mark. */
static scree_status read_head(scree__reader *reader, const scree__lines *lines, char head[HEAD]) {
  static const char mark[] = {'\xef', '\xbb', '\xbf'};
  char why[128];
  const ssize_t have = scree__file_head(&reader->file, head, HEAD - 1, why, sizeof why);
  if (have < 0) return scree__reader_read_error(reader, lines, why);
  head[have] = 0;
  if (have >= (ssize_t)sizeof mark && !memcmp(head, mark, sizeof mark))
    memmove(head, head + sizeof mark, HEAD - sizeof mark);
  return SCREE_OK;
}

/* The first line that is neither skipped by the options nor a comment, which lives in `lines`. */
static scree_status read_start(scree__reader *reader, scree__lines *lines, const char **first) {
  const scree_graph_options *o = reader->options;
  char why[128], *line;
  *first = "";
  for (uint64_t i = 0; !**first; i++) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    line = (char *)scree__skip_blanks(line);
    const bool comment = strchr("#%~c", *line) || (o->comment && !strncmp(line, o->comment, strlen(o->comment)));
    if (!comment && i >= o->skip_lines) *first = line;
  }
  return SCREE_OK;
}

/* *format: the index of the format by name and content, or that of edge lists. Local, on rank 0. */
static scree_status detect(scree__reader *reader, uint64_t *format) {
  scree__lines lines;
  char name[4096], head[HEAD] = "";
  const char *first;
  *format = SCREE_FORMAT_EDGES - 1;
  plain_name(reader->file.path, name, sizeof name);
  scree_status status = scree__reader_first_lines(reader, &lines);
  if (status) return status;
  status = read_head(reader, &lines, head);
  if (status) {
    scree__lines_close(&lines);
    return status;
  }
  status = read_start(reader, &lines, &first);
  for (uint64_t i = FORMATS; i-- > 0;)
    if (formats[i]->known && formats[i]->known(name, head, first)) *format = i;
  const bool binary = formats[*format]->binary; /* it has no lines */
  if (binary) status = SCREE_OK;
  const char *what = binary ? NULL : scree__foreign_content(head);
  uint64_t line = 1;
  if (!what && !reader->options->format && formats[*format] == &scree__format_edges) {
    what = scree__foreign_format(name, first);
    if (*first) line = scree__lines_number(&lines);
  }
  if (what)
    status = scree__why(reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found %s", reader->file.path, line, what);
  scree__lines_close(&lines);
  return status;
}

static scree_status check_options(scree__reader *reader, const scree__format *format) {
  const scree_graph_options *o = reader->options;
  const struct {
    const char *name;
    unsigned bit;
    bool given;
  } rows[] = {{"--directed", SCREE__TAKES_DIRECTED, o->direction == SCREE_DIRECTED},
              {"--undirected", SCREE__TAKES_UNDIRECTED, o->direction == SCREE_UNDIRECTED},
              {"--columns", SCREE__TAKES_COLUMNS, o->columns[0]},
              {"--base", SCREE__TAKES_BASE, o->base},
              {"--vertices", SCREE__TAKES_VERTICES, o->vertices},
              {"--weights-file", SCREE__TAKES_WEIGHTS_FILE, o->weights_file},
              {"--scale", SCREE__TAKES_SCALE, o->scale},
              {"--skip-lines", SCREE__TAKES_LINES, o->skip_lines},
              {"--header", SCREE__TAKES_LINES, o->header},
              {"--first-line", SCREE__TAKES_LINES, o->first_edge},
              {"--separator", SCREE__TAKES_LINES, o->separator},
              {"--comment", SCREE__TAKES_LINES, o->comment},
              {"--trust", SCREE__TAKES_TRUST, o->trust}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].given && !(format->takes & rows[i].bit))
      return scree__why(reader->graphs, SCREE_EINVAL, "%s: found %s, but %s %s; expected none, or another --format",
                        reader->file.path, rows[i].name, format->what,
                        rows[i].bit == SCREE__TAKES_TRUST ? "has no checksums" : format->instead);
  return SCREE_OK;
}

scree_status scree__format_of(scree__reader *reader, const scree__format **format) {
  scree_graph_format said = reader->options->format;
  const scree__format *given = said ? formats[said - 1] : NULL;
  uint64_t found = 0;
  bool mine = !reader->graphs->worker->rank && !(given && given->binary);
  scree_status status = scree__consensus(reader->graphs, mine ? detect(reader, &found) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.max = found, .min = UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  if (status) return status;
  *format = given ? given : formats[r.max];
  return scree__consensus(reader->graphs, check_options(reader, *format));
}
