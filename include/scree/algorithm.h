/* algorithm.h - what the algorithms share: how a variant is named, and what is counted of its work.
 *
 * Room: types that the headers of several algorithms use. C11 and C++. */
#ifndef SCREE_ALGORITHM_H
#define SCREE_ALGORITHM_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A variant of an algorithm, as it is chosen by name. */
typedef struct scree_algorithm {
  const char *name, *help; /* a word; a line */
} scree_algorithm;

/* The work of one run, over all ranks. Each relaxation is one message, also to a vertex of the same rank, and has one
 * of three outcomes: sent == useful + invalidated + rejected. */
typedef struct scree_work {
  uint64_t sent;        /* relaxations sent */
  uint64_t useful;      /* brought the final value of a vertex: one for each reached vertex but the source */
  uint64_t invalidated; /* brought a value that a better one replaced later */
  uint64_t rejected;    /* brought nothing better than what the vertex had */
  uint64_t edges;       /* arcs looked at */
  uint64_t epochs;      /* epochs of the run, the same on all ranks */
} scree_work;

#ifdef __cplusplus
}
#endif
#endif
