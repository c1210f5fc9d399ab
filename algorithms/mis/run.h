/* run.h - what the variants of independent sets share: the state of each vertex of the graph in an array of the node,
 * which messages keep up to date about those of other nodes. */
#ifndef SCREE__MIS_RUN_H
#define SCREE__MIS_RUN_H
#include <atomic_ops.h>

#include "kernel/kernel.h"

typedef enum { SCREE__MIS_OPEN, SCREE__MIS_OUT, SCREE__MIS_IN } scree__mis_state;

/* Shared by the variants: run->shared. A state that is not open does not change any more, so a reader may be late. */
typedef struct scree__mis {
  const scree_node_array *array;
  unsigned char *state; /* by packed location */
  uint64_t first;       /* location of this rank's first vertex */
  bool whole;           /* all ranks are on this node */
} scree__mis;

static inline scree__mis *scree__mis_of(const scree__run *run) {
  return run->shared;
}
static inline scree__mis_state scree__mis_get(const scree__mis *m, uint64_t location) {
  return (scree__mis_state)AO_char_load(&m->state[location]);
}
static inline void scree__mis_set(const scree__mis *m, uint64_t location, scree__mis_state state) {
  AO_char_store(&m->state[location], (unsigned char)state);
}

/* A location and, in the last bits, the state of its vertex, to a rank that has a neighbour. */
typedef struct scree__mis_item {
  uint64_t value;
} scree__mis_item;
void scree__mis_take(scree__run *run, uint32_t sender, const void *items, uint32_t count);
/* Unless all ranks are on this node: sends the state of local vertex u to the other ranks that have a neighbour of it,
 * by the variant's first message. In an epoch. */
void scree__mis_notify(scree__run *run, uint64_t u);
/* Local vertex u is in the set: its neighbours on this node are not. */
void scree__mis_join(scree__run *run, uint64_t u);

/* A rank's part in a block distribution on one node, whose set is guessed before those of lower ranks are known. */
typedef struct scree__mis_part {
  unsigned char *out;     /* by local vertex: not in the guessed set */
  uint64_t *differs;      /* bits by local vertex: to be found again */
  uint32_t *border;       /* local vertices with a neighbour of another part */
  uint64_t borders, next; /* of them; the guess is made up to this vertex */
} scree__mis_part;
/* Finds `border`, with space for all vertices. False: they are too many. Memory lacks where scree__run_ready says so.
 * Local. */
bool scree__mis_part_open(const scree__run *run, scree__mis_part *part, uint32_t *border);
/* Guesses some. False: all are. Local. */
bool scree__mis_part_guess(scree__run *run, scree__mis_part *part);
/* When all parts before it are decided: finds again what differs, and sets the states of its vertices. Local. */
void scree__mis_part_settle(scree__run *run, scree__mis_part *part);

extern const scree__variant scree__mis_greedy, scree__mis_luby;

/* Whether the set is independent and maximal. Collective; the verdict is the same on all ranks. */
scree_status scree__mis_validate(const scree_graph *g, uint64_t source, const void *options, const scree_answer *answer,
                                 scree_verdict *verdict);

#endif
