/* heap_binary.c - the binary heap: fewer comparisons per level than a wider heap, more levels. */
#include "queue/heap.h"

enum { ARITY = 2 };

static scree__queue *make(const scree_graph *graph, const double *key) {
  (void)key;
  return scree__heap_make(&scree__queue_binary, graph->locals);
}

static void push(scree__queue *queue, uint32_t vertex, double key) {
  scree__heap_push(queue, vertex, key, ARITY);
}

static uint32_t pop(scree__queue *queue) {
  return scree__heap_pop(queue, ARITY);
}

const scree__queue_kind scree__queue_binary = {
    .about = {"binary", "a heap of two children: exact order"},
    .make = make,
    .free = scree__heap_free,
    .push = push,
    .pop = pop,
};
