/* delta.c - SSSP by Delta-stepping. Bucket i holds the vertices with i * delta <= distance < (i + 1) * delta. All ranks
 * empty one bucket in an epoch over the light arcs, which may refill it, then relax the heavy arcs of what it held in a
 * second epoch, whose end finds the lowest bucket that holds a vertex on any rank (Firoz et al. 2015, Algorithm 2;
 * Meyer & Sanders 2003). Rows are sorted by weight, so light arcs are a prefix and no arc is examined twice.
 *
 * Rounding does no harm: a sum may fall into the current bucket again, which is then the next one again. */
#include "sssp/delta.h"

#include "sssp/tasks.h"

enum { POPS = 32 }; /* vertices between two polls for messages */

static void improved(scree__run *run, uint32_t v, double distance) {
  scree__steps *s = run->own;
  uint64_t b = (uint64_t)(distance / s->delta);
  scree__buckets_put(&s->buckets, v, b);
  if (b < s->next.min) s->next.min = b;
}

void scree__delta_take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  scree__relax_batch(run, sender, items, count, improved);
}

static scree__row row_of(const scree_graph *g, const scree__steps *s, uint64_t begin, uint64_t end) {
  if (s->rows->heads) return (scree__row){g->targets, g->weights, begin, end};
  return (scree__row){s->rows->arcs ? (const void *)s->rows->arcs : s->rows->long_arcs, NULL, begin, end};
}

static scree__row light_row(const scree__run *run, const scree__steps *s, uint32_t v) {
  uint64_t begin = run->graph->offsets[v];
  return row_of(run->graph, s, begin, begin + s->light[v]);
}

static scree__row heavy_row(const scree__run *run, const scree__steps *s, uint32_t v) {
  const uint64_t *offsets = run->graph->offsets;
  return row_of(run->graph, s, offsets[v] + s->light[v], offsets[v + 1]);
}

static void relax(scree__run *run, const scree__steps *s, uint32_t v, const scree__row *row) {
  if (s->tasks && s->rows->heads)
    scree__relax_row(run, v, row, SCREE__ARRAYS, improved, scree__send_task);
  else if (s->tasks)
    scree__relax_row(run, v, row, SCREE__PAIRS, improved, scree__send_task);
  else if (s->rows->heads)
    scree__relax_row(run, v, row, SCREE__ARRAYS, improved, scree__send_plain);
  else
    scree__relax_row(run, v, row, SCREE__PAIRS, improved, scree__send_plain);
}

static void prefetch_next(const scree__run *run, const scree__steps *s, uint64_t b) {
  uint32_t v = scree__buckets_head(&s->buckets, b);
  if (v == SCREE__NO_VERTEX32) return;
  scree__row row = light_row(run, s, v);
  scree__row_prefetch(run->graph, &row, s->rows->heads ? SCREE__ARRAYS : SCREE__PAIRS);
}

static void work_light(scree__run *run, scree__steps *s, uint64_t b) {
  uint64_t begun = scree__work_begin(run);
  uint32_t v;
  for (int i = 0; i < POPS && (v = scree__buckets_head(&s->buckets, b)) != SCREE__NO_VERTEX32; i++) {
    scree__row row = light_row(run, s, v);
    scree__buckets_settle(&s->buckets, v);
    prefetch_next(run, s, b);
    relax(run, s, v, &row);
  }
  scree__work_end(run, begun);
}

static scree_status light(scree__run *run, scree__steps *s, uint64_t b) {
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  while (!scree__run_test(run, scree__buckets_head(&s->buckets, b) == SCREE__NO_VERTEX32)) {
    work_light(run, s, b);
  }
  return scree__run_ended(run);
}

static void work_heavy(scree__run *run, scree__steps *s) {
  uint64_t begun = scree__work_begin(run);
  for (uint32_t v; (v = scree__buckets_settled(&s->buckets)) != SCREE__NO_VERTEX32;) {
    scree__row row = heavy_row(run, s, v);
    relax(run, s, v, &row);
  }
  scree__work_end(run, begun);
}

