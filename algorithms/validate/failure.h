/* failure.h - the first failure that a validator found on this rank: that of the lowest rule, then vertex. */
#ifndef SCREE__VALIDATE_FAILURE_H
#define SCREE__VALIDATE_FAILURE_H
#include <scree/graph.h>

typedef struct scree__failure {
  uint64_t key; /* UINT64_MAX: none */
  char text[256];
} scree__failure;

/* Keeps a failure, without its text, unless one that precedes it is kept. Returns whether it did. */
static inline bool scree__failure_keep(scree__failure *f, int rule, uint64_t vertex) {
  const uint64_t key = (uint64_t)rule << 56 | vertex;
  if (key >= f->key) return false;
  f->key = key;
  return true;
}
static inline int scree__failure_rule(const scree__failure *f) {
  return (int)(f->key >> 56);
}

/* The first failure of all ranks, if there is one, becomes the verdict on all. No two ranks keep the same one.
 * Collective. */
scree_status scree__failure_verdict(const scree__failure *f, const scree_graph *g, scree_verdict *verdict);

#endif
