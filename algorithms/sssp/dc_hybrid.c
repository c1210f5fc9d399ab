/* dc_hybrid.c - SSSP by Distributed Control on all workers of each rank: they share the distances, and each has a queue
 * of its own (Firoz et al. 2015, Algorithm 1).
 *
 * A distance is lowered by compare-and-swap. So each value of a vertex but the first was set by one worker, and that
 * one notes the value and its parent in arrays of its own, which no other worker accesses until the epoch is over.
 * Hence no parent ever belongs to a wrong distance, although the two are stored apart: after the epoch the parent is
 * that of the worker whose note is the final distance. The note also determines which worker relaxes a vertex: the
 * worker whose note is the distance. A worker that finds a lower distance at a vertex of its queue skips it, because
 * the worker that set that distance has it too.
 *
 * A progress thread (option progress=full) has no queue and no note, because it only runs handlers. It lowers distances
 * too, so a relaxation that does not improve costs the workers nothing; one that does is passed to a worker of its
 * rank, as a message with the vertex, the distance and the parent. That worker notes it, unless the distance is lower
 * by then: the worker that set the lower one has it. So a value is set by one thread and noted by one worker, at most,
 * as without a progress thread.
 *
 * No order between vertices is needed, so all accesses are relaxed. A worker reads a distance only to offer it with an
 * arc added, so whatever an offer depends on came before it; parents make no cycle, with weights of 0 either. */
#include <atomic_ops.h>

#include "queue/double_bits.h"
#include "sssp/ahead.h"
#include "sssp/variants.h"

enum { FEW = 64 }; /* vertices in a queue that are not worth sharing */

/* The state of one worker; that of the progress thread has only a taker. */
typedef struct {
  __attribute__((aligned(64))) AO_t waiting; /* vertices in its queue, as published to the others */
  __attribute__((aligned(64))) scree__queue *queue;
  double *note;     /* of local vertices: the last distance that this worker set; INFINITY: none */
  uint64_t *parent; /* that came with it; of worker 0 this is the answer */
  scree__ahead ahead;
  uint32_t taker; /* worker that applies what this one offers to vertices of its rank, or that notes what it lowered */
} control;

/* A distance that a progress thread has set. */
typedef struct {
  double distance;
  uint64_t parent;
  uint32_t target; /* local index */
} lowered_item;
SCREE_MESSAGE(lowered, lowered_item);
/* To workers, so not by routes. */
SCREE_MESSAGE(offered, scree__relax_item);

typedef struct {
  uint32_t workers;
  uint64_t frequency;
  scree__run *runs; /* of each worker */
  scree_status *status;
  control of[]; /* each worker; then the progress thread, if there is one */
} team;

static control *control_of(const scree__run *run) {
  return &((team *)run->own)->of[run->worker->index];
}

/* While workers run, the array of distances holds their bits, which are read and written as integers alone. */
static AO_t *shared_distance(const scree__run *run, uint64_t v) {
  return (AO_t *)run->result[0] + v;
}

/* Bits of distances are in the order of the values. Returns those that were replaced, or else the lower or equal
 * ones. */
static AO_t lower(AO_t *at, AO_t bits) {
  AO_t old = AO_load(at);
  while (bits < old) {
    const AO_t found = AO_fetch_compare_and_swap(at, old, bits);
    if (found == old) break;
    old = found;
  }
  return old;
}

/* This worker has set the distance of local v. The queue reads the note of a vertex that is in it. */
static void improved(control *c, uint32_t v, double distance, uint64_t parent) {
  c->note[v] = distance;
  c->parent[v] = parent;
  c->queue->kind->push(c->queue, v, distance);
}

static void hand_over(const scree__run *run, const control *c, uint32_t v, double distance, uint64_t parent) {
  const lowered_type type = {run->types[2]};
  lowered_send(run->worker, type, scree_worker_number(run->worker, run->worker->rank, c->taker),
               (lowered_item){distance, parent, v});
}

static void apply(scree__run *run, control *c, uint32_t v, double distance, scree_location parent) {
  const AO_t bits = scree__bits_of(distance), old = lower(shared_distance(run, v), bits);
  if (bits >= old) {
    run->work.rejected++;
    return;
  }
  if (old < scree__bits_of(INFINITY))
    run->work.superseded++;
  else
    run->work.useful++;
  if (c->queue)
    improved(c, v, distance, scree_graph_vertex(run->graph, parent));
  else
    hand_over(run, c, v, distance, scree_graph_vertex(run->graph, parent));
}

