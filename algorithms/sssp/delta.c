/* delta.c - SSSP by Delta-stepping.
 *
 * Room: one variant. Bucket i holds the vertices with i * delta <= distance < (i + 1) * delta. All ranks empty one
 * bucket in an epoch over the light arcs, which may fill it again, then relax the heavy arcs of what it held in a
 * second epoch, whose end finds the least bucket that holds a vertex on any rank (Firoz et al. 2015, Algorithm 2;
 * Meyer & Sanders 2003).
 *
 * Rounding does no harm: a sum may fall into the bucket at hand again, which is then the next one once more. */
#include <stdlib.h>

#include "buckets.h"
#include "variants.h"

enum { POPS = 32 }; /* vertices between two looks at what has come in */

typedef struct {
  double delta;
  scree__buckets buckets;
  scree_reduce next; /* min: the least bucket in use on this rank, kept by the handler in heavy epochs */
} steps;

static void improved(scree__run *run, uint32_t v, double distance) {
  steps *s = run->own;
  uint64_t b = (uint64_t)(distance / s->delta);
  scree__buckets_put(&s->buckets, v, b);
  if (b < s->next.min) s->next.min = b;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const scree__relax_item *item = items;
  for (uint32_t i = 0; i < count; i++)
    if (scree__relax_take(run, sender, &item[i])) improved(run, item[i].target, item[i].distance);
}

static void work_light(scree__run *run, steps *s, uint64_t b) {
  uint64_t begun = scree__work_begin(run);
  uint32_t v;
  for (int i = 0; i < POPS && (v = scree__buckets_head(&s->buckets, b)) != SCREE__NO_VERTEX32; i++) {
    scree__buckets_settle(&s->buckets, v);
    scree__relax_arcs(run, v, s->delta, SCREE__LIGHT_ARCS, improved);
  }
  scree__work_end(run, begun);
}

static scree_status light(scree__run *run, steps *s, uint64_t b) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, scree__buckets_head(&s->buckets, b) == SCREE__NO_VERTEX32)) {
    work_light(run, s, b);
  }
  run->work.epochs++;
  return scree__run_status(run);
}

/* *next: the least bucket in use on any rank, UINT64_MAX if none is. */
static scree_status heavy(scree__run *run, steps *s, uint64_t b, uint64_t *next) {
  s->next = (scree_reduce){{0, 0}, scree__buckets_first(&s->buckets, b), 0};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  uint64_t begun = scree__work_begin(run);
  for (uint32_t v; (v = scree__buckets_settled(&s->buckets)) != SCREE__NO_VERTEX32;)
    scree__relax_arcs(run, v, s->delta, SCREE__HEAVY_ARCS, improved);
  scree__work_end(run, begun);
  run->work.epochs++;
  status = scree_end(run->worker, &s->next);
  *next = s->next.min;
  return status;
}

static scree_status solve(scree__run *run) {
  steps *s = run->own;
  if (run->has_source) scree__buckets_put(&s->buckets, run->source, 0);
  scree_status status = SCREE_OK;
  for (uint64_t b = 0; b != UINT64_MAX && status == SCREE_OK;) {
    status = light(run, s, b);
    if (status == SCREE_OK) status = heavy(run, s, b, &b);
    scree__run_watch(run);
  }
  return status;
}

static scree_status enter(scree__run *run) {
  steps *s = run->own = calloc(1, sizeof *s);
  uint64_t span = 0;
  scree_status status = scree__choose_delta(run, &span);
  if (status) return status;
  bool ready = s && scree__buckets_init(&s->buckets, run->graph->locals, span);
  if (s) s->delta = run->delta;
  return scree__run_ready(run, ready, "buckets");
}

static void leave(scree__run *run) {
  steps *s = run->own;
  if (s) scree__buckets_free(&s->buckets);
  free(s);
}

const scree__variant scree__sssp_delta = {
    .about = {"delta", "Delta-stepping: buckets of --delta, one after the other on all ranks"},
    .messages = {{"sssp.delta", sizeof(scree__relax_item), take}},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
