/* hook.h - union-find over the nodes: the part of afforest that needs messages. The vertices of its trees are the roots
 * of the nodes' forests.
 *
 * A root of a node's forest points to a packed location (scree_graph_pack) that is less than its own, or, at a root of
 * all, to itself. The pointers are in the array of components. */
#ifndef SCREE__CC_HOOK_H
#define SCREE__CC_HOOK_H
#include "cc/forest.h"

/* What afforest keeps, by local vertex; but for the forest of the node only if there are several. run->own of its
 * epochs. */
typedef struct scree__cc_state {
  scree__cc_forest forest;
  uint32_t *rest;     /* vertices whose arcs are to be followed */
  uint64_t others;    /* of them */
  uint32_t *roots;    /* roots of the forest that may have links to other nodes */
  uint64_t count;     /* of them; those that do not know their own root yet come first */
  uint8_t *budget;    /* by rank: arcs that the giant part still follows to it at first */
  uint64_t *notified; /* directed graphs: a bit for each location that was notified of the giant component; else NULL */
  scree_reduce left;  /* sum[0]: roots that this round of a search left without an answer */
} scree__cc_state;

/* Joins the trees of two locations: does the local part and sends the rest on. In an epoch whose links go to
 * scree__cc_take_unions; handlers too. */
void scree__cc_unite(scree__run *run, uint64_t a, uint64_t b);
void scree__cc_take_unions(scree__run *run, const scree__cc_link *items, uint32_t count);

/* Makes the roots of state->roots point to the root of all. Each round halves the paths. Collective, epochs of its own.
 */
scree_status scree__cc_search(scree__run *run);

#endif
