/* kla.c - SSSP by k-level asynchrony (Harshvardhan et al., PACT 2014). A superstep, one epoch, spreads improvements
 * over at most k arcs without synchronization; what the k-th arc improved waits for the next superstep. k = 1 is
 * Bellman-Ford level by level, a k beyond the longest path is chaotic relaxation.
 *
 * k = 0 adapts it during the run. It starts at 1. It is doubled after a superstep that examined fewer edges than pay
 * for an epoch, and halved when the share of superseded improvements, on the rank where it is largest, has grown by an
 * eighth since the superstep before. */
#include <scree/sssp.h>

#include "sssp/variants.h"

enum { POPS = 32, WORTH_AN_EPOCH = 1 << 14 }; /* vertices between two polls for messages; edges of a rank */
enum { WHOLE = 1024, GROWN = WHOLE / 8 };     /* units of the share, and what counts as growth */

/* A distance over `parent`, `hops` arcs into this superstep. */
typedef struct {
  double distance;
  uint32_t target, parent; /* local indices, on the receiver and on the sender */
  uint32_t hops;
} hop_item;
SCREE_MESSAGE_ROUTED(hop, hop_item);

/* Vertices in the order in which they were put in. */
typedef struct {
  uint32_t *at;
  uint64_t first, count;
} ring;

typedef struct {
  ring now, next;
  uint64_t capacity; /* of each ring: each vertex is in at most one, once */
  uint32_t *hops;    /* of a vertex that is in: arcs into this superstep of what improved it last */
  bool *is_in;
  uint32_t hop, k;   /* of what is being offered; of this superstep */
  uint64_t share;    /* of the last superstep */
  scree_work before; /* at the beginning of the superstep */
} levels;

static void put(levels *l, ring *r, uint32_t v) {
  uint64_t end = r->first + r->count++;
  r->at[end < l->capacity ? end : end - l->capacity] = v;
}

static uint32_t take_first(const levels *l, ring *r) {
  uint32_t v = r->at[r->first];
  r->count--;
  if (++r->first == l->capacity) r->first = 0;
  return v;
}

/* A vertex stays where it is: those in `now` that are too many arcs away are postponed when they are taken. */
static void improved_by(levels *l, uint32_t v, uint32_t hops) {
  l->hops[v] = hops;
  if (l->is_in[v]) return;
  l->is_in[v] = true;
  put(l, hops < l->k ? &l->now : &l->next, v);
}

static void improved(scree__run *run, uint32_t v, double distance) {
  (void)distance;
  levels *l = run->own;
  improved_by(l, v, l->hop);
}

static bool send(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent, double distance) {
  const hop_type type = {run->types[0]};
  hop_send(run->worker, type, rank, (hop_item){distance, target, parent, ((levels *)run->own)->hop});
  return true;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const hop_item *item = items;
  for (uint32_t i = 0; i < count; i++) {
    const scree__relax_item relax = {item[i].distance, item[i].target, item[i].parent};
    if (scree__relax_take(run, sender, &relax)) improved_by(run->own, item[i].target, item[i].hops);
  }
}

static void visit(scree__run *run, levels *l, uint32_t v) {
  if (l->hops[v] >= l->k) {
    put(l, &l->next, v);
    return;
  }
  l->is_in[v] = false;
  l->hop = l->hops[v] + 1;
  scree__row row = scree__row_of(run->graph, v);
  scree__relax_row(run, v, &row, SCREE__ARRAYS, improved, send);
}

static void work(scree__run *run, levels *l) {
  uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < POPS && l->now.count; i++) visit(run, l, take_first(l, &l->now));
  scree__work_end(run, begun);
}

/* This rank's part of the reduction: waiting vertices, edges examined, the largest share of superseded improvements. */
static scree_reduce part_of(const scree__run *run, const levels *l) {
  const scree_work *w = &run->work, *b = &l->before;
  uint64_t superseded = w->superseded - b->superseded, all = superseded + w->useful - b->useful;
  return (scree_reduce){
      .sum = {l->next.count, w->edges - b->edges}, .min = UINT64_MAX, .max = all ? WHOLE * superseded / all : 0};
}

static bool is_over(scree__run *run, const levels *l, scree_reduce *part) {
  if (l->now.count) return scree__run_test(run, false);
  *part = part_of(run, l);
  return scree_test(run->worker, true, part);
}

static scree_status superstep(scree__run *run, levels *l, scree_reduce *part) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  l->before = run->work;
  while (!is_over(run, l, part))
    if (l->now.count) work(run, l);
  return scree__run_ended(run);
}

static void adapt(const scree__run *run, levels *l, const scree_reduce *all) {
  if (all->max > l->share + GROWN && l->k > 1)
    l->k /= 2;
  else if (all->sum[1] < (uint64_t)WORTH_AN_EPOCH * run->worker->ranks && l->k <= UINT32_MAX / 4)
    l->k *= 2;
  l->share = all->max;
}

/* What waits is first in the next superstep. */
static void turn(levels *l) {
  ring now = l->now;
  l->now = l->next;
  l->next = now;
  for (uint64_t i = 0; i < l->now.count; i++) {
    uint64_t at = l->now.first + i;
    l->hops[l->now.at[at < l->capacity ? at : at - l->capacity]] = 0;
  }
}

static scree_status solve(scree__run *run) {
  levels *l = run->own;
  const uint32_t k = (uint32_t)((const scree_sssp_options *)run->options)->k;
  scree_reduce all = {.sum = {1}};
  scree_status status = SCREE_OK;
  l->k = k ? k : 1;
  if (run->has_source) improved_by(l, run->source, 0);
  while (status == SCREE_OK && all.sum[0]) {
    status = superstep(run, l, &all);
    turn(l);
    if (!k) adapt(run, l, &all);
    scree__run_watch(run);
  }
  return status;
}

static scree_status setup(scree__run *run) {
  levels *l = run->own;
  const size_t capacity = (size_t)run->graph->locals + 1;
  l->capacity = capacity;
  l->now.at = scree__run_alloc(run, capacity * sizeof *l->now.at);
  l->next.at = scree__run_alloc(run, capacity * sizeof *l->next.at);
  l->hops = scree__run_alloc(run, capacity * sizeof *l->hops);
  l->is_in = scree__run_alloc(run, capacity * sizeof *l->is_in);
  return scree__run_ready(run, true, "two queues");
}

static const scree_kernel_option options[] = {
    {.row = {SCREE__ROW("k", COUNT, "", "arcs between two synchronizations; 0 adapts it during the run"), .def = 0,
             .max = UINT32_MAX, .offset = offsetof(scree_sssp_options, k)},
     .value = "K"},
    SCREE__NO_PRUNING(scree_sssp_options),
    SCREE__OPTIONS_END,
};

const scree__variant scree__sssp_kla = {
    .about = {"kla", "k-level asynchrony: a synchronization after each k arcs"},
    .options = options,
    .messages = {{"sssp.kla", sizeof(hop_item), take, NULL}},
    .own = sizeof(levels),
    .setup = setup,
    .solve = solve,
    .memory = {.local = 13},
};
