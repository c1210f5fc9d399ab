/* heap_dary.c - the d-ary heap: with four children, half the depth of a binary heap; siblings share one or two cache
 * lines. */
#include "queue/heap.h"

enum { ARITY = 4 };

static scree__queue *make(const scree_graph *graph, const double *key) {
  (void)key;
  return scree__heap_make(&scree__queue_dary, graph->locals);
}

static void push(scree__queue *queue, uint32_t vertex, double key) {
  scree__heap_push(queue, vertex, key, ARITY);
}

static uint32_t pop(scree__queue *queue) {
  return scree__heap_pop(queue, ARITY);
}

const scree__queue_kind scree__queue_dary = {
    .about = {"dary", "a heap of four children: exact order, shallow"},
    .make = make,
    .free = scree__heap_free,
    .push = push,
    .pop = pop,
};
