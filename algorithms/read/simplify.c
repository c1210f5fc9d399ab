/* simplify.c - drops self loops and parallel edges, row by row: a row is sorted and written back over itself. The rows
 * of the two ends of an undirected edge drop the same, because both keep the minimum weight. */
#include "read/simplify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph/consensus.h"
#include "graph/structure.h"

typedef struct {
  uint64_t head; /* packed */
  double weight;
} arc;

/* What was dropped, in arcs, and the largest weight that is left. */
typedef struct {
  uint64_t loops, parallel_loops, parallel, left;
  double weight_max;
} dropped;

static int by_head(const void *a, const void *b) {
  const arc *x = a, *y = b;
  if (x->head != y->head) return x->head < y->head ? -1 : 1;
  return (x->weight > y->weight) - (x->weight < y->weight);
}

static void *copy(const scree_graph *g, const void *from, uint64_t bytes) {
  void *to = scree_graphs_alloc(g->graphs, bytes ? bytes : 1);
  return to ? memcpy(to, from, bytes) : NULL;
}

/* Rows in a mapped file become this process's own. */
static scree_status own_rows(scree_graph *g) {
  if (!g->mapping) return SCREE_OK;
  const uint64_t arcs = g->offsets[g->locals], bytes = scree__weight_bytes(g->weight);
  uint64_t *offsets = copy(g, g->offsets, (g->locals + 1) * sizeof *offsets);
  void *targets = copy(g, g->targets, arcs * scree__head_bytes(g->wide));
  void *weights = bytes ? copy(g, g->weights, arcs * bytes) : NULL;
  if (!offsets || !targets || (bytes && !weights)) {
    scree_huge_free(offsets), scree_huge_free(targets), scree_huge_free(weights);
    return scree__no_memory(g->graphs, "the rows of a graph", arcs * (bytes + scree__head_bytes(g->wide)));
  }
  scree__graph_free_rows(g);
  g->offsets = offsets, g->targets = targets, g->weights = weights;
  return SCREE_OK;
}

static void put(scree_graph *g, uint64_t at, const arc *a) {
  if (g->wide)
    ((uint64_t *)g->targets)[at] = a->head;
  else
    ((uint32_t *)g->targets)[at] = (uint32_t)a->head;
  if (g->weight == SCREE_WEIGHT_UINT32) ((uint32_t *)g->weights)[at] = (uint32_t)a->weight;
  if (g->weight == SCREE_WEIGHT_FLOAT) ((float *)g->weights)[at] = (float)a->weight;
  if (g->weight == SCREE_WEIGHT_DOUBLE) ((double *)g->weights)[at] = a->weight;
}

/* Row u, which begins at `from`; it is written from d->left on, which is not after it. */
static void simplify_row(scree_graph *g, const scree_graph_options *o, uint64_t u, uint64_t from, arc *row,
                         dropped *d) {
  const uint64_t degree = g->offsets[u + 1] - from;
  const uint64_t self = scree_graph_pack(g, scree_location_make(scree_graph_rank(g), u));
  for (uint64_t i = 0; i < degree; i++)
    row[i] = (arc){scree_graph_packed_target(g, from + i), scree_graph_weight(g, from + i)};
  if (o->dedup) qsort(row, degree, sizeof *row, by_head);
  for (uint64_t i = 0; i < degree; i++) {
    const bool loop = row[i].head == self;
    if (loop && o->drop_self_loops) {
      d->loops++;
    } else if (o->dedup && i > 0 && row[i].head == row[i - 1].head) {
      loop ? d->parallel_loops++ : d->parallel++;
    } else {
      if (row[i].weight > d->weight_max) d->weight_max = row[i].weight;
      put(g, d->left++, &row[i]);
    }
  }
}

static void simplify_rows(scree_graph *g, const scree_graph_options *o, arc *row, dropped *d) {
  uint64_t *offsets = (uint64_t *)g->offsets, from = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    simplify_row(g, o, u, from, row, d);
    from = offsets[u + 1];
    offsets[u + 1] = d->left;
  }
}

/* Numbers of the whole graph; *d becomes the same on all ranks. */
static scree_status sum_up(scree_graph *g, dropped *d) {
  uint64_t largest;
  memcpy(&largest, &d->weight_max, sizeof largest); /* doubles of 0 or more are ordered as their bits are */
  scree_reduce a = {.sum = {d->loops, d->parallel}, .min = UINT64_MAX, .max = largest};
  scree_reduce b = {.sum = {d->parallel_loops, d->left}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->graphs, &a);
  if (!status) status = scree_graphs_reduce(g->graphs, &b);
  *d = (dropped){.loops = a.sum[0], .parallel = a.sum[1], .parallel_loops = b.sum[0], .left = b.sum[1]};
  memcpy(&d->weight_max, &a.max, sizeof d->weight_max);
  return status;
}

static uint64_t longest_row(const scree_graph *g) {
  uint64_t max = 1;
  for (uint64_t u = 0; u < g->locals; u++)
    if (scree_graph_degree(g, u) > max) max = scree_graph_degree(g, u);
  return max;
}

scree_status scree__simplify(scree_graph *g, const scree_graph_options *options, const char *name) {
  if (!options->dedup && !options->drop_self_loops) return SCREE_OK;
  const uint64_t max = longest_row(g);
  arc *row = malloc(max * sizeof *row);
  dropped d = {0};
  scree_status status = row ? own_rows(g) : scree__no_memory(g->graphs, "a row", max * sizeof *row);
  status = scree__consensus(g->graphs, status);
  if (!status) simplify_rows(g, options, row, &d);
  free(row);
  if (!status) status = sum_up(g, &d);
  if (status) return status;
  const uint64_t parallel = d.parallel_loops + (g->directed ? d.parallel : d.parallel / 2);
  g->arcs = d.left;
  g->edges -= d.loops + parallel;
  if (g->weight) g->weight_max = d.weight_max;
  if (scree_graph_rank(g) == 0)
    fprintf(stderr, "scree: %s: dropped %" PRIu64 " self loops and %" PRIu64 " parallel edges\n", name, d.loops,
            parallel);
  return SCREE_OK;
}
