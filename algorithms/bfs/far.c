/* far.c - many levels in one epoch. Each rank continues with its lowest level, up to a level that all ranks share; at
 * the end of a step all levels below are final, and the next step begins at the lowest level that is left. The number
 * of levels in a step follows from the number of vertices, as the width in sssp/horizon.c does. */
#include "bfs/far.h"

/* Vertices per rank of a level that are few, and many, and levels in a row; vertices per rank that a step is to hold;
 * levels. Chosen by measurement: on grids whose levels hold 30 vertices per rank or more, an epoch for each was
 * faster. Where ranks share cores an epoch takes CROWDED times as long: switches of context, not transfers of lines. */
enum { FEW = 8, MANY = 32, CROWDED = 16, IN_A_ROW = 8, STEP = 1024, WIDTH_MAX = 1 << 20 };

bool scree__far_pays(const scree__run *run, scree__far *far, const scree__frontier *f) {
  far->times = f->total.max ? CROWDED : 1;
  far->few = f->total.sum[0] < far->times * FEW * run->worker->ranks ? far->few + 1 : 0;
  return far->few >= IN_A_ROW;
}

static scree_status prepare(scree__run *run, scree__far *far, int message) {
  if (far->ready) return SCREE_OK;
  far->ready = true;
  const bool ready = scree__reach_init(&far->reach, run, message, true, true);
  return scree__run_ready(run, ready, "a queue of levels");
}

static void contribute(scree__far *far) {
  scree__reach *r = &far->reach;
  far->next = (scree_reduce){.sum = {r->visits, r->reached_count}, .min = UINT64_MAX};
  if (r->queue.count) far->next.min = scree__levels_min(&r->queue);
}

/* Nothing to do below the limit, or enough done. */
static bool is_idle(scree__far *far, uint64_t limit, uint64_t begun) {
  return far->reach.visits - begun >= 4 * STEP || !scree__reach_any(&far->reach, limit);
}

/* What arrives in a call of scree_test is contributed before the next one: a call in which a handler ran counts as not
 * idle, so the step does not end in it. */
static scree_status step(scree__run *run, scree__far *far, uint64_t limit) {
  const uint64_t begun = far->reach.visits;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  for (bool idle = is_idle(far, limit, begun);; idle = is_idle(far, limit, begun)) {
    if (idle) contribute(far);
    if (scree__run_test_reduce(run, idle, &far->next)) break;
    if (!idle) scree__reach_work(run, &far->reach, limit);
  }
  return scree__run_ended(run);
}

/* Adapts the width. */
static void adapt(const scree__run *run, scree__far *far, uint64_t visits, uint64_t reached) {
  const uint64_t wanted = (uint64_t)STEP * run->worker->ranks, width = far->width;
  if (visits > 2 * wanted || (visits > reached + reached / 2 && visits > wanted / 4))
    far->width = width > 4 ? width / 4 : 1;
  else if (visits < wanted / 2 && width < WIDTH_MAX)
    far->width *= 2;
}

/* After a step that began at level `from`. False: nothing is left, or levels hold many vertices again, and those in the
 * queue are the next one. A vertex in a queue is at most at the highest limit so far, so that level is whole when all
 * below are done. */
static bool goes_on(const scree__run *run, scree__far *far, uint64_t from) {
  const uint64_t visits = far->next.sum[0] - far->all_visits, reached = far->next.sum[1] - far->all_reached;
  const bool done = far->next.min >= far->limit;
  far->all_visits = far->next.sum[0];
  far->all_reached = far->next.sum[1];
  if (far->next.min == UINT64_MAX || (far->leaving && done)) return false;
  far->leaving |= visits > far->times * MANY * run->worker->ranks * (far->next.min - from);
  if (far->leaving)
    far->width = 1;
  else
    adapt(run, far, visits, reached);
  return true;
}

/* What was reached has its final level; what is in the queue is the frontier. */
static uint64_t settle(scree__run *run, scree__far *far, scree__frontier *f) {
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  scree__reach *r = &far->reach;
  uint64_t arcs = 0;
  for (uint64_t i = 0; i < r->reached_count; i++) {
    arcs += scree_graph_degree(run->graph, r->reached[i]);
    scree__bit_set(f->seen, first | r->reached[i]);
  }
  for (f->count = 0; r->queue.count; f->count++) f->now[f->count] = scree__levels_take(&r->queue);
  return arcs;
}

static scree_status leave(scree__run *run, scree__far *far, scree__frontier *f, uint64_t *arcs) {
  scree_reduce all = SCREE_REDUCE_INIT;
  f->depth = far->next.min == UINT64_MAX ? f->depth : (int64_t)far->next.min;
  all.sum[1] = settle(run, far, f);
  all.sum[0] = f->count;
  far->few = 0;
  far->leaving = false;
  scree_status status = scree_graphs_reduce(run->graph->graphs, &all);
  run->work.epochs++;
  f->total = all;
  *arcs = all.sum[1];
  return status;
}

scree_status scree__far_run(scree__run *run, scree__far *far, scree__frontier *f, int message, uint64_t *arcs) {
  scree_status status = prepare(run, far, message);
  if (status) return status;
  scree__reach *r = &far->reach;
  r->final = f->seen;
  r->reached = f->next; /* free until the next level */
  r->reached_count = 0;
  far->all_reached = 0;
  far->width = IN_A_ROW;
  for (uint64_t i = 0; i < f->count; i++) scree__reach_add(run, r, f->now[i]);
  far->next.min = (uint64_t)f->depth;
  far->limit = 0;
  for (bool more = true; more && status == SCREE_OK;) {
    const uint64_t from = far->next.min, limit = from + far->width;
    if (far->limit < limit) far->limit = limit;
    status = step(run, far, limit);
    more = goes_on(run, far, from);
  }
  return status ? status : leave(run, far, f, arcs);
}

void scree__far_free(scree__far *far) {
  if (far->ready) scree__reach_free(&far->reach);
}
