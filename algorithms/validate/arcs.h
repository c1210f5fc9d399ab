/* arcs.h - for validators of a number by vertex: each vertex gets those of its neighbours. */
#ifndef SCREE__VALIDATE_ARCS_H
#define SCREE__VALIDATE_ARCS_H
#include "validate/failure.h"

/* An answer under examination. */
typedef struct scree__arcs_check {
  const scree_graph *g;
  const char *what; /* the number's name */
  const uint64_t *value;
  uint64_t *seen; /* by local vertex, of the validator; zeroed */
  /* A neighbour of local vertex u has the value; once for each arc that is not a loop. */
  void (*take)(struct scree__arcs_check *c, uint64_t u, uint64_t value);
  uint64_t *stack, top; /* local vertices whose neighbours are to get their value */
  scree__failure first;
} scree__arcs_check;

/* Memory for it; value, g and `what` are set. Collective; on success closed by scree__arcs_close. */
scree_status scree__arcs_open(scree__arcs_check *c);
void scree__arcs_close(scree__arcs_check *c);
/* Sends the values of the vertices on the stack, and of those that `take` pushes, to their neighbours. Collective. */
scree_status scree__arcs_send(scree__arcs_check *c);
static inline void scree__arcs_push(scree__arcs_check *c, uint64_t u) {
  c->stack[c->top++] = u;
}
/* Keeps the failure at local u if none of a lower rule or vertex is known. */
void scree__arcs_fail(scree__arcs_check *c, int rule, uint64_t u, const char *expected, uint64_t bound);

#endif
