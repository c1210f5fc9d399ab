/* laws.h - changes of a graph that change its answers in a known way. */
#ifndef CASE_LAWS_H
#define CASE_LAWS_H
#include "graphs.h"

enum { CASE_LAWS = 7 };
/* Bits of the laws that the values of a kernel obey. */
enum { NAMES = 1, ORDER = 2, REVERSE = 4, SCALE = 8, SPLIT = 16, CLUTTER = 32, UNREACHED = 64 };

/* Vertex v of one graph is vertex to[v] of the other, where its distance is `scale` times as long. */
typedef struct {
  const double *level; /* of the first graph: INFINITY: not reached */
  case_graph *out;
  uint64_t state;
  uint64_t *to; /* SCREE_NO_VERTEX: not there */
  double scale;
} case_change;

const char *case_law_name(size_t law);

/* Makes out of `in`, whose levels are given. False: the law does not apply to this graph. change->to is to be freed. */
bool case_law_apply(size_t law, const case_graph *in, const double *level, uint64_t draw, case_graph *out,
                    case_change *change);

#endif
