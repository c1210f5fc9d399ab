/* resembling.c - files that resemble edge lists, by the start of their text.
 *
 * An adjacency list has a row for each vertex: rows of numbers that differ in length, and no vertex has two. LGL, of
 * igraph and of Large Graph Layout, names a vertex in a line "# V" and its neighbours in the lines after it. A list
 * that pandas wrote has an index in front of its columns, which has no heading. */
#include "read/list/resembling.h"

#include <inttypes.h>
#include <stdlib.h>

#include "file/parse.h"
#include "graph/consensus.h"
#include "read/list/line.h"

enum {
  START = 1 << 16, /* bytes of the text that are examined */
  FEW = 3          /* numbers of an edge with one attribute */
};

/* The rows at the start of the text. */
typedef struct {
  uint64_t *numbers, *firsts; /* all of them; the first one of each row. Each has room for START */
  size_t count, rows, shortest, longest;
  size_t others;    /* length of the rows after the first one, if they have the same; else 0 */
  uint64_t counted; /* the last number of the first row, which may count the others; 0: it is longer */
  size_t blocks;    /* lines "# V" in front of rows */
  uint64_t line;    /* the number of the last such line */
  bool marked;      /* the line before is such a line */
  bool all_numbers; /* the rows have nothing else */
  bool whole;       /* the file has no more text */
} rows;

/* ---- headings ---- */

scree_status scree__list_check_headings(scree__reader *reader, const scree__lines *lines, const char *line) {
  const scree_graph_options *o = reader->options;
  const scree__list_headings h = scree__list_headings_of(o, line);
  const bool both = h.source && h.target, usual = h.source == 1 && h.target == 2,
             turned = h.source == 2 && h.target == 1 && o->direction == SCREE_UNDIRECTED;
  if (o->columns[0] || (both ? usual || turned : !h.index)) return SCREE_OK;
  if (both)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s:%" PRIu64 ": found headings of source and target in columns %" PRIu32 " and %" PRIu32
                      ", expected --columns %" PRIu32 ",%" PRIu32,
                      reader->file.path, scree__lines_number(lines), h.source, h.target, h.source, h.target);
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s:%" PRIu64 ": found an empty heading in column 1, as of an index that pandas writes, expected "
                    "--columns S,D[,W]: where source, target and weight are",
                    reader->file.path, scree__lines_number(lines));
}

/* ---- rows ---- */

static void take_row(rows *r, const scree_graph_options *o, const char *line) {
  scree__list_fields fields = scree__list_fields_of(o, line);
  const size_t begin = r->count;
  while (fields.more && *scree__skip_blanks(fields.at) && r->all_numbers) {
    const scree__list_field f = scree__list_next_field(&fields);
    r->all_numbers = !f.wrong && !scree__parse_digits(f.at, f.end, 0, INT64_MAX, &r->numbers[r->count]);
    r->count++;
  }
  const size_t length = r->count - begin;
  r->firsts[r->rows] = r->numbers[begin];
  if (!r->rows || length < r->shortest) r->shortest = length;
  if (length > r->longest) r->longest = length;
  if (!r->rows && length && length <= FEW) r->counted = r->numbers[r->count - 1];
  if (r->rows == 1) r->others = length;
  if (r->rows && length != r->others) r->others = 0;
  r->blocks += r->marked;
  r->rows++;
}

/* "# V" with nothing else in the line. */
static bool is_mark(const char *line) {
  uint64_t vertex;
  const char *p = scree__skip_blanks(line);
  if (*p++ != '#') return false;
  p = scree__skip_blanks(p);
  return !scree__parse_number(&p, 0, INT64_MAX, &vertex) && !*scree__skip_blanks(p);
}

/* A line that cannot be read is refused later, when it is read. */
static void read_rows(scree__reader *reader, scree__lines *lines, rows *r) {
  const scree_graph_options *o = reader->options;
  char why[128], *line;
  scree__line_result result = SCREE__LINE_OK;
  for (uint64_t i = 0; result == SCREE__LINE_OK && r->all_numbers && lines->next < START; i++) {
    result = scree__lines_next(lines, &line, why, sizeof why);
    if (result != SCREE__LINE_OK || lines->next >= START || i < o->skip_lines) continue;
    const bool mark = is_mark(line);
    if (mark) r->line = scree__lines_number(lines);
    if (!scree__list_skips(o, line)) take_row(r, o, line);
    r->marked = mark;
  }
  r->whole = result == SCREE__LINE_END;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Returns true if rows differ in length, and not only the first one, which may count the others; each begins with
 * another number; and one has more numbers than an edge with an attribute, or all of them begin rows. */
static bool is_adjacency(rows *r) {
  const bool counts = r->others && r->counted == r->rows - 1;
  if (!r->all_numbers || r->shortest == r->longest || r->longest < FEW || counts) return false;
  qsort(r->firsts, r->rows, sizeof *r->firsts, by_number);
  for (size_t i = 1; i < r->rows; i++)
    if (r->firsts[i] == r->firsts[i - 1]) return false;
  if (r->longest > FEW || !r->whole) return true;
  for (size_t i = 0; i < r->count; i++)
    if (!bsearch(&r->numbers[i], r->firsts, r->rows, sizeof *r->firsts, by_number)) return false;
  return true;
}

static scree_status check_rows(scree__reader *reader, rows *r) {
  static const char as_list[] = "expected an edge list: --format edges reads it as one, and docs/graphs.md, section 2, "
                                "makes one of an adjacency list";
  if (r->blocks > 1 && r->all_numbers && r->longest < FEW)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s:%" PRIu64 ": found a vertex in a comment in front of its neighbours, as LGL has it, %s",
                      reader->file.path, r->line, as_list);
  if (!is_adjacency(r)) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found rows of %zu to %zu numbers, each beginning with another one, as an adjacency list has "
                    "them, %s",
                    reader->file.path, r->shortest, r->longest, as_list);
}

static scree_status examine(scree__reader *reader, scree__lines *lines) {
  enum { BYTES = START * sizeof(uint64_t) };
  rows r = {.all_numbers = true, .numbers = calloc(1, BYTES), .firsts = calloc(1, BYTES)};
  scree_status status = SCREE_OK;
  if (r.numbers && r.firsts) {
    read_rows(reader, lines, &r);
    status = check_rows(reader, &r);
  } else {
    status = scree__no_memory(reader->graphs, "the first rows of a list", 2 * BYTES);
  }
  free(r.numbers);
  free(r.firsts);
  return status;
}

scree_status scree__list_check_resembling(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  scree__lines lines;
  if (o->columns[0] || o->format) return SCREE_OK;
  scree_status status = scree__reader_first_lines(reader, &lines);
  if (status) return status;
  status = examine(reader, &lines);
  scree__lines_close(&lines);
  return status;
}
