/* property_case.h - one case of the property test: a graph, a world, a change of the graph; all drawn from a seed.
 *
 * A case can be drawn, run, made smaller when it fails, and printed. */
#ifndef PROPERTY_CASE_H
#define PROPERTY_CASE_H
#include <scree/scree_sim.h>

#include "algorithm_cases.h"
#include "property_laws.h"

enum { PROPERTY_ALL = -1, PROPERTY_NO_LAW = -1 };

typedef struct {
  uint64_t draw; /* of options, of what the law changes, of wrong values */
  scree_sim_config sim;
  scree_options options;
  case_graph given;
  int law;       /* PROPERTY_NO_LAW: none */
  int sssp, bfs; /* which variants: PROPERTY_ALL, or one of the one kind and -2 of the other */
} property_case;

/* What came of it. */
typedef struct {
  case_verdict verdict;
  int sssp, bfs;    /* the variant that ran when it went wrong, for property_case; both PROPERTY_ALL: none did */
  bool changed;     /* it ran on the changed graph */
  bool law_applied; /* the law says something of the graph */
  uint64_t runs, steps;
} property_outcome;

void property_draw(property_case *c, uint64_t seed);
/* True if all was right. */
bool property_play(const property_case *c, property_outcome *outcome);
/* Makes a case that fails smaller, while it fails; *outcome is that of the smallest. */
void property_shrink(property_case *c, property_outcome *outcome);
void property_print(const property_case *c, const property_outcome *outcome, FILE *to);

#endif
