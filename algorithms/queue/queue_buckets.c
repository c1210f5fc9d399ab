/* queue_buckets.c - buckets of equal width, emptied in order; what is in one has no order.
 *
 * Bucket i holds keys of origin + i * width and more; keys below the origin are in the first, those beyond the last but
 * one in the last. When only the last holds any, they are spread anew, from its smallest key on. A relaxation reaches
 * half of the buckets at most, so a vertex is spread about once. Buckets are lists through the vertices: a vertex moves
 * in constant time, and no push needs memory. */
#include <math.h>
#include <scree/memory.h>
#include <stdlib.h>

#include "queue/queue.h"

enum { BUCKETS_MIN = 1 << 10, REACH_MAX = 1 << 20, FINER = 32 };
#define NONE UINT32_MAX

typedef struct {
  uint32_t next, previous; /* in the list; NONE: none */
  uint32_t bucket;         /* plus one; 0: not in the queue */
} node;

typedef struct {
  scree__queue head;
  node *nodes;
  uint32_t *first; /* of each bucket; NONE: none */
  const double *key;
  double origin, scale; /* scale: buckets per unit */
  uint32_t last, min;   /* bucket for all beyond; none below `min` holds a vertex, and min < last */
} buckets;

static void unlink_vertex(buckets *q, uint32_t v) {
  node *n = &q->nodes[v];
  if (n->previous == NONE)
    q->first[n->bucket - 1] = n->next;
  else
    q->nodes[n->previous].next = n->next;
  if (n->next != NONE) q->nodes[n->next].previous = n->previous;
  n->bucket = 0;
}

static void link_vertex(buckets *q, uint32_t v, uint32_t bucket) {
  uint32_t next = q->first[bucket];
  q->nodes[v] = (node){next, NONE, bucket + 1};
  if (next != NONE) q->nodes[next].previous = v;
  q->first[bucket] = v;
  if (bucket < q->min) q->min = bucket;
}

static uint32_t bucket_of(const buckets *q, double key) {
  double beyond = key - q->origin, at = beyond * q->scale;
  if (!(beyond > 0)) return 0;
  return at < q->last ? (uint32_t)at : q->last;
}

static void push(scree__queue *queue, uint32_t v, double key) {
  buckets *q = (buckets *)queue;
  uint32_t bucket = bucket_of(q, key), old = q->nodes[v].bucket;
  if (old == bucket + 1) return;
  if (old)
    unlink_vertex(q, v);
  else
    q->head.count++;
  link_vertex(q, v, bucket);
}

/* Spreads the last bucket anew. */
static void spread(buckets *q) {
  uint32_t v = q->first[q->last];
  q->origin = INFINITY;
  for (uint32_t u = v; u != NONE; u = q->nodes[u].next)
    if (q->key[u] < q->origin) q->origin = q->key[u];
  q->first[q->last] = NONE;
  for (uint32_t next; v != NONE; v = next) {
    next = q->nodes[v].next;
    link_vertex(q, v, bucket_of(q, q->key[v]));
  }
}

static uint32_t pop(scree__queue *queue) {
  buckets *q = (buckets *)queue;
  while (q->first[q->min] == NONE)
    if (++q->min == q->last) spread(q);
  uint32_t v = q->first[q->min];
  unlink_vertex(q, v);
  q->head.count--;
  return v;
}

static void free_buckets(scree__queue *queue) {
  buckets *q = (buckets *)queue;
  if (!q) return;
  scree_huge_free(q->nodes);
  free(q->first);
  free(q);
}

/* Narrow buckets cost little, since looking for the next that holds a vertex is quick, and keep the order better: the
 * largest weight spans some for each arc of a vertex of mean degree. */
static double reach_of(const scree_graph *g) {
  double degree = g->vertices.n ? (double)g->arcs / (double)g->vertices.n : 1;
  double reach = FINER * (degree > 1 ? degree : 1);
  return reach < REACH_MAX ? reach : REACH_MAX;
}

static scree__queue *make(const scree_graph *g, const double *key) {
  buckets *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  double reach = reach_of(g), width = g->weight_max > 0 ? g->weight_max / reach : 1;
  uint32_t count = BUCKETS_MIN;
  while (count < 2 * reach) count *= 2;
  *q = (buckets){.head = {.kind = &scree__queue_buckets}, .key = key, .scale = 1 / width, .last = count - 1};
  q->nodes = scree_graphs_alloc(g->graphs, (size_t)(g->locals + 1) * sizeof *q->nodes);
  q->first = malloc(count * sizeof *q->first);
  if (!q->nodes || !q->first) {
    free_buckets(&q->head);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) q->first[i] = NONE;
  return &q->head;
}

const scree__queue_kind scree__queue_buckets = {
    .make = make,
    .free = free_buckets,
    .push = push,
    .pop = pop,
};
