/* walk.c - random walks on a graph in global memory (GMT: Morari et al. 2014, section V.C): from each of half of the
 * vertices a walk of `steps` steps, each to a random neighbour. A walk is an iteration of a loop on all workers. In
 * form 0 it waits for one word a step, the number of the neighbour, and meanwhile other walks go on; in form 1 a task
 * gathers the words of many walks. Both the graph and the walk are a function of the seed, so any rank can replay any
 * walk. */
#include "irregular/walk.h"
#include "irregular/irregular.h"

enum { GROUP = 128 /* walks: their arrays are on the stack of a task */ };

typedef struct {
  uint64_t seed;
} walk_args;
SCREE_LOOP(walks, walk_args);

typedef struct {
  scree__irregular *k;
  walks_type walks;
  scree_global graph, ends; /* neighbour i of vertex v: word v * degree + i; the last vertex of each walk */
  scree_address neighbours;
} walk;

static uint64_t neighbour(const scree__irregular_options *o, uint64_t i) {
  return scree__walk_neighbour(o->seed, i, o->vertices);
}
static uint64_t choose(uint64_t *random, uint64_t degree) {
  *random = scree__walk_next(*random);
  return scree__walk_below(*random, degree);
}

/* As many walks as GROUP go on together: one gather has the next vertices of all. */
static void run_group(scree_task *self, const walk *x, uint64_t begin, uint64_t end) {
  const scree__irregular_options *o = x->k->options;
  const uint64_t count = end - begin;
  uint64_t vertex[GROUP], random[GROUP];
  scree_address from[GROUP];
  for (uint64_t i = 0; i < count; i++) vertex[i] = 2 * (begin + i), random[i] = scree__walk_random(o->seed, begin + i);
  for (uint64_t step = 0; step < o->steps; step++) {
    for (uint64_t i = 0; i < count; i++)
      from[i] = x->neighbours + 8 * (vertex[i] * o->degree + choose(&random[i], o->degree));
    if (scree_gather(self, vertex, from, count, 8)) return;
  }
  for (uint64_t i = 0; i < count; i++) from[i] = scree_global_at(x->k->map, &x->ends, 0, 8 * (begin + i));
  scree_scatter(self, from, vertex, count, 8);
}

static void run_walks(scree_task *self, uint64_t begin, uint64_t end, const walk_args *args) {
  const walk *x = scree_task_arg(self);
  const scree__irregular_options *o = x->k->options;
  (void)args;
  if (x->k->form == 1) {
    run_group(self, x, begin, end);
    return;
  }
  for (uint64_t i = begin; i < end; i++) {
    uint64_t vertex = 2 * i, random = scree__walk_random(o->seed, i);
    for (uint64_t step = 0; step < o->steps; step++) {
      const uint64_t word = vertex * o->degree + choose(&random, o->degree);
      if (scree_get(self, &vertex, x->neighbours + 8 * word, 8)) return;
    }
    scree_put_value_nbi(scree_task_worker(self), scree_global_at(x->k->map, &x->ends, 0, 8 * i), vertex, 8);
  }
}
SCREE_LOOP_BODY(walks, walk_args, run_walks);

static bool plan(const scree__irregular_options *o, scree__irregular_plan *p, char *why, size_t size) {
  (void)why, (void)size;
  p->heap = 8 * (o->vertices * o->degree + o->vertices / 2) / p->ranks + (1 << 16);
  return true;
}

static uint64_t set(const void *state, uint64_t *word, uint64_t i) {
  return *word = neighbour(((const walk *)state)->k->options, i), 0;
}

static scree_status open(scree__irregular *k) {
  walk *x = k->state;
  x->k = k;
  scree_status status = walks_register(k->world, x, &x->walks);
  if (!status)
    status = scree__irregular_alloc(k, 8 * k->options->vertices * k->options->degree, SCREE_GLOBAL_CYCLIC, &x->graph);
  if (!status) status = scree__irregular_alloc(k, 8 * (k->options->vertices / 2), SCREE_GLOBAL_CYCLIC, &x->ends);
  if (status) return status;
  x->neighbours = scree_global_at(k->map, &x->graph, 0, 0);
  return SCREE_OK;
}

static uint64_t forget(const void *state, uint64_t *word, uint64_t i) {
  (void)state, (void)i;
  return *word = UINT64_MAX, 0;
}

static scree_status prepare(scree__irregular *k) {
  const walk *x = k->state;
  scree__irregular_words(k, &x->graph, set);
  scree__irregular_words(k, &x->ends, forget);
  return SCREE_OK;
}

static void work(scree_worker *w, void *arg) {
  const walk *x = arg;
  if (scree_begin(w)) return;
  const uint64_t count = x->k->options->vertices / 2, grain = x->k->form == 0 ? 1 : count < GROUP ? count : GROUP;
  if (w->rank == 0 && w->index == 0)
    walks_for_in(w, x->walks, NULL, SCREE_LOOP_PARTITION, 0, count, grain, (walk_args){x->k->options->seed});
  scree_end(w, NULL);
}

static scree_status run(scree__irregular *k) {
  k->items = k->options->vertices / 2 * k->options->steps;
  k->figure[0] = (double)(k->options->vertices / 2);
  return scree_run_workers(k->world, scree_worker_of(k->world, 0)->threads, work, k->state);
}

/* Replays a walk, without the graph. */
static uint64_t is_wrong(const void *state, uint64_t *word, uint64_t i) {
  const scree__irregular_options *o = ((const walk *)state)->k->options;
  uint64_t vertex = 2 * i, random = scree__walk_random(o->seed, i);
  for (uint64_t step = 0; step < o->steps; step++)
    vertex = neighbour(o, vertex * o->degree + choose(&random, o->degree));
  return *word != vertex;
}

static scree_status check(scree__irregular *k, uint64_t *wrong) {
  *wrong = scree__irregular_words(k, &((const walk *)k->state)->ends, is_wrong);
  return SCREE_OK;
}

const scree__irregular_methods scree__walk = {
    .state = sizeof(walk),
    .plan = plan,
    .open = open,
    .prepare = prepare,
    .run = run,
    .check = check,
    .wrong = "walks do not end where a serial replay ends",
};
