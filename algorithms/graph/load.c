/* load.c - a graph from its name: a file of some format, or a generator.
 *
 * Room: which reader takes a file, and what the file is certainly not. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "graph/generate.h"
#include "graph/parse.h"
#include "graph/reader.h"

/* In the order of scree_graph_format, without AUTO. */
static const scree__format *const formats[] = {&scree__format_dimacs,        &scree__format_edges,
                                               &scree__format_matrix_market, &scree__format_adjacency,
                                               &scree__format_tuples,        &scree__format_image};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 64 };

/* First bytes by which other kinds of files are known. */
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

/* The first bytes of the unpacked file, and its first line that is no comment, which lives in `lines`. */
static scree_status look(scree__reader *reader, scree__lines *lines, char *head, const char **first) {
  char why[128], *line;
  *first = "";
  for (bool begun = false; !**first; begun = true) {
    scree__line_result result = scree__lines_next(lines, &line, why, sizeof why);
    if (!begun) memcpy(head, lines->buffer, lines->have < HEAD - 1 ? lines->have : HEAD - 1);
    if (result == SCREE__LINE_ERROR) return scree__unreadable(reader, lines, why);
    if (result == SCREE__LINE_END) break;
    line = (char *)scree__skip(line);
    if (*line && !strchr("#%~c", *line)) *first = line;
  }
  return SCREE_OK;
}

/* *format: its index by name and content, or that of edge lists. Rank 0 only. */
static scree_status recognise(scree__reader *reader, uint64_t *format) {
  scree__lines lines;
  char why[128], name[4096], head[HEAD] = "";
  const char *first;
  *format = SCREE_FORMAT_EDGES - 1;
  plain_name(reader->file.path, name, sizeof name);
  if (!scree__lines_open(&lines, &reader->file, 0, UINT64_MAX, why, sizeof why))
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: %s", reader->file.path, why);
  scree_status status = look(reader, &lines, head, &first);
  const char *what = not_a_graph(head);
  for (uint64_t i = 0; i < FORMATS; i++)
    if (formats[i]->known && formats[i]->known(name, head, first)) {
      *format = i;
      if (formats[i]->binary) status = SCREE_OK; /* it need not have lines */
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

scree_status scree__reader_format(scree__reader *reader, const scree__format **format) {
  scree_graph_format said = reader->options->format;
  const scree__format *given = said ? formats[said - 1] : NULL;
  uint64_t found = 0;
  bool mine = !scree_rank(reader->graphs->worker) && !(given && given->binary);
  scree_status status = scree__agree(reader->graphs, mine ? recognise(reader, &found) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.max = found, .min = UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  if (status) return status;
  *format = given ? given : formats[r.max];
  return scree__agree(reader->graphs, check_options(reader, *format));
}

static scree_status load_file(scree_graphs *graphs, const char *path, const scree_graph_options *options,
                              scree_graph **graph) {
  scree__reader reader = {.graphs = graphs, .options = options, .file = {.fd = -1}};
  const scree__format *format;
  locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(numbers);
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__reader_format(&reader, &format);
  if (!status) status = format->load(&reader, graph);
  scree__file_close(&reader.file);
  uselocale(before);
  if (numbers) freelocale(numbers);
  return status;
}

scree_status scree_graph_load(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                              scree_graph **graph) {
  static const scree_graph_options defaults;
  if (!options) options = &defaults;
  graphs->text[0] = 0;
  scree_status status = SCREE_OK;
  if (options->weights == SCREE_WEIGHTS_RANDOM_INT && options->lo > options->hi)
    status = scree__why(graphs, SCREE_EINVAL, "random weights of %u..%u; expected LO <= HI", (unsigned)options->lo,
                        (unsigned)options->hi);
  status = scree__agree(graphs, status);
  if (status) return status;
  scree_graph *g = NULL;
  bool made = scree__generator_of(spec) != NULL;
  status = made ? scree__generate(graphs, spec, options, &g) : load_file(graphs, spec, options, &g);
  if (!status && options->relabel == SCREE_RELABEL_DEGREE) {
    scree_graph *given = g;
    status = scree_graph_relabel_by_degree(given, &g);
    scree_graph_free(given);
  }
  if (!status) *graph = g;
  return status;
}
