/* generate.c - graphs that are made, not read: from a table of generators to a graph.
 *
 * Room: the table, the numbers behind a name, and the loop in which each rank makes its part. */
#include "graph/generate.h"

#include <stdio.h>
#include <string.h>

#include "graph/generators.h"
#include "graph/plan.h"
#include "graph/reader.h"

static const scree__generator *const generators[] = {&scree__generator_kron, &scree__generator_uniform,
                                                     &scree__generator_grid, &scree__generator_path,
                                                     &scree__generator_star, &scree__generator_complete};
enum { COUNT = sizeof generators / sizeof *generators, BATCH = 256 };

scree_algorithm scree_generator_at(size_t i) {
  if (i >= COUNT) return (scree_algorithm){NULL, NULL};
  return (scree_algorithm){generators[i]->name, generators[i]->numbers};
}

const scree__generator *scree__generator_of(const char *spec) {
  size_t n = strcspn(spec, ":");
  for (size_t i = 0; spec[n] && i < COUNT; i++)
    if (strlen(generators[i]->name) == n && !memcmp(generators[i]->name, spec, n)) return generators[i];
  return NULL;
}

bool scree__generator_parse(const scree__generator *g, const char *spec, scree__recipe *recipe, char *why,
                            size_t size) {
  char legal[160];
  *recipe = (scree__recipe){.seed = 1};
  if (g->parse(spec + strlen(g->name) + 1, recipe, legal, sizeof legal)) return true;
  snprintf(why, size, "%s: expected %s:%s with %s", spec, g->name, g->numbers, legal);
  return false;
}

/* What a graph that is made cannot be told. */
static const char *contradiction(const scree_graph_options *o) {
  if (o->columns[0]) return "--columns";
  if (o->format) return "--format";
  if (o->vertices) return "--vertices";
  if (o->base) return "--base";
  if (o->weights_file) return "--weights-file";
  if (o->scale) return "--scale";
  return o->direction == SCREE_DIRECTED ? "--directed" : NULL;
}

static scree_status prepare(scree_graphs *graphs, const scree__generator *g, const char *spec,
                            const scree_graph_options *options, scree__recipe *recipe) {
  if (!scree__generator_parse(g, spec, recipe, graphs->why, sizeof graphs->why)) return SCREE_EINVAL;
  const char *against = contradiction(options);
  if (!against) return SCREE_OK;
  return scree__why(graphs, SCREE_EINVAL, "%s: found %s, but a generated graph is made and undirected; expected none",
                    spec, against);
}

static void make_part(const scree__generator *g, const scree__recipe *recipe, const scree_graph_options *options,
                      uint64_t from, uint64_t to, scree_graph_builder *builder, const scree__watch *watch) {
  scree_edge batch[BATCH];
  for (uint64_t i = from; i < to;) {
    uint64_t count = 0;
    for (; count < BATCH && i < to; count++, i++) {
      scree_edge *e = &batch[count];
      g->edge(recipe, i, e);
      e->weight = scree__weight(options, false, e->u, e->v, e->weight);
    }
    scree_graph_builder_add_many(builder, count, batch);
    scree__watch_tell(watch, i - from, to - from);
  }
}

scree_status scree__generate(scree_graphs *graphs, const char *spec, const scree_graph_options *options,
                             scree_graph **graph) {
  const scree__generator *g = scree__generator_of(spec);
  scree__recipe recipe;
  scree_status status = scree__agree(graphs, prepare(graphs, g, spec, options, &recipe));
  if (status) return status;
  scree_graph_shape shape = {
      .n = recipe.n, .distribution = options->distribution, .weight = scree__weight_kind(options, SCREE_WEIGHT_FLOAT)};
  scree_graph_builder *builder;
  status = scree__plan_check(graphs, &shape, recipe.edges, false);
  if (!status) status = scree_graph_builder_begin(graphs, &shape, &builder);
  if (status) return status;
  uint64_t from, to;
  scree__share(recipe.edges, scree_rank(graphs->worker), scree_ranks(graphs->worker), &from, &to);
  make_part(g, &recipe, options, from, to, builder, &graphs->watch);
  return scree_graph_builder_finish(builder, graph);
}
