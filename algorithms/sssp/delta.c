/* delta.c - SSSP by Delta-stepping.
 *
 * Room: one variant. Bucket i holds the vertices with i * delta <= distance < (i + 1) * delta. All ranks empty one
 * bucket in an epoch over the light arcs, which may fill it again, then relax the heavy arcs of what it held in a
 * second epoch, whose end finds the least bucket that holds a vertex on any rank (Firoz et al. 2015, Algorithm 2;
 * Meyer & Sanders 2003).
 *
 * Rounding does no harm: a sum may fall into the bucket at hand again, which is then the next one once more. */
#include "buckets.h"
#include "variants.h"

enum { POPS = 32 }; /* vertices between two looks at what has come in */

typedef struct {
  scree__buckets buckets;
  scree_reduce next; /* min: the least bucket in use on this rank, kept by the handler in heavy epochs */
} steps;

static void handle(scree_worker *worker, const scree_run *batch, const void *items, void *arg) {
  (void)worker;
  scree__run *run = ((scree__solver *)arg)->run;
  steps *s = run->own;
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < batch->count; i++) {
    if (!scree__relax_take(run, (uint32_t)batch->source, &item[i])) continue;
    uint64_t b = (uint64_t)(item[i].distance / run->delta);
    scree__buckets_put(&s->buckets, item[i].target, b);
    if (b < s->next.min) s->next.min = b;
  }
}

static scree_status light(scree__run *run, steps *s, uint64_t b) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint32_t v = scree__buckets_head(&s->buckets, b);
  while (!scree_test(run->worker, v == SCREE__NO_VERTEX32, NULL)) {
    scree__run_drain(run);
    for (int i = 0; i < POPS && (v = scree__buckets_head(&s->buckets, b)) != SCREE__NO_VERTEX32; i++) {
      scree__buckets_settle(&s->buckets, v);
      scree__relax_arcs(run, v, SCREE__LIGHT_ARCS);
    }
  }
  run->work.epochs++;
  return scree__run_status(run);
}

/* *next: the least bucket in use on any rank, UINT64_MAX if none is. */
static scree_status heavy(scree__run *run, steps *s, uint64_t b, uint64_t *next) {
  s->next = (scree_reduce){{0, 0}, scree__buckets_first(&s->buckets, b), 0};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (uint32_t v; (v = scree__buckets_settled(&s->buckets)) != SCREE__NO_VERTEX32;)
    scree__relax_arcs(run, v, SCREE__HEAVY_ARCS);
  run->work.epochs++;
  status = scree_end(run->worker, &s->next);
  *next = s->next.min;
  return status;
}

static scree_status traverse(scree__run *run, steps *s) {
  if (run->has_source) scree__buckets_put(&s->buckets, run->source, 0);
  scree_status status = SCREE_OK;
  for (uint64_t b = 0; b != UINT64_MAX && status == SCREE_OK;) {
    status = light(run, s, b);
    if (status == SCREE_OK) status = heavy(run, s, b, &b);
  }
  return status;
}

/* Chooses or checks delta. A relaxation reaches at most weight_max / delta buckets ahead, and rounding a little. */
static scree_status choose_delta(scree__run *run, uint64_t *span) {
  const scree_graph *g = run->graph;
  double degree = g->arcs > g->vertices.n ? (double)g->arcs / (double)g->vertices.n : 1;
  double least = g->weight_max / (double)(SCREE__BUCKETS_MAX - 8);
  if (run->delta == 0) run->delta = g->weight_max > 0 ? g->weight_max / degree : 1;
  if (run->delta > 0 && run->delta < INFINITY && run->delta >= least) {
    *span = (uint64_t)(g->weight_max / run->delta) + 4;
    return SCREE_OK;
  }
  return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                            "delta is %.17g; legal: a finite number, more than 0 and at least %.17g, or %llu buckets "
                            "would not do; choose a larger one, or 0 for largest weight over mean degree",
                            run->delta, least, (unsigned long long)SCREE__BUCKETS_MAX);
}

static scree_status solve(scree__run *run) {
  steps s = {0};
  uint64_t span = 0;
  scree_status status = choose_delta(run, &span);
  if (status) return status;
  bool ready = scree__buckets_init(&s.buckets, run->graph->locals, span);
  status = scree_graphs_agree(run->graph->graphs, ready ? SCREE_OK : SCREE_ENOMEM,
                              "rank %u: no memory for %llu buckets and %llu vertices; use more ranks or a larger delta",
                              scree_graph_rank(run->graph), (unsigned long long)span,
                              (unsigned long long)run->graph->locals);
  run->own = &s;
  if (status == SCREE_OK) status = traverse(run, &s);
  scree__buckets_free(&s.buckets);
  return status;
}

const scree__variant scree__sssp_delta = {
    .about = {"delta", "Delta-stepping: buckets of --delta, one after the other on all ranks"},
    .type = "sssp.delta",
    .item = sizeof(scree__relax_item),
    .handler = handle,
    .solve = solve,
};
