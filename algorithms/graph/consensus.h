/* consensus.h - one status and one error text on all ranks.
 *
 * A rank that fails writes its reason (scree__why) and contributes its status to a consensus, whose outcome all ranks
 * return. */
#ifndef SCREE__CONSENSUS_H
#define SCREE__CONSENSUS_H
#include "graph/exchange.h"

/* Writes graphs->why and returns `status`. Local. */
scree_status scree__why(scree_graphs *graphs, scree_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* SCREE_ENOMEM: what there is no memory for, and how many bytes were requested. Local. */
scree_status scree__no_memory(scree_graphs *graphs, const char *what, size_t bytes);

/* The ranks agree on whether each has an argument that may not be NULL: SCREE_EINVAL with a text unless all have.
 * Collective; where `graphs` is NULL, SCREE_EINVAL at once. */
scree_status scree__given(scree_graphs *graphs, bool given, const char *call, const char *what);
/* The same where this rank has it not, of a graph that may be NULL too. */
scree_status scree__missing(const scree_graph *g, const char *call, const char *what);

/* As scree_graphs_reduce, of keys: *r is the reduction, and graphs->text, on all ranks, the text of the rank that
 * contributed the minimum (its `why`), unless that is UINT64_MAX, which means no key. No two ranks contribute equal
 * keys. Collective. */
scree_status scree__argmin(scree_graphs *graphs, scree_reduce *r, const char *why);

/* The worst status of all ranks; graphs->text is the reason of the rank with the minimum key among those that have that
 * status. Keys are below 2^60 and differ between ranks. *r: sums and a maximum over the ranks, in the same reduction;
 * NULL: none. Collective. */
scree_status scree__consensus_by_key(scree_graphs *graphs, scree_status status, uint64_t key, scree_reduce *r);
/* The same; the key is the rank. */
scree_status scree__consensus(scree_graphs *graphs, scree_status status);

#endif
