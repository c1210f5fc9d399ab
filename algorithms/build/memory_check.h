/* memory_check.h - checks for memory, so that a graph is refused before its node swaps. */
#ifndef SCREE__MEMORY_CHECK_H
#define SCREE__MEMORY_CHECK_H
#include <scree/graph.h>

/* SCREE_OK if `bytes` more on each rank of this node fit. Otherwise SCREE_ENOMEM, and graphs->why has what is needed,
 * what is free and a remedy; `what` is the subject of that sentence. Local. */
scree_status scree__memory_check(scree_graphs *graphs, uint64_t bytes, const char *what);

#endif
