/* load.c - a graph from its name: a file of some format, or a generator.
 *
 * Room: which reader takes a file, and what the file is certainly not. */
#include <locale.h>
#include <string.h>

#include "kron.h"
#include "parse.h"
#include "reader.h"

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

/* A first line by which other kinds of files are known. */
static const char *not_a_graph(const char *line) {
  static const struct {
    const char *start, *what;
  } known[] = {
      {"version https://git-lfs", "a Git LFS pointer, expected the graph itself: fetch it with 'git lfs pull'"},
      {"%%MatrixMarket", "a Matrix Market file, expected DIMACS .gr or an edge list"},
      {"<", "markup, expected DIMACS .gr or an edge list"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(line, known[i].start, strlen(known[i].start))) return known[i].what;
  return NULL;
}

/* Looks at the first lines. *dimacs: the first that is no comment is "p sp". Rank 0 only. */
static scree_status look(scree__reader *reader, bool *dimacs) {
  scree__lines lines;
  char why[128], *line;
  if (!scree__lines_open(&lines, &reader->file, 0, UINT64_MAX, why, sizeof why))
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: %s", reader->file.path, why);
  scree__line_result result;
  scree_status status = SCREE_OK;
  while ((result = scree__lines_next(&lines, &line, why, sizeof why)) == SCREE__LINE_OK) {
    const char *what = lines.count == 1 ? not_a_graph(line) : NULL;
    if (what) status = scree__why(reader->graphs, SCREE_EINVAL, "%s:1: found %s", reader->file.path, what);
    line = (char *)scree__skip(line);
    *dimacs = !strncmp(line, "p sp ", 5);
    if (what || (*line && !strchr("#%~c", *line))) break;
  }
  if (result == SCREE__LINE_ERROR) status = scree__unreadable(reader, &lines, why);
  scree__lines_close(&lines);
  return status;
}

static scree_status check_dimacs(scree__reader *reader) {
  const scree_graph_options *o = reader->options;
  const char *against = o->direction == SCREE_UNDIRECTED ? "--undirected" : o->columns[0] ? "--columns" : NULL;
  if (!against) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL,
                    "%s: found %s, but a DIMACS graph says itself that it is directed and where its weights stand; "
                    "expected none, or --format edges",
                    reader->file.path, against);
}

static scree_status choose(scree__reader *reader, const scree__format **format) {
  bool mine = !scree_rank(reader->graphs->worker), dimacs = false;
  scree_status status = scree__agree(reader->graphs, mine ? look(reader, &dimacs) : SCREE_OK);
  if (status) return status;
  scree_reduce r = {.max = dimacs, .min = UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &r);
  if (status) return status;
  const char *path = reader->file.path;
  scree_graph_format given = reader->options->format;
  if (given == SCREE_FORMAT_AUTO)
    given = r.max || ends_with(path, ".gr") || ends_with(path, ".gr.gz") ? SCREE_FORMAT_DIMACS : SCREE_FORMAT_EDGES;
  *format = given == SCREE_FORMAT_DIMACS ? &scree__format_dimacs : &scree__format_edges;
  return given == SCREE_FORMAT_DIMACS ? scree__agree(reader->graphs, check_dimacs(reader)) : SCREE_OK;
}

/* Opens the file on all ranks, which must see the same one. */
static scree_status open_file(scree__reader *reader, const char *path) {
  char why[128];
  scree_graphs *graphs = reader->graphs;
  unsigned rank = (unsigned)scree_rank(graphs->worker);
  bool opened = scree__file_open(&reader->file, path, why, sizeof why);
  scree_status status =
      scree__agree(graphs, opened ? SCREE_OK : scree__why(graphs, SCREE_EINVAL, "%s: rank %u: %s", path, rank, why));
  scree_reduce r = {.max = reader->file.size, .min = reader->file.size};
  if (!status) status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  if (r.max != r.min)
    scree__why(graphs, SCREE_EINVAL, "%s: found files of different size on the ranks, expected one", path);
  else if (!r.max)
    scree__why(graphs, SCREE_EINVAL, "%s: found an empty file, expected a graph", path);
  return scree__agree(graphs, r.max != r.min || !r.max ? SCREE_EINVAL : SCREE_OK);
}

static scree_status load_file(scree_graphs *graphs, const char *path, const scree_graph_options *options,
                              scree_graph **graph) {
  scree__reader reader = {.graphs = graphs, .options = options, .file = {.fd = -1}};
  const scree__format *format;
  locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(numbers);
  scree_status status = open_file(&reader, path);
  if (!status) status = choose(&reader, &format);
  if (!status) status = format->load(&reader, graph);
  scree__file_close(&reader.file);
  uselocale(before);
  if (numbers) freelocale(numbers);
  return status;
}

static scree_status load_kron(scree_graphs *graphs, const char *text, const scree_graph_options *options,
                              scree_graph **graph) {
  scree__kron kron;
  scree_status status = SCREE_OK;
  if (!scree__kron_parse(&kron, text, graphs->why, sizeof graphs->why))
    status = SCREE_EINVAL;
  else if (options->direction == SCREE_DIRECTED || options->columns[0] || options->format)
    status = scree__why(graphs, SCREE_EINVAL,
                        "kron:%s: found %s, but a Kronecker graph is made and undirected; expected "
                        "none",
                        text,
                        options->columns[0] ? "--columns"
                        : options->format   ? "--format"
                                            : "--directed");
  status = scree__agree(graphs, status);
  return status ? status : scree__kron_load(graphs, &kron, options, graph);
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
  if (!strncmp(spec, "kron:", 5)) return load_kron(graphs, spec + 5, options, graph);
  return load_file(graphs, spec, options, graph);
}
