/* reader.c - what the readers of files share.
 *
 * Room: see reader.h. */
#include "graph/reader.h"

#include <inttypes.h>

#include "base/hash.h"
#include "graph/parse.h"
#include "graph/plan.h"

scree_status scree__reader_open(scree__reader *reader, const char *path) {
  char why[128];
  scree_graphs *graphs = reader->graphs;
  unsigned rank = (unsigned)scree_rank(graphs->worker);
  bool opened = scree__file_open(&reader->file, path, why, sizeof why);
  reader->file.watch = &graphs->watch;
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

static scree_status open_lines(scree__reader *reader, uint64_t from, uint64_t to, scree__lines *lines) {
  char why[128];
  if (scree__lines_open(lines, &reader->file, from, to, why, sizeof why)) return SCREE_OK;
  return scree__why(reader->graphs, SCREE_EINVAL, "%s: rank %u: %s", reader->file.path,
                    (unsigned)scree_rank(reader->graphs->worker), why);
}

scree_status scree__reader_lines(scree__reader *reader, uint64_t from, bool alone, scree__lines *lines) {
  scree_worker *w = reader->graphs->worker;
  uint64_t first = 0, last = scree_rank(w) ? 0 : UINT64_MAX, size = reader->file.size;
  if (!reader->file.packed && !alone) {
    scree__share(size > from ? size - from : 0, scree_rank(w), scree_ranks(w), &first, &last);
    first += from;
    last += from;
  }
  scree_status status = scree__agree(reader->graphs, open_lines(reader, first, last, lines));
  if (status) scree__lines_close(lines);
  return status;
}

scree_status scree__expected(scree__reader *reader, const scree__lines *lines, const char *at, const char *expected) {
  char found[64];
  return scree__why(reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found %s, expected %s", reader->file.path,
                    scree__lines_number(lines), scree__found(at, found, sizeof found), expected);
}

bool scree__take_word(const char **p, const char *word) {
  const char *at = *p = scree__skip(*p);
  while (*word && *at == *word) at++, word++;
  if (*word || at != scree__word_end(*p)) return false;
  *p = scree__skip(at);
  return true;
}

bool scree__comment(const char *line) {
  const char *p = scree__skip(line);
  if (!*p || *p == '#' || *p == '%' || *p == '~') return true;
  return *p == 'c' && scree__word_end(p) == p + 1;
}

scree_status scree__unreadable(scree__reader *reader, const scree__lines *lines, const char *why) {
  return scree__why(reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": %s", reader->file.path, scree__lines_number(lines),
                    why);
}

scree_status scree__agree_lines(scree__reader *reader, scree_status status, const scree__lines *lines) {
  return scree__agree_key(reader->graphs, status, lines->next);
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

scree_weight_kind scree__weight_kind(const scree_graph_options *options, scree_weight_kind given) {
  switch (options->weights) {
  case SCREE_WEIGHTS_GIVEN:
    return given;
  case SCREE_WEIGHTS_DROP:
    return SCREE_WEIGHT_NONE;
  case SCREE_WEIGHTS_UNIT:
  case SCREE_WEIGHTS_RANDOM_INT:
    return SCREE_WEIGHT_UINT32;
  case SCREE_WEIGHTS_RANDOM_FLOAT:
    return SCREE_WEIGHT_FLOAT;
  }
  return given;
}

double scree__weight(const scree_graph_options *options, bool directed, uint64_t u, uint64_t v, double w) {
  if (options->weights == SCREE_WEIGHTS_GIVEN) return w;
  if (options->weights == SCREE_WEIGHTS_DROP || options->weights == SCREE_WEIGHTS_UNIT) return 1;
  bool swap = !directed && v < u;
  uint64_t bits = scree__hash_draw(scree__hash_draw(options->seed, swap ? v : u), swap ? u : v);
  if (options->weights == SCREE_WEIGHTS_RANDOM_FLOAT) return (double)scree__unit_float(bits);
  return scree__between(bits, options->lo, options->hi);
}

scree_status scree__reader_builder(scree__reader *reader, uint64_t n, uint64_t edges, bool directed,
                                   scree_weight_kind given, scree_graph_builder **builder) {
  scree_graph_shape shape = {.n = n,
                             .distribution = reader->options->distribution,
                             .weight = scree__weight_kind(reader->options, given),
                             .directed = directed};
  bool narrow = reader->options->weights == SCREE_WEIGHTS_GIVEN;
  scree_status status = scree__plan_check(reader->graphs, &shape, edges, narrow);
  if (!status) status = scree_graph_builder_begin(reader->graphs, &shape, builder);
  if (!status && narrow) scree__builder_narrow(*builder);
  return status;
}
