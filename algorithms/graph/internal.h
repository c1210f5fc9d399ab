/* internal.h - names of the graph layer's private headers as kernels still use them. */
#ifndef SCREE__GRAPH_INTERNAL_H
#define SCREE__GRAPH_INTERNAL_H
#include "base/huge.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "graph/u64_vector.h"

#define scree__phase_begin(graphs, triples_, bytes_, arg)                                                              \
  scree__exchange_begin(graphs, (scree__receivers){.triples = triples_, .bytes = bytes_}, arg)
#define scree__phase_end     scree__exchange_end
#define scree__elect_verdict scree__argmin_verdict
#define scree__agree         scree__consensus
#define scree__graph_array   scree_graphs_alloc
#define scree__words         scree__u64_vector
#define scree__words_add     scree__u64_vector_append
#define scree__words_unique  scree__u64_vector_sort_unique
#define scree__share         scree_distribution_block_range

#endif
