/* weights.c - weights by the options: those given, none, all 1, or drawn as a pure function of the edge. */
#include "build/weights.h"

#include "base/hash.h"

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
