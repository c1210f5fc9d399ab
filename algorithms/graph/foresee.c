/* foresee.c - the size of a graph before it is loaded.
 *
 * Room: what the numbers of a generator, a header or the bytes of a file tell. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "graph/generate.h"
#include "graph/image.h"
#include "graph/parse.h"
#include "graph/reader.h"

enum {
  AN_EDGE = 4 /* bytes of "1 2" and its line's end */,
  A_NEIGHBOUR = 2,
  PACKING = 8 /* how much text shrinks, about */
};

static scree_weight_kind kind(const scree__reader *reader, scree_weight_kind given) {
  return scree__weight_kind(reader->options, given);
}

/* Nothing is known but the bytes: `least` of an edge. */
static void by_size(const scree__reader *reader, uint64_t min, scree_graph_outlook *o) {
  uint64_t bytes = reader->file.size;
  o->known = reader->file.packed ? SCREE_OUTLOOK_GUESS : SCREE_OUTLOOK_BOUND;
  o->edges = (reader->file.packed ? PACKING * bytes : bytes) / min + 1;
  o->shape.n = 2 * o->edges < SCREE_VERTICES_MAX ? 2 * o->edges : SCREE_VERTICES_MAX;
  o->labels = true;
}

/* The counts in the first line that is no comment: "p sp N M", "N N M" (behind the banner, whose words are read too).
 */
static bool counts(const char *line, scree_graph_outlook *o) {
  uint64_t rows, columns, entries;
  if (sscanf(line, "p sp %" SCNu64 " %" SCNu64, &o->shape.n, &o->edges) == 2) return true;
  if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &rows, &columns, &entries) != 3) return false;
  o->shape.n = rows;
  o->edges = entries;
  return true;
}

static bool by_header(scree__reader *reader, scree_graph_outlook *o) {
  scree__lines lines;
  char why[128], *line;
  bool found = false, plain = true;
  if (!scree__lines_open(&lines, &reader->file, 0, UINT64_MAX, why, sizeof why)) return false;
  while (plain && scree__lines_next(&lines, &line, why, sizeof why) == SCREE__LINE_OK) {
    if (strstr(line, "pattern") && *line == '%') o->shape.weight = kind(reader, SCREE_WEIGHT_NONE);
    if (strstr(line, "symmetric") && *line == '%') o->shape.directed = false;
    plain = !*scree__skip(line) || *line == '%' || *line == 'c';
    if (!plain) found = counts(line, o);
  }
  scree__lines_close(&lines);
  return found && o->shape.n >= 1 && o->shape.n <= SCREE_VERTICES_MAX;
}

static bool by_image(const scree__reader *reader, scree_graph_outlook *o) {
  scree__image_header h;
  if (pread(reader->file.fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.order != SCREE__IMAGE_ORDER ||
      h.version != SCREE__IMAGE_VERSION || h.weight > SCREE_WEIGHT_DOUBLE || !h.n || h.n > SCREE_VERTICES_MAX)
    return false;
  o->shape = (scree_graph_shape){.n = h.n,
                                 .distribution = o->shape.distribution,
                                 .weight = kind(reader, (scree_weight_kind)h.weight),
                                 .directed = h.flags & SCREE__IMAGE_DIRECTED};
  o->edges = h.edges;
  o->labels = h.flags & SCREE__IMAGE_LABELS;
  return true;
}

static void by_format(scree__reader *reader, const scree__format *format, scree_graph_outlook *o) {
  const scree_graph_options *how = reader->options;
  bool known = false;
  o->known = SCREE_OUTLOOK_EXACT;
  if (format == &scree__format_image) known = by_image(reader, o);
  if (format == &scree__format_dimacs || format == &scree__format_matrix_market) {
    o->shape.directed = how->direction != SCREE_UNDIRECTED;
    o->shape.weight = kind(reader, SCREE_WEIGHT_DOUBLE);
    known = by_header(reader, o);
  } else if (format == &scree__format_tuples) {
    o->edges = reader->file.size / 12;
    o->shape.weight = kind(reader, how->weights_file ? SCREE_WEIGHT_FLOAT : SCREE_WEIGHT_NONE);
    o->shape.n = how->scale ? UINT64_C(1) << how->scale : 2 * o->edges;
    o->known = how->scale ? SCREE_OUTLOOK_EXACT : SCREE_OUTLOOK_BOUND;
    known = true;
  }
  if (known) return;
  o->shape.directed = how->direction == SCREE_DIRECTED;
  o->shape.weight = kind(reader, how->columns[2] ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_NONE);
  by_size(reader, format == &scree__format_adjacency ? A_NEIGHBOUR : AN_EDGE, o);
}

static scree_status of_file(scree_graphs *graphs, const char *path, const scree_graph_options *options,
                            scree_graph_outlook *o) {
  scree__reader reader = {.graphs = graphs, .options = options, .file = {.fd = -1}};
  const scree__format *format;
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__reader_format(&reader, &format);
  if (!status) by_format(&reader, format, o);
  scree__file_close(&reader.file);
  return status;
}

scree_status scree_graph_foresee(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                                 scree_graph_outlook *outlook) {
  static const scree_graph_options defaults;
  const scree__generator *generator = scree__generator_of(spec);
  scree__recipe recipe;
  if (!options) options = &defaults;
  scree_graph_outlook o = {.shape = {.distribution = options->distribution}};
  scree_status status = SCREE_OK;
  if (!generator) {
    status = of_file(graphs, spec, options, &o);
  } else {
    bool good = scree__generator_parse(generator, spec, &recipe, graphs->why, sizeof graphs->why);
    status = scree__agree(graphs, good ? SCREE_OK : SCREE_EINVAL);
    o.shape.n = recipe.n;
    o.shape.weight = scree__weight_kind(options, SCREE_WEIGHT_FLOAT);
    o.edges = recipe.edges;
  }
  if (!status) *outlook = o;
  return status;
}
