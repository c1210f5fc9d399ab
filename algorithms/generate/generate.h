/* generate.h - distributed graphs of generated edges. */
#ifndef SCREE__GENERATE_H
#define SCREE__GENERATE_H
#include <scree/graph/files.h>

#include "generate/generator.h"

/* As scree_generated_parse, into memory of the caller's. Local. */
scree_status scree__generated_init(scree_generated *generated, const char *text, char *why, size_t size);
/* Makes the graph: each rank a part of the edges. Collective. */
scree_status scree__generate_graph(scree_graphs *graphs, const char *text, const scree_graph_options *options,
                                   scree_graph **graph);

#endif
