/* table.h - of undirected graphs: a value of each vertex, by packed location, in an array of the node: all its ranks
 * write those of their own vertices, and read their neighbours' in place. Other nodes get the blocks in which they read
 * a value.
 *
 * Two tables take turns: in an iteration all ranks read the one and write the next values into the other. */
#ifndef SCREE__PAGERANK_TABLE_H
#define SCREE__PAGERANK_TABLE_H
#include "ordering/readers.h"
#include "pagerank/run.h"

enum { SCREE__PR_STRIDE = 256 }; /* vertices after which the simulator may let another rank run */

typedef struct {
  const scree_node_array *array;
  char *half[2];                 /* the two tables in it */
  const scree__readers *readers; /* NULL: all ranks are on this node */
  size_t value;                  /* bytes, at most 8 */
  bool second;                   /* the one that is read */
} scree__pr_table;

typedef struct {
  uint64_t at; /* bytes from the beginning of the table */
  char values[64];
} scree__pr_block;

/* Refuses directed graphs; `name` is the variant's. Collective; returns what all ranks have agreed on. */
scree_status scree__pr_table_open(scree__run *run, const char *name, size_t value, scree__pr_table *table);
/* What is read in this iteration; `next`: what is written for the next one. */
static inline void *scree__pr_table_at(const scree__pr_table *t, bool next) {
  return t->half[t->second != next];
}
/* This rank's own values, in the same. */
static inline void *scree__pr_table_own(const scree__run *run, const scree__pr_table *t, bool next) {
  const uint64_t first = (uint64_t)scree_graph_rank(run->graph) << run->graph->local_bits;
  return (char *)scree__pr_table_at(t, next) + first * t->value;
}
/* In the epoch before the iteration: to other nodes; and what arrives, scree__pr_block. */
void scree__pr_table_send(scree__run *run, const scree__pr_table *t);
void scree__pr_table_take(const scree__run *run, const scree__pr_table *t, const void *items, uint32_t count);

#endif
