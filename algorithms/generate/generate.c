/* generate.c - from a generator to a distributed graph. */
#include "generate/generate.h"

#include "build/plan.h"
#include "build/weights.h"
#include "graph/consensus.h"

enum { BATCH = 256 };

/* An option that is not legal with a generator, or NULL. */
static const char *contradiction(const scree_graph_options *o) {
  if (o->columns[0]) return "--columns";
  if (o->format) return "--format";
  if (o->vertices) return "--vertices";
  if (o->base) return "--base";
  if (o->weights_file) return "--weights-file";
  if (o->scale) return "--scale";
  if (o->trust) return "--trust";
  return o->direction == SCREE_DIRECTED ? "--directed" : NULL;
}

static scree_status prepare(scree_graphs *graphs, const char *text, const scree_graph_options *options,
                            scree_generated *generated) {
  scree_status status = scree__generated_init(generated, text, graphs->why, sizeof graphs->why);
  if (status) return status;
  const char *against = contradiction(options);
  if (!against) return SCREE_OK;
  return scree__why(graphs, SCREE_EINVAL, "%s: found %s, but a generated graph is made and undirected; expected none",
                    text, against);
}

static void make_part(const scree_generated *generated, const scree_graph_options *options, uint64_t from, uint64_t to,
                      scree_graph_builder *builder, const scree__progress *progress) {
  scree_edge batch[BATCH];
  for (uint64_t i = from, count; i < to; i += count) {
    count = to - i < BATCH ? to - i : BATCH;
    for (uint64_t k = 0; k < count; k++) {
      scree_edge *e = &batch[k];
      generated->generator->edge(generated, i + k, e);
      e->weight = scree__weight(options, false, e->u, e->v, e->weight);
    }
    scree_graph_builder_add_many(builder, count, batch);
    scree__progress_report(progress, i + count - from, to - from);
  }
}

scree_status scree__generate_graph(scree_graphs *graphs, const char *text, const scree_graph_options *options,
                                   scree_graph **graph) {
  scree_generated generated;
  scree_status status = scree__consensus(graphs, prepare(graphs, text, options, &generated));
  if (status) return status;
  scree_graph_shape shape = {.n = generated.n,
                             .distribution = options->distribution,
                             .weight = scree__weight_kind(options, SCREE_WEIGHT_FLOAT)};
  scree_graph_builder *builder;
  status = scree__memory_check_graph(graphs, &shape, generated.edges, false);
  if (!status) status = scree_graph_builder_begin(graphs, &shape, &builder);
  if (status) return status;
  uint64_t from, to;
  scree_distribution_block_range(generated.edges, graphs->worker->rank, graphs->worker->ranks, &from, &to);
  make_part(&generated, options, from, to, builder, &graphs->progress);
  return scree_graph_builder_finish(builder, graph);
}
