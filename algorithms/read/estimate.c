/* estimate.c - the size of a graph before it is loaded: by the numbers of a generator, a header, or the bytes of a
 * file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/weights.h"
#include "file/image.h"
#include "file/parse.h"
#include "generate/generate.h"
#include "graph/consensus.h"
#include "read/format.h"

enum {
  EDGE_BYTES = 4, /* of "1 2" and its line's end */
  COMPRESSION = 8 /* a typical ratio for text */
};

static scree_weight_kind kind(const scree__reader *reader, scree_weight_kind given) {
  return scree__weight_kind(reader->options, given);
}

/* Only the number of bytes is known. */
static void by_size(const scree__reader *reader, scree_size_estimate *o) {
  uint64_t bytes = reader->file.size;
  o->kind = reader->file.compression ? SCREE_ESTIMATE_GUESS : SCREE_ESTIMATE_UPPER_BOUND;
  o->edges = (reader->file.compression ? COMPRESSION * bytes : bytes) / EDGE_BYTES + 1;
  o->shape.n = 2 * o->edges < SCREE_VERTICES_MAX ? 2 * o->edges : SCREE_VERTICES_MAX;
  o->labels = true;
}

/* The counts in the first line that is not a comment: "p sp N M", "N N M" (after the banner, whose words are read too).
 */
static bool counts(const char *line, scree_size_estimate *o) {
  uint64_t rows, columns, entries;
  if (sscanf(line, "p sp %" SCNu64 " %" SCNu64, &o->shape.n, &o->edges) == 2) return true;
  if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &rows, &columns, &entries) != 3) return false;
  o->shape.n = rows;
  o->edges = entries;
  return true;
}

/* *known: the file states its size. */
static scree_status by_header(scree__reader *reader, scree_size_estimate *o, bool *known) {
  scree__lines lines;
  char why[128], *line;
  bool found = false, plain = true;
  scree__line_result result = SCREE__LINE_OK;
  scree_status status = scree__reader_first_lines(reader, &lines);
  if (status) return status;
  while (plain && (result = scree__lines_next(&lines, &line, why, sizeof why)) == SCREE__LINE_OK) {
    line = (char *)scree__skip_blanks(line);
    if (strstr(line, "pattern") && *line == '%') o->shape.weight = kind(reader, SCREE_WEIGHT_NONE);
    if (strstr(line, "symmetric") && *line == '%') o->shape.directed = false;
    plain = !*line || *line == '%' || *line == 'c';
    if (!plain) found = counts(line, o);
  }
  if (result == SCREE__LINE_ERROR) status = scree__reader_read_error(reader, &lines, why);
  scree__lines_close(&lines);
  *known = found && o->shape.n >= 1 && o->shape.n <= SCREE_VERTICES_MAX;
  return status;
}

static scree_status by_image(const scree__reader *reader, scree_size_estimate *o, bool *known) {
  scree__image_header h;
  ssize_t n = pread(reader->file.fd, &h, sizeof h, 0);
  if (n < 0)
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: rank %u: cannot read it: %s; check the file and its disk",
                      reader->file.path, (unsigned)reader->graphs->worker->rank, strerror(errno));
  if (n != (ssize_t)sizeof h || !scree__image_is_known(&h) || h.weight > SCREE_WEIGHT_DOUBLE || !h.n ||
      h.n > SCREE_VERTICES_MAX)
    return SCREE_OK;
  o->shape = (scree_graph_shape){.n = h.n,
                                 .distribution = o->shape.distribution,
                                 .weight = kind(reader, (scree_weight_kind)h.weight),
                                 .directed = h.flags & SCREE__IMAGE_DIRECTED};
  o->edges = h.edges;
  o->labels = h.flags & SCREE__IMAGE_LABELS;
  *known = true;
  return SCREE_OK;
}

static scree_status by_format(scree__reader *reader, const scree__format *format, scree_size_estimate *o) {
  const scree_graph_options *how = reader->options;
  bool known = false;
  scree_status status = SCREE_OK;
  o->kind = SCREE_ESTIMATE_EXACT;
  if (format->estimate) return format->estimate(reader, o);
  if (format == &scree__format_image) status = by_image(reader, o, &known);
  if (format == &scree__format_dimacs || format == &scree__format_matrix_market) {
    o->shape.directed = how->direction != SCREE_UNDIRECTED;
    o->shape.weight = kind(reader, SCREE_WEIGHT_DOUBLE);
    status = by_header(reader, o, &known);
  } else if (format == &scree__format_tuples) {
    o->edges = reader->file.size / 12;
    o->shape.weight = kind(reader, how->weights_file ? SCREE_WEIGHT_FLOAT : SCREE_WEIGHT_NONE);
    o->shape.n = how->scale ? UINT64_C(1) << how->scale : 2 * o->edges;
    o->kind = how->scale ? SCREE_ESTIMATE_EXACT : SCREE_ESTIMATE_UPPER_BOUND;
    known = true;
  }
  if (known || status) return status;
  o->shape.directed = how->direction == SCREE_DIRECTED;
  o->shape.weight = kind(reader, how->columns[2] ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_NONE);
  by_size(reader, o);
  return SCREE_OK;
}

static scree_status of_file(scree_graphs *graphs, const char *path, const scree_graph_options *options,
                            scree_size_estimate *o) {
  scree__reader reader = {.graphs = graphs, .options = options, .name = options->name, .file = {.fd = -1}};
  const scree__format *format;
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__format_of(&reader, &format);
  if (!status) status = scree__consensus(graphs, by_format(&reader, format, o));
  scree__file_close(&reader.file);
  return status;
}

scree_status scree_graph_estimate(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                                  scree_size_estimate *estimate) {
  if (!graphs || !spec || !estimate)
    return scree__given(graphs, false, __func__, spec ? "place for the estimate" : "graph");
  static const scree_graph_options defaults;
  scree_generated generated;
  if (!options) options = &defaults;
  scree_size_estimate o = {.shape = {.distribution = options->distribution}};
  scree_status status = SCREE_OK;
  if (scree_generator_is_named(spec)) {
    status = scree__consensus(graphs, scree__generated_init(&generated, spec, graphs->why, sizeof graphs->why));
    if (status) return status;
    o.shape.n = generated.n;
    o.shape.weight = scree__weight_kind(options, SCREE_WEIGHT_FLOAT);
    o.edges = generated.edges;
  } else {
    status = of_file(graphs, spec, options, &o);
  }
  if (status) return status;
  if (o.kind == SCREE_ESTIMATE_EXACT && (options->dedup || options->drop_self_loops))
    o.kind = SCREE_ESTIMATE_UPPER_BOUND;
  if (o.kind != SCREE_ESTIMATE_SAMPLE) {
    const bool exact = o.kind == SCREE_ESTIMATE_EXACT;
    o.vertices_max = o.shape.n, o.vertices_min = exact ? o.shape.n : 1;
    o.edges_max = o.edges, o.edges_min = exact ? o.edges : 0;
  }
  *estimate = o;
  return SCREE_OK;
}
