/* memory.h - what a run takes on a rank beside the graph, known before it begins. */
#ifndef SCREE__KERNEL_MEMORY_H
#define SCREE__KERNEL_MEMORY_H
#include <scree/kernel.h>

/* Orderings that a variant keeps with the graph (ordering/ordering.h). */
enum { SCREE__ROWS = 1, SCREE__TRANSPOSED = 2, SCREE__GATHERED = 4, SCREE__BOTH_WAYS = 8 };

/* Tables of a variant, or of all variants of a kernel; bytes unless it says bits. */
typedef struct scree__memory_use {
  uint32_t local;                                          /* for each vertex of the rank */
  uint32_t worker;                                         /* for each vertex of the rank and each worker */
  uint32_t needed;                                         /* for each vertex that the rank's arcs lead to */
  uint32_t whole_bits;                                     /* for each vertex of the whole graph */
  uint32_t saving_bits;                                    /* the same, of a table that is there if it pays (whole.h) */
  unsigned orderings;                                      /* of the above */
  uint64_t (*more)(const scree_graph *g, uint64_t locals); /* by rules of its own, of the rank's vertices; NULL: none */
} scree__memory_use;

struct scree__kernel;
struct scree__variant;

/* Of a run on this graph and rank, whose arcs lead to `needed` vertices; no array of the graph is read. An ordering in
 * `made` is not counted. Local. */
scree_run_bytes scree__run_bytes(const struct scree__kernel *kernel, const struct scree__variant *variant,
                                 const scree_graph *g, uint64_t arcs, uint64_t needed, uint32_t workers, unsigned made);

#endif
