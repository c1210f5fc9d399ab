/* hook.h - union-find over the ranks.
 *
 * Room: the part of afforest that needs messages: the trees whose vertices are the roots of the ranks' own forests.
 * Internal to algorithms/cc.
 *
 * A root of a rank's forest points to a packed place (scree_graph_pack) that is less than its own, or, at a root of
 * all, to itself. The pointers stand in run->component. */
#ifndef SCREE__CC_HOOK_H
#define SCREE__CC_HOOK_H
#include "cc/run.h"

/* What afforest keeps, by local vertex. run->own of its epochs. */
typedef struct scree__cc_state {
  uint32_t *up;      /* the root of this rank's forest, flat */
  uint32_t *rest;    /* vertices whose arcs are to be followed */
  uint64_t others;   /* of them */
  uint32_t *roots;   /* roots of this rank's forest that may have to do with other ranks */
  uint64_t count;    /* of them; first those that do not know their own root yet */
  uint64_t *min;     /* at roots: the least vertex known */
  bool *in_giant;    /* at roots: they belong to the giant component */
  uint64_t *told;    /* directed graphs: a bit for each place that was told of the giant component; else NULL */
  scree_reduce left; /* sum[0]: roots that this round of a search left without an answer */
} scree__cc_state;

/* Joins the trees of two places: does what can be done here and sends the rest on. In an epoch whose links go to
 * scree__cc_take_unions; handlers too. */
void scree__cc_unite(scree__cc_run *run, uint64_t a, uint64_t b);
void scree__cc_take_unions(scree__cc_run *run, const scree__cc_link *items, uint32_t count);

/* Makes the roots of state->roots point to the root of all. Each round halves the ways. Collective, epochs of its own.
 */
scree_status scree__cc_search(scree__cc_run *run);

#endif
