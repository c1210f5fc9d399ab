/* format.c - which format a file has, by the caller's word, or by name and content; and whether the options fit it. */
#include "read/format.h"

#include <stdio.h>
#include <string.h>

#include "file/parse.h"
#include "graph/consensus.h"

/* In the order of scree_graph_format, without AUTO. */
static const scree__format *const formats[] = {
    &scree__format_dimacs, &scree__format_edges, &scree__format_matrix_market, &scree__format_tuples,
    &scree__format_image,  &scree__format_sg,    &scree__format_wsg,           &scree__format_metis};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 64 /* bytes at the start that are examined */ };

bool scree__has_ending(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n >= m && !strcmp(path + n - m, ending);
}

/* Files that are no graphs, by their first bytes. */
static const char *not_a_graph(const char *head) {
  static const struct {
    const char *start, *what;
  } known[] = {
      {"version https://git-lfs", "a Git LFS pointer, expected the graph itself: fetch it with 'git lfs pull'"},
      {"<", "markup, expected a graph: --format lists what is read"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(head, known[i].start, strlen(known[i].start))) return known[i].what;
  return NULL;
}

/* The name without .gz or .zst. */
static void plain_name(const char *path, char *name, size_t size) {
  snprintf(name, size, "%s", path);
  char *dot = strrchr(name, '.');
  if (dot && (!strcmp(dot, ".gz") || !strcmp(dot, ".zst"))) *dot = 0;
}

/* The first bytes of the decompressed file, and its first line that is no comment, which lives in `lines`. */
static scree_status read_start(scree__reader *reader, scree__lines *lines, char *head, const char **first) {
  char why[128], *line;
  *first = "";
  for (bool begun = false; !**first; begun = true) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (!begun) memcpy(head, lines->buffer, lines->have < HEAD - 1 ? lines->have : HEAD - 1);
    if (result == SCREE__LINE_ERROR) return scree__reader_read_error(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    line = (char *)scree__skip_blanks(line);
    if (*line && !strchr("#%~c", *line)) *first = line;
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
  status = read_start(reader, &lines, head, &first);
  const char *what = not_a_graph(head);
  if (!what && !reader->options->format && scree__has_ending(name, ".adj"))
    what = "an adjacency list by its name, expected an edge list: make one of it by the line of awk in docs/graphs.md, "
           "section 2, or say --format edges if it is one";
  for (uint64_t i = 0; i < FORMATS; i++)
    if (formats[i]->known && formats[i]->known(name, head, first)) {
      *format = i;
      if (formats[i]->binary) status = SCREE_OK; /* it has no lines */
      break;
    }
  if (what) status = scree__why(reader->graphs, SCREE_EINVAL, "%s:1: found %s", reader->file.path, what);
  scree__lines_close(&lines);
  return status;
}

static scree_status check_options(scree__reader *reader, const scree__format *format) {
  const scree_graph_options *o = reader->options;
  unsigned given = (o->direction == SCREE_DIRECTED ? SCREE__TAKES_DIRECTED : 0) |
                   (o->direction == SCREE_UNDIRECTED ? SCREE__TAKES_UNDIRECTED : 0) |
                   (o->columns[0] ? SCREE__TAKES_COLUMNS : 0) | (o->base ? SCREE__TAKES_BASE : 0) |
                   (o->vertices ? SCREE__TAKES_VERTICES : 0) | (o->weights_file ? SCREE__TAKES_WEIGHTS_FILE : 0) |
                   (o->scale ? SCREE__TAKES_SCALE : 0);
  static const char *const names[] = {"--directed", "--undirected",   "--columns", "--base",
                                      "--vertices", "--weights-file", "--scale"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (given & ~format->takes & 1U << i)
      return scree__why(reader->graphs, SCREE_EINVAL, "%s: found %s, but %s %s; expected none, or another --format",
                        reader->file.path, names[i], format->what, format->instead);
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