/* A progress thread passes what it lowers to the worker with the fewest vertices; if several have as few, to the next
 * one of them, because their counts are published late. */
static void choose_receiver(const team *t, control *c) {
  const uint32_t last = c->taker;
  AO_t min = (AO_t)-1;
  for (uint32_t i = 1; i <= t->workers; i++) {
    const uint32_t w = (last + i) % t->workers;
    const AO_t waiting = AO_load(&t->of[w].waiting);
    if (waiting < min) c->taker = w, min = waiting;
  }
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  enum { AHEAD = 16 };
  const scree__relax_item *item = items;
  control *c = control_of(run);
  uint32_t *bound = scree__sssp_of(run)->bound;
  const uint64_t first = (uint64_t)run->worker->rank << run->graph->local_bits;
  if (!c->queue) choose_receiver(run->own, c);
  for (uint32_t i = 0; i < count; i++) {
    if (i + AHEAD < count) {
      scree_prefetch_write(&scree__distance(run)[item[i + AHEAD].target]);
      if (c->note) scree_prefetch_write(&c->note[item[i + AHEAD].target]);
    }
    apply(run, c, item[i].target, item[i].distance, scree_location_make(sender, item[i].parent));
    if (bound) scree__bound_lower(&bound[first | item[i].target], item[i].distance, SCREE__SHARED_BOUNDS);
  }
}

/* What a progress thread has set is noted here, unless it is superseded. */
static void take_lowered(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const lowered_item *item = items;
  control *c = control_of(run);
  (void)sender;
  for (uint32_t i = 0; i < count; i++)
    if (AO_load(shared_distance(run, item[i].target)) == scree__bits_of(item[i].distance))
      improved(c, item[i].target, item[i].distance, item[i].parent);
}

/* What needs no message is applied here, or passed to the taker. */
static inline bool send(scree__run *run, uint32_t rank, uint32_t target, uint32_t parent, double distance) {
  control *c = control_of(run);
  const uint32_t own = run->worker->rank;
  if (rank != own || !scree__sssp_of(run)->apply) return scree__send_plain(run, rank, target, parent, distance);
  if (c->taker == run->worker->index) {
    run->work.direct++;
    apply(run, c, target, distance, scree_location_make(own, parent));
    return false;
  }
  const offered_type type = {run->types[1]};
  offered_send(run->worker, type, scree_worker_number(run->worker, own, c->taker),
               (scree__relax_item){distance, target, parent});
  return true;
}

/* The taker is this worker itself, but for one with less than a quarter of its vertices. Counts may be old. */
static void choose_taker(scree__run *run, team *t, control *c) {
  const AO_t count = c->queue->count;
  uint32_t taker = run->worker->index;
  AO_t min = count < FEW ? 0 : count / 4;
  if (AO_load(&c->waiting) != count) AO_store(&c->waiting, count);
  for (uint32_t w = 0; w < t->workers; w++) {
    const AO_t waiting = AO_load(&t->of[w].waiting);
    if (waiting < min) taker = w, min = waiting;
  }
  c->taker = taker;
}

static void relax(scree__run *run, control *c, uint32_t v) {
  const double from = c->note[v];
  if (AO_load(shared_distance(run, v)) != scree__bits_of(from)) return;
  scree__row row = scree__row_of(run->graph, v);
  scree__relax_from(run, v, from, &row, SCREE__ARRAYS, SCREE__SHARED_BOUNDS, NULL, send);
}

static void work(scree__run *run, team *t, control *c) {
  uint64_t begun = scree__work_begin(run);
  for (uint64_t i = 0; i < t->frequency; i++) {
    scree__ahead_fill(&c->ahead, run, c->queue);
    if (!c->ahead.held) break;
    relax(run, c, scree__ahead_take(&c->ahead));
  }
  scree__work_end(run, begun);
  if (run->worker->index == 0) scree__run_watch_often(run);
}

static bool is_idle(const control *c) {
  return !c->ahead.held && !c->queue->count;
}

/* Distances and parents of this worker's share of the vertices. The epoch is over, so what other workers noted may be
 * read. */