/* *next: the lowest bucket in use on any rank, UINT64_MAX if none is. */
static scree_status heavy(scree__run *run, scree__steps *s, uint64_t b, uint64_t *next) {
  s->next = (scree_reduce){.min = scree__buckets_first(&s->buckets, b)};
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  work_heavy(run, s);
  status = scree__run_end(run, &s->next);
  *next = s->next.min;
  return status;
}

scree_status scree__delta_solve(scree__run *run) {
  scree__steps *s = run->own;
  if (run->has_source) scree__buckets_put(&s->buckets, run->source, 0);
  scree_status status = SCREE_OK;
  for (uint64_t b = 0; b != UINT64_MAX && status == SCREE_OK;) {
    status = light(run, s, b);
    if (status == SCREE_OK) status = heavy(run, s, b, &b);
    scree__run_watch(run);
  }
  return status;
}

/* The first arc of each row that is heavy. A row of 2^32 arcs and more is taken to have no light ones beyond. */
static void find_light(const scree_graph *g, scree__steps *s) {
  const scree__weight_layout kind = scree__weight_layout_of(g, s->rows);
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t low = g->offsets[u], high = g->offsets[u + 1];
    if (high - low > UINT32_MAX) high = low + UINT32_MAX;
    while (low < high) {
      uint64_t middle = low + (high - low) / 2;
      if (scree__sorted_weight(s->rows, kind, middle) <= s->delta)
        low = middle + 1;
      else
        high = middle;
    }
    s->light[u] = (uint32_t)(low - g->offsets[u]);
  }
}

scree_status scree__delta_setup(scree__run *run) {
  const scree_graph *g = run->graph;
  scree__steps *s = run->own;
  uint64_t span = 0;
  scree_status status = scree__choose_delta(run, &span);
  if (status) return status;
  bool ready = scree__buckets_init(&s->buckets, g, span);
  s->light = scree__run_alloc(run, (size_t)(g->locals + 1) * sizeof *s->light);
  status = scree__run_ready(run, ready, "buckets");
  if (status == SCREE_OK) status = scree__weight_sorted_of(g, &s->rows);
  if (status) return status;
  s->delta = scree__sssp_of(run)->delta;
  find_light(g, s);
  return SCREE_OK;
}

void scree__delta_teardown(scree__run *run) {
  scree__buckets_free(&((scree__steps *)run->own)->buckets);
}

static const scree_kernel_option options[] = {SCREE__SSSP_DELTA, SCREE__NO_PRUNING(scree_sssp_options),
                                              SCREE__OPTIONS_END};

static scree_status setup_tasks(scree__run *run) {
  const scree_status status = scree__delta_setup(run);
  ((scree__steps *)run->own)->tasks = true;
  return status ? status : scree__sssp_tasks_open(run, scree__delta_take);
}

const scree__variant scree__sssp_delta_tasks = {
    .about = {"delta-tasks", "delta, where each relaxation is a task"},
    .options = options,
    .own = sizeof(scree__steps),
    .setup = setup_tasks,
    .solve = scree__delta_solve,
    .teardown = scree__delta_teardown,
    .memory = {.local = 16, .orderings = SCREE__ROWS},
};

const scree__variant scree__sssp_delta = {
    .about = {"delta", "Delta-stepping: buckets of --delta; emptied in order by all ranks together"},
    .options = options,
    .tuned = true,
    .messages = {{"sssp.delta", sizeof(scree__relax_item), scree__delta_take, NULL}},
    .own = sizeof(scree__steps),
    .setup = scree__delta_setup,
    .solve = scree__delta_solve,
    .teardown = scree__delta_teardown,
    .memory = {.local = 16, .orderings = SCREE__ROWS},
};
