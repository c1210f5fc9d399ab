/* load.c - a graph by its text: a file of some format, or a generator. */
#include <locale.h>
#include <scree/generate.h>

#include "generate/generate.h"
#include "graph/consensus.h"
#include "read/format.h"
#include "read/rename.h"
#include "read/simplify.h"

static scree_status load_file(scree_graphs *graphs, const char *path, const scree_graph_options *options,
                              scree_graph **graph) {
  scree__reader reader = {.graphs = graphs, .options = options, .name = options->name, .file = {.fd = -1}};
  const scree__format *format;
  locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(numbers);
  scree_status status = scree__reader_open(&reader, path);
  if (!status) status = scree__format_of(&reader, &format);
  if (!status) status = format->load(&reader, graph);
  scree__file_close(&reader.file);
  uselocale(before);
  if (numbers) freelocale(numbers);
  return status;
}

scree_status scree_graph_load(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                              scree_graph **graph) {
  if (!graphs || !spec || !graph)
    return scree__given(graphs, false, __func__, spec ? "place for the graph" : "file or generator");
  static const scree_graph_options defaults;
  if (!options) options = &defaults;
  graphs->text[0] = 0;
  scree_status status = SCREE_OK;
  if (options->weights == SCREE_WEIGHTS_RANDOM_INT && options->lo > options->hi)
    status = scree__why(graphs, SCREE_EINVAL, "random weights of %u..%u; expected LO <= HI", (unsigned)options->lo,
                        (unsigned)options->hi);
  status = scree__consensus(graphs, status);
  if (status) return status;
  scree_graph *g = NULL;
  const scree_phase phase = scree_graphs_enter(graphs, SCREE_PHASE_PARSE);
  status = scree_generator_is_named(spec) ? scree__generate_graph(graphs, spec, options, &g)
                                          : load_file(graphs, spec, options, &g);
  scree_graphs_enter(graphs, SCREE_PHASE_BUILD);
  const char *name = options->name ? options->name : spec;
  if (!status) status = scree__simplify(g, options, name);
  if (!status) status = scree__rename(g, options, name);
  scree_graphs_enter(graphs, SCREE_PHASE_PREPARE);
  if (!status && options->relabel == SCREE_RELABEL_DEGREE) {
    scree_graph *given = g;
    g = NULL;
    status = scree_graph_relabel_by_degree(given, given->vertices.kind, &g);
    scree_graph_free(given);
  }
  scree_graphs_enter(graphs, phase);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}