static void find_answer(const scree__run *run, const team *t) {
  const uint64_t n = run->graph->locals, begin = n * run->worker->index / t->workers;
  const uint64_t end = n * (run->worker->index + 1) / t->workers;
  double *distance = scree__distance(run);
  uint64_t *parent = scree__parent(run);
  for (uint64_t v = begin; v < end; v++) distance[v] = scree__real_of(AO_load(shared_distance(run, v)));
  for (uint32_t w = 1; w < t->workers; w++) {
    const control *c = &t->of[w];
    for (uint64_t v = begin; v < end; v++)
      if (c->note[v] < INFINITY && c->note[v] == distance[v]) parent[v] = c->parent[v];
  }
}

/* Each worker runs this. */
static void search(scree_worker *worker, void *arg) {
  team *t = ((scree__run *)arg)->own;
  scree__run *run = &t->runs[worker->index];
  control *c = control_of(run);
  scree_status status = scree_begin(worker);
  if (status == SCREE_OK) {
    while (!scree__run_test(run, is_idle(c))) {
      choose_taker(run, t, c);
      if (!is_idle(c)) work(run, t, c);
    }
    run->work.epochs++;
    status = scree__run_status(run);
  }
  if (status == SCREE_OK) find_answer(run, t);
  t->status[worker->index] = status;
}

static scree_status solve(scree__run *run) {
  team *t = run->own;
  if (run->has_source) improved(&t->of[0], run->source, 0, scree__parent(run)[run->source]);
  scree_status status = scree_run_workers(scree_world_of(run->worker), t->workers, search, run);
  scree__run_add_workers(run);
  return status ? status : t->status[0];
}

static bool make_control(control *c, const scree__run *run, uint32_t worker) {
  const scree_graph *g = run->graph;
  const scree_sssp_options *o = run->options;
  const size_t bytes = (size_t)(g->locals + 1) * sizeof(uint64_t);
  c->note = scree__run_alloc(run, bytes);
  c->parent = worker ? scree__run_alloc(run, bytes) : scree__parent(run);
  if (!c->note) return false;
  for (uint64_t v = 0; v < g->locals; v++) c->note[v] = INFINITY;
  c->queue = scree__sssp_queues[o->queue]->make(g, c->note);
  return c->queue != NULL;
}

static bool init(team *t, scree__run *run) {
  t->workers = run->worker->threads;
  t->frequency = ((const scree_sssp_options *)run->options)->frequency;
  t->runs = run;
  t->status = scree__run_alloc(run, t->workers * sizeof *t->status);
  bool ready = true;
  for (uint64_t v = 0; run->result[0] && v < run->graph->locals; v++)
    AO_store(shared_distance(run, v), scree__bits_of(scree__distance(run)[v]));
  for (uint32_t w = 0; w < t->workers; w++) ready = ready && make_control(&t->of[w], run, w);
  return ready;
}

static scree_status setup(scree__run *run) {
  const uint32_t runs = scree__run_endpoints(run);
  team *t = scree__run_alloc(run, sizeof *t + runs * sizeof(control));
  for (uint32_t w = 0; w < runs; w++) run[w].own = t;
  return scree__run_ready(run, t && init(t, run), "queues of its workers");
}

static void teardown(scree__run *run) {
  team *t = run->own;
  for (uint32_t w = 0; t && w < t->workers; w++)
    if (t->of[w].queue) t->of[w].queue->kind->free(t->of[w].queue);
}

static const scree_kernel_option options[] = {SCREE__SSSP_QUEUE, SCREE__SSSP_FREQUENCY,
                                              SCREE__NO_PRUNING(scree_sssp_options), SCREE__OPTIONS_END};

const scree__variant scree__sssp_dc_hybrid = {
    .about = {"dc-hybrid", "dc by all workers of a rank (threads) as published, for comparisons"},
    .options = options,
    .workers = true,
    .progress = true,
    .memory = {.worker = 36}, /* the first worker has 8 less: its parents are the answer */
    .messages = {{"sssp.dc_hybrid", sizeof(scree__relax_item), take, NULL},
                 {"sssp.dc_hybrid.taker", sizeof(scree__relax_item), take, NULL},
                 {"sssp.dc_hybrid.lowered", sizeof(lowered_item), take_lowered, NULL}},
    .flags = {0, SCREE_TO_WORKER, SCREE_TO_WORKER},
    .setup = setup,
    .solve = solve,
    .teardown = teardown,
};
