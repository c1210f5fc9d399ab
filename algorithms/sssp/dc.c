/* dc.c - SSSP by Distributed Control.
 *
 * Room: one variant. An improved vertex waits in a queue of its rank; each rank relaxes its nearest vertex first, and
 * no rank waits for another: one epoch in all (Firoz et al. 2015, Algorithm 1).
 *
 * A vertex that leaves the queue is held in hand for some turns, while its row comes from memory. */
#include <scree/sssp.h>
#include <stdlib.h>

#include "common/queue.h"
#include "sssp/variants.h"

enum { USUAL_FREQUENCY = 32, HAND = 8, ROWS_AT = 4 };

typedef struct {
  scree__queue *queue;
  uint32_t frequency;
  uint32_t hand[HAND], first, held; /* a ring */
} control;

static void improved(scree__run *run, uint32_t v, double distance) {
  scree__queue *queue = ((control *)run->own)->queue;
  queue->kind->push(queue, v, distance);
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__relax_batch(run, sender, items, count, improved);
}

static void ask_for_row(const scree__run *run, uint32_t v) {
  scree__row row = scree__row_of(run->graph, v);
  scree__row_ask(run->graph, &row, SCREE__ARRAYS);
}

static void fill_hand(const scree__run *run, control *c) {
  while (c->held < HAND && c->queue->count) {
    uint32_t v = c->hand[(c->first + c->held++) % HAND] = c->queue->kind->pop(c->queue);
    __builtin_prefetch(&run->graph->offsets[v]);
    __builtin_prefetch(&run->distance[v]);
    if (c->held > HAND - ROWS_AT) ask_for_row(run, c->hand[(c->first + HAND - ROWS_AT) % HAND]);
  }
}

static void work(scree__run *run, control *c) {
  uint64_t begun = scree__work_begin(run);
  for (uint32_t i = 0; i < c->frequency; i++) {
    fill_hand(run, c);
    if (!c->held) break;
    uint32_t v = c->hand[c->first];
    c->first = (c->first + 1) % HAND;
    c->held--;
    scree__row row = scree__row_of(run->graph, v);
    scree__relax_row(run, v, &row, SCREE__ARRAYS, improved, scree__send_plain);
  }
  scree__work_end(run, begun);
  scree__run_watch_often(run);
}

static bool is_idle(const control *c) {
  return !c->held && !c->queue->count;
}

static scree_status solve(scree__run *run) {
  control *c = run->own;
  if (run->has_source) improved(run, run->source, 0);
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, is_idle(c))) {
    if (!is_idle(c)) work(run, c);
  }
  run->work.epochs++;
  return scree__run_status(run);
}

static scree_status enter(scree__run *run) {
  const scree_sssp_options *o = run->options;
  const scree__queue_kind *kind;
  scree_status status = scree__queue_find(run, o->queue, &kind);
  if (status) return status;
  control *c = run->own = calloc(1, sizeof *c);
  if (c) {
    c->frequency = o->frequency ? o->frequency : USUAL_FREQUENCY;
    c->queue = kind->make(run->graph, run->distance);
  }
  return scree__run_ready(run, c && c->queue, "a priority queue");
}

static void leave(scree__run *run) {
  control *c = run->own;
  if (c && c->queue) c->queue->kind->free(c->queue);
  free(c);
}

const scree__variant scree__sssp_dc = {
    .about = {"dc", "Distributed Control: each rank works on its nearest vertex, nobody waits"},
    .messages = {{"sssp.dc", sizeof(scree__relax_item), take}},
    .enter = enter,
    .solve = solve,
    .leave = leave,
};
