/* drawn.h - one drawn case: a graph, a world, a change of the graph; all drawn from a seed.
 *
 * A case can be drawn, run, made smaller when it fails, and printed. */
#ifndef KERNELS_DRAWN_H
#define KERNELS_DRAWN_H
#include <scree/scree_sim.h>

#include "base/options.h"
#include "kernels.h"

enum { DRAWN_ALL = -1, DRAWN_NO_LAW = -1 };

typedef struct {
  uint64_t draw; /* of options, of what the law changes, of wrong values */
  scree_sim_config sim;
  scree__options options;
  case_graph given;
  int law;             /* DRAWN_NO_LAW: none */
  int kernel, variant; /* row and variant; DRAWN_ALL: all */
} drawn_case;

/* The outcome. */
typedef struct {
  case_verdict verdict;
  int kernel, variant; /* that ran when it went wrong; DRAWN_ALL: none did */
  bool changed;        /* it ran on the changed graph */
  bool law_applied;    /* the law applies to the graph */
  uint64_t runs, steps;
} drawn_outcome;

/* Overwrites *c, which holds zeros or an earlier case. */
void drawn_draw(drawn_case *c, uint64_t seed);
/* True if all was right. */
bool drawn_play(const drawn_case *c, drawn_outcome *outcome);
/* Makes a case that fails smaller, while it fails; *outcome is that of the smallest. */
void drawn_shrink(drawn_case *c, drawn_outcome *outcome);
void drawn_print(const drawn_case *c, const drawn_outcome *outcome, FILE *to);

#endif
