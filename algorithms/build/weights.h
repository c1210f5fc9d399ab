/* weights.h - weights by the options of scree_graph_load. */
#ifndef SCREE__WEIGHTS_H
#define SCREE__WEIGHTS_H
#include <scree/graph.h>

/* The weight of edge u - v: w, which is the file's or the generator's, or by the options. Equal for v - u if not
 * directed. Local. */
double scree__weight(const scree_graph_options *options, bool directed, uint64_t u, uint64_t v, double w);
/* Tells whether the graph gets the weights of its file. If not, a reader ignores them, valid or not. Local. */
static inline bool scree__weights_are_read(const scree_graph_options *options) {
  return options->weights == SCREE_WEIGHTS_GIVEN;
}
/* The kind of what scree__weight returns, where w is of kind `given`. Local. */
scree_weight_kind scree__weight_kind(const scree_graph_options *options, scree_weight_kind given);

#endif
