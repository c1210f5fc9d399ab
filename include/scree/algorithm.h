/* algorithm.h - types that several algorithms use: names of variants, work counters, progress callback. C11 and C++. */
#ifndef SCREE_ALGORITHM_H
#define SCREE_ALGORITHM_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A variant of an algorithm, which is chosen by name. */
typedef struct scree_algorithm {
  const char *name, *help; /* one word; one line */
} scree_algorithm;

/* The work of one run, summed over all ranks. A relaxation offers a value to a vertex. It is sent as a message, or
 * applied directly if the vertex is on the same rank and the variant does so. It has one of three outcomes:
 * messages + direct == useful + superseded + rejected. The counts hardly depend on other load of the machine.
 *
 * All kernels count messages, edges, epochs, detection rounds, blocks, bytes and seconds. Where a kernel has no
 * relaxations (PageRank; `afforest`, whose messages join trees), only `messages` counts: the other five
 * are 0. */
typedef struct scree_work {
  uint64_t messages;   /* relaxations sent */
  uint64_t direct;     /* relaxations of vertices of the same rank without a message */
  uint64_t useful;     /* set the final value of a vertex: one per vertex that has another value than at the start */
  uint64_t superseded; /* set a value that a better one replaced later */
  uint64_t rejected;   /* did not improve the vertex */
  uint64_t pruned;     /* not made, because this rank knew that the vertex had been offered a value at least as good */
  uint64_t edges;      /* edges (arcs) examined */
  uint64_t epochs;     /* epochs of the run, the same on all ranks */
  uint64_t detection_rounds; /* of the detector: the maximum over the ranks */
  uint64_t blocks;           /* blocks of messages */
  uint64_t bytes;            /* bytes of messages */
  /* Summed over the ranks; their total is the number of ranks times the time of the run. */
  double handler_seconds; /* in handlers: applying relaxations */
  double queue_seconds;   /* in a rank's own work: choosing vertices, examining arcs, sending */
  double wait_seconds;    /* the rest: polling for messages, waiting for other ranks */
} scree_work;

/* Values of the option `pruning`: how a rank knows which offers to other ranks' vertices are needless. A table of all
 * vertices of the graph (where it is not worth its memory: a cache); a cache of the last ones sent, of combine_cache
 * bytes (option of the world); nothing. Those of `sums` of PageRank: where a rank adds up what it sends to a vertex. */
enum { SCREE_PRUNING_TABLE, SCREE_PRUNING_CACHE, SCREE_PRUNING_OFF };
enum { SCREE_SUMS_TABLE, SCREE_SUMS_CACHE, SCREE_SUMS_OFF };

/* Monitors a run: `fn` is called on each rank with that rank's counts so far (only relaxations, edges and epochs are
 * set), after each epoch, or every few milliseconds in a variant of one long epoch. It runs on the thread of the run,
 * must be fast, and may call only local functions of scree. */
typedef struct scree_watch {
  void (*fn)(const scree_work *work, void *arg); /* NULL: no callback */
  void *arg;
} scree_watch;

#ifdef __cplusplus
}
#endif
#endif
