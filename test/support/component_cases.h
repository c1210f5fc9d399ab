/* component_cases.h - connected components, PageRank and lookups on drawn graphs, against serial answers. */
#ifndef COMPONENT_CASES_H
#define COMPONENT_CASES_H
#include <scree/cc.h>
#include <scree/pagerank.h>

/* What a world needs to run cases; opened once. */
typedef struct {
  scree_graphs *graphs;
  scree_solver *cc, *pagerank;
} component_layer;

bool component_open(scree_world *world, component_layer *layer);
void component_close(component_layer *layer);

/* Draws two small graphs of awkward shapes, keeps both, and checks every variant on each in turn, twice: answers,
 * figures, verdicts, lookups and gathers. Collective; checks as a test does. */
void component_run(component_layer *layer, uint64_t seed);

#endif
