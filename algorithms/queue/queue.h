/* queue.h - a rank's queue of local vertices by distance, nearest first, or nearly so; each kind is one file.
 *
 * A vertex is in a queue once; its key can decrease. All memory is taken by `make`: handlers push, and cannot run out
 * of it. Local; owner's thread. */
#ifndef SCREE__QUEUE_H
#define SCREE__QUEUE_H
#include <scree/graph.h>

typedef struct scree__queue scree__queue;

typedef struct scree__queue_kind {
  /* For the vertices of this rank. `key` is the array of their keys: for a vertex in the queue it holds the key that
   * was pushed, until the next push of the same vertex. NULL: no memory. */
  scree__queue *(*make)(const scree_graph *graph, const double *key);
  void (*free)(scree__queue *queue);
  /* Puts a vertex in, or moves it where its lower key belongs. A key that is not lower: no change. */
  void (*push)(scree__queue *queue, uint32_t vertex, double key);
  /* Takes a vertex out. Undefined: empty queue. */
  uint32_t (*pop)(scree__queue *queue);
} scree__queue_kind;

/* The head of every queue. */
struct scree__queue {
  const scree__queue_kind *kind;
  uint32_t count; /* vertices in it */
};

extern const scree__queue_kind scree__queue_buckets, scree__queue_dary;

#endif
