/* resembling.c - refuses files that resemble edge lists, by the start of their text.
 *
 * An adjacency list has one row for each vertex. Its rows differ in length, or, if the graph is regular and undirected,
 * a vertex is in the rows of all its neighbours. LGL, of igraph and of Large Graph Layout, names a vertex in a line
 * "# V" and its neighbours in the lines after it. A list that pandas wrote has an index in front of its columns, which
 * has no heading. */
#include "read/list/resembling.h"

#include <inttypes.h>
#include <stdlib.h>

#include "file/parse.h"
#include "file/scan.h"
#include "graph/consensus.h"
#include "read/list/line.h"

enum {
  START = 1 << 16, /* bytes of the text that are examined */
  BATCH = 512,     /* lines that are read at once; with START, they have fewer than START numbers */
  FEW = 3,         /* numbers of an edge with one attribute */
  MANY = 16        /* pairs of neighbours that do not agree by chance */
};

/* The rows at the start of the text. */
typedef struct {
  uint64_t *numbers, *firsts; /* of all rows; the first number of each row. Each array has room for START */
  size_t count, rows, shortest, longest;
  size_t others;    /* length of the rows after the first one, if they have the same; else 0 */
  uint64_t counted; /* the last number of the first row, which may count the others; 0: it is longer */
  size_t blocks;    /* lines "# V" in front of rows */
  uint64_t line;    /* the number of the last such line */
  bool marked;      /* the line before is such a line */
  bool all_numbers; /* the rows have nothing else */
  bool repeats;     /* no such line came yet, and two rows begin with the same number: these are edges */
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

/* Counts the row of the last `length` numbers. */
static void count_row(rows *r, size_t length) {
  r->firsts[r->rows] = r->numbers[r->count - length];
  r->repeats |= r->rows && !r->blocks && !r->marked && r->firsts[r->rows] == r->firsts[r->rows - 1];
  if (!r->rows || length < r->shortest) r->shortest = length;
  if (length > r->longest) r->longest = length;
  if (!r->rows && length && length <= FEW) r->counted = r->numbers[r->count - 1];
  if (r->rows == 1) r->others = length;
  if (r->rows && length != r->others) r->others = 0;
  r->blocks += r->marked;
  r->rows++;
}

static void take_row(rows *r, const scree_graph_options *o, const char *line) {
  scree__list_fields fields = scree__list_fields_of(o, line);
  const size_t begin = r->count;
  while (fields.more && *scree__skip_blanks(fields.at) && r->all_numbers) {
    const scree__list_field f = scree__list_next_field(&fields);
    r->all_numbers = !f.wrong && !scree__parse_digits(f.at, f.end, 0, INT64_MAX, &r->numbers[r->count]);
    r->count++;
  }
  count_row(r, r->count - begin);
}

/* Takes many lines at once if each row so far has two numbers, or two or three. Returns false if the next line is not
 * such a row. */
static bool take_plain_rows(rows *r, const scree_graph_options *o, scree__lines *lines) {
  const scree__plain_line plain = {.weighted = r->longest == FEW, .by = o->separator, .max = INT64_MAX};
  scree__scan_notes notes = {0};
  scree_edge edges[BATCH];
  if (r->marked || r->longest < 2 || r->longest > FEW) return false;
  const size_t count = scree__scan(lines, &plain, edges, BATCH, &notes);
  for (size_t i = 0; i < count; i++) {
    r->numbers[r->count++] = edges[i].u;
    r->numbers[r->count++] = edges[i].v;
    if (plain.weighted) r->numbers[r->count++] = (uint64_t)edges[i].weight;
    count_row(r, plain.weighted ? FEW : 2);
  }
  r->all_numbers = !notes.decimals;
  return count;
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
  for (uint64_t i = 0; result == SCREE__LINE_OK && r->all_numbers && !r->repeats && lines->next < START; i++) {
    if (take_plain_rows(r, o, lines)) continue;
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

/* Returns true if no two rows begin with the same number. Sorts these numbers. */
static bool have_own_firsts(rows *r) {
  qsort(r->firsts, r->rows, sizeof *r->firsts, by_number);
  for (size_t i = 1; i < r->rows; i++)
    if (r->firsts[i] == r->firsts[i - 1]) return false;
  return true;
}

/* Returns true if rows differ in length, and not only the first one, which may count the others; and one has more
 * numbers than an edge with an attribute, or all of them begin rows. */
static bool is_irregular(const rows *r) {
  const bool counts = r->others && r->counted == r->rows - 1;
  if (r->shortest == r->longest || counts) return false;
  if (r->longest > FEW || !r->whole) return true;
  for (size_t i = 0; i < r->count; i++)
    if (!bsearch(&r->numbers[i], r->firsts, r->rows, sizeof *r->firsts, by_number)) return false;
  return true;
}

/* The row of that number, once rows of the same length are sorted; or NULL. */
static const uint64_t *row_of(const rows *r, uint64_t vertex) {
  return bsearch(&vertex, r->numbers, r->rows, r->longest * sizeof vertex, by_number);
}

static bool has_neighbour(const rows *r, const uint64_t *row, uint64_t vertex) {
  for (size_t i = 1; i < r->longest; i++)
    if (row[i] == vertex) return true;
  return false;
}

/* Returns true if rows have the same length, and each number after the first one begins another row, which has that
 * first one; beyond the start of a larger file there may be others. Sorts the rows. */
static bool is_regular(rows *r) {
  size_t pairs = 0;
  if (r->shortest != r->longest || r->rows < r->longest) return false;
  qsort(r->numbers, r->rows, r->longest * sizeof *r->numbers, by_number);
  for (size_t i = 0; i < r->count; i++) {
    const uint64_t vertex = r->numbers[i - i % r->longest], *other = row_of(r, r->numbers[i]);
    if (i % r->longest == 0 || (!other && !r->whole)) continue;
    if (!other || *other == vertex || !has_neighbour(r, other, vertex)) return false;
    pairs++;
  }
  return r->whole || pairs >= MANY;
}

static bool is_adjacency(rows *r) {
  if (!r->all_numbers || r->longest < FEW || !have_own_firsts(r)) return false;
  return is_irregular(r) || is_regular(r);
}

static scree_status check_rows(scree__reader *reader, rows *r) {
  static const char as_list[] = "expected an edge list: --format edges reads it as one, and docs/graphs.md, section 2, "
                                "makes one of an adjacency list";
  if (r->blocks > 1 && r->all_numbers && r->longest < FEW)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s:%" PRIu64 ": found a vertex in a comment in front of its neighbours, as LGL has it, %s",
                      reader->file.path, r->line, as_list);
  if (r->repeats || !is_adjacency(r)) return SCREE_OK;
  if (r->shortest == r->longest)
    return scree__why(reader->graphs, SCREE_EINVAL,
                      "%s: found rows of %zu numbers, each beginning with a vertex that is in the rows of all its "
                      "neighbours, as an adjacency list has them, %s",
                      reader->file.path, r->longest, as_list);
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
