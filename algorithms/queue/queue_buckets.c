/* queue_buckets.c - buckets of equal width, emptied in order; what is in one has no order.
 *
 * Bucket i holds keys of origin + i * width and more; keys below the origin are in the first, those beyond the last but
 * one in the last. When only the last holds any, they are spread anew, from its smallest key on. A relaxation reaches
 * half of the buckets at most, so a vertex is spread about once. */
#include <math.h>
#include <stdlib.h>

#include "queue/lists.h"
#include "queue/queue.h"

/* HEAVY: if the largest weight is at least so many times the median one, nearly all vertices would be in the first
 * bucket. */
enum { BUCKETS_MIN = 1 << 10, REACH_MAX = 1 << 20, FINER = 32, HEAVY = 32 };

typedef struct {
  scree__queue head;
  scree__lists lists; /* one for each bucket */
  const double *key;
  double origin, scale; /* scale: buckets per unit */
  uint32_t last, min;   /* bucket for all beyond; none below `min` holds a vertex, and min < last */
} buckets;

static void put(buckets *q, uint32_t v, uint32_t bucket) {
  scree__lists_put(&q->lists, v, bucket);
  if (bucket < q->min) q->min = bucket;
}

static uint32_t bucket_of(const buckets *q, double key) {
  double beyond = key - q->origin, at = beyond * q->scale;
  if (!(beyond > 0)) return 0;
  return at < q->last ? (uint32_t)at : q->last;
}

static void push(scree__queue *queue, uint32_t v, double key) {
  buckets *q = (buckets *)queue;
  uint32_t bucket = bucket_of(q, key), old = q->lists.of[v].list;
  if (old == bucket + 1) return;
  if (old)
    scree__lists_take(&q->lists, v);
  else
    q->head.count++;
  put(q, v, bucket);
}

/* Spreads the last bucket anew. */
static void spread(buckets *q) {
  const struct scree__listed *of = q->lists.of;
  uint32_t v = q->lists.head[q->last]; /* plus one */
  q->origin = INFINITY;
  for (uint32_t u = v; u; u = of[u - 1].next)
    if (q->key[u - 1] < q->origin) q->origin = q->key[u - 1];
  q->lists.head[q->last] = 0;
  for (uint32_t next; v; v = next) {
    next = of[v - 1].next;
    put(q, v - 1, bucket_of(q, q->key[v - 1]));
  }
}

static uint32_t pop(scree__queue *queue) {
  buckets *q = (buckets *)queue;
  while (!q->lists.head[q->min])
    if (++q->min == q->last) spread(q);
  const uint32_t v = q->lists.head[q->min] - 1;
  scree__lists_take(&q->lists, v);
  q->head.count--;
  return v;
}

static void free_buckets(scree__queue *queue) {
  buckets *q = (buckets *)queue;
  if (!q) return;
  scree__lists_free(&q->lists);
  free(q);
}

/* Narrow buckets cost little, because searching for the next one that holds a vertex is quick, and they keep the order
 * better: the largest weight spans some for each arc of a vertex of mean degree. */
static double reach_of(const scree_graph *g) {
  double degree = g->vertices.n ? (double)g->arcs / (double)g->vertices.n : 1;
  double reach = FINER * (degree > 1 ? degree : 1);
  return reach < REACH_MAX ? reach : REACH_MAX;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Decides by a sample of this rank's weights, which is on the heap: stacks may be small. */
static bool is_heavy_tailed(const scree_graph *g) {
  enum { SAMPLE = 1023 };
  double *sample = malloc(SAMPLE * sizeof *sample);
  const uint64_t arcs = g->offsets[g->locals], step = arcs / SAMPLE + 1;
  size_t count = 0;
  for (uint64_t e = 0; sample && e < arcs; e += step) sample[count++] = scree_graph_weight(g, e);
  if (count) qsort(sample, count, sizeof *sample, by_value);
  const bool is = count && sample[count / 2] > 0 && g->weight_max > HEAVY * sample[count / 2];
  free(sample);
  return is;
}

/* The width of buckets depends on the largest weight. If that is not representative, a heap is used instead. */
static scree__queue *make(const scree_graph *g, const double *key) {
  if (is_heavy_tailed(g)) return scree__queue_dary.make(g, key);
  buckets *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  double reach = reach_of(g), width = g->weight_max > 0 ? g->weight_max / reach : 1;
  uint32_t count = BUCKETS_MIN;
  while (count < 2 * reach) count *= 2;
  *q = (buckets){.head = {.kind = &scree__queue_buckets}, .key = key, .scale = 1 / width, .last = count - 1};
  if (scree__lists_init(&q->lists, g, count)) return &q->head;
  free_buckets(&q->head);
  return NULL;
}

const scree__queue_kind scree__queue_buckets = {
    .make = make,
    .free = free_buckets,
    .push = push,
    .pop = pop,
};
