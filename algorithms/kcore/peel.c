/* peel.c - cores by peeling: in each level k the vertices with at most k remaining neighbours are removed, and what
 * that leaves with k of them, in one epoch (Matula & Beck, J. ACM 30, 1983). A vertex that is removed lowers the bounds
 * of its neighbours, by a message where another worker has them. The bound of a removed vertex stays at the level,
 * which is its coreness.
 *
 * Half of the arcs lead to vertices that are removed already: a bitmap of the node says so. A bit that is read too
 * early costs a message. The bounds themselves would be slower to read: their lines are written too often. */
#include "kcore/run.h"
#include "kernel/bits.h"

enum {
  AHEAD = 4,   /* removed vertices: between prefetching a row and examining it */
  TURN = 64,   /* between two polls */
  PIECE = 256, /* arcs of a row that are sorted out without branches: most would be mispredicted */
};

typedef struct {
  uint32_t target; /* local index on the receiver */
} lower_item;
SCREE_MESSAGE_ROUTED(lower, lower_item);

/* The vertices of a worker: each is in `queue` once. */
typedef struct {
  __attribute__((aligned(64))) uint64_t first, count; /* local */
  uint32_t *queue, *rest;                             /* removed vertices; those that remained at the end of a level */
  uint64_t head, tail, left;
  uint64_t level;
  scree_reduce next; /* min: no remaining vertex has a lower bound */
  scree_status status;
} part;

typedef struct {
  scree__run *runs; /* of each worker */
  AO_t *removed;    /* by packed location */
  scree__node_bits bits;
  uint32_t *bound; /* by local vertex: at first the degree without loops */
  uint64_t share;  /* vertices of a worker, of the last one of a rank perhaps less */
  uint32_t workers;
  part parts[];
} peel;

static inline void remove_vertex(const scree__run *run, const peel *all, part *p, uint32_t v) {
  const uint64_t location = (uint64_t)run->worker->rank << run->graph->local_bits | v;
  scree__node_bit_set(&all->bits, all->removed, location);
  p->queue[p->tail++] = v;
}

static inline void lower_bound(const scree__run *run, const peel *all, part *p, uint32_t v) {
  const uint32_t bound = all->bound[v];
  if (bound <= p->level) return;
  all->bound[v] = bound - 1;
  if (bound - 1 == p->level)
    remove_vertex(run, all, p, v);
  else if (bound - 1 < p->next.min)
    p->next.min = bound - 1;
}

static void take(scree__run *run, uint32_t sender, const void *items, uint32_t count) {
  const lower_item *item = items;
  const peel *all = run->own;
  part *p = &((peel *)run->own)->parts[run->worker->index];
  (void)sender;
  for (uint32_t i = 0; i < count; i++) lower_bound(run, all, p, item[i].target);
}

typedef struct {
  uint32_t own[PIECE];
  uint64_t far[PIECE];
  uint32_t owns, fars;
} piece;

/* The arcs from..to that lead to vertices which are not removed; `wide` is a constant. */
static inline __attribute__((always_inline)) void sort_out(const scree__run *run, const part *p, uint64_t from,
                                                           uint64_t to, bool wide, piece *out) {
  const scree_graph *g = run->graph;
  const AO_t *removed = ((const peel *)run->own)->removed;
  const uint64_t first = ((uint64_t)run->worker->rank << g->local_bits) + p->first;
  uint32_t owns = 0, fars = 0;
  for (uint64_t e = from; e < to; e++) {
    const uint64_t head = scree__head_get(g->targets, wide, e);
    const bool remains = !scree__node_bit(removed, head), own = head - first < p->count;
    out->own[owns] = (uint32_t)(head - first + p->first);
    out->far[fars] = head;
    owns += remains & own;
    fars += remains & !own;
  }
  out->owns = owns;
  out->fars = fars;
}

static void lower_neighbours(scree__run *run, part *p, uint32_t u) {
  const scree_graph *g = run->graph;
  const peel *all = run->own;
  const lower_type type = {run->types[0]};
  const uint64_t mask = (UINT64_C(1) << g->local_bits) - 1, end = g->offsets[u + 1];
  piece out;
  for (uint64_t e = g->offsets[u]; e < end; e += PIECE) {
    const uint64_t to = end - e < PIECE ? end : e + PIECE;
    g->wide ? sort_out(run, p, e, to, true, &out) : sort_out(run, p, e, to, false, &out);
    for (uint32_t i = out.owns; i-- > 0;) lower_bound(run, all, p, out.own[i]);
    for (uint32_t i = 0; i < out.fars; i++) {
      const uint32_t owner = (uint32_t)(out.far[i] >> g->local_bits), local = (uint32_t)(out.far[i] & mask);
      const uint32_t worker = all->workers == 1 ? owner : owner * all->workers + (uint32_t)(local / all->share);
      lower_send(run->worker, type, worker, (lower_item){local});
    }
    run->work.messages += out.fars;
  }
}

static void prefetch(const scree_graph *g, const part *p) {
  if (p->tail > 2 * AHEAD) __builtin_prefetch(&g->offsets[p->queue[p->tail - 2 * AHEAD]]);
  if (p->tail > AHEAD)
    __builtin_prefetch((const char *)g->targets + g->offsets[p->queue[p->tail - AHEAD]] * scree__head_bytes(g->wide));
}

static void work(scree__run *run, part *p) {
  const scree_graph *g = run->graph;
  const uint64_t begun = scree__work_begin(run);
  for (int i = 0; i < TURN && p->tail; i++) {
    prefetch(g, p);
    const uint32_t u = p->queue[--p->tail];
    lower_neighbours(run, p, u);
    run->work.edges += scree_graph_degree(g, u);
  }
  scree__work_end(run, begun);
}

/* Those that have the bound of this level are removed, those that an earlier level removed are forgotten. */
static void remove_first(const scree__run *run, const peel *all, part *p) {
  uint64_t kept = 0;
  p->next = (scree_reduce)SCREE_REDUCE_INIT;
  for (uint64_t i = 0; i < p->left; i++) {
    const uint32_t v = p->rest[i], bound = all->bound[v];
    if (bound == p->level) remove_vertex(run, all, p, v);
    p->rest[kept] = v;
    kept += bound > p->level;
    if (bound > p->level && bound < p->next.min) p->next.min = bound;
  }
  p->left = kept;
}

/* The next level is the lowest bound that a remaining vertex had in this one: one may be empty. */
static scree_status levels(scree__run *run, part *p) {
  scree_status status = SCREE_OK;
  for (; p->level != UINT64_MAX && status == SCREE_OK; p->level = p->next.min) {
    remove_first(run, run->own, p);
    status = scree_begin(run->worker);
    if (status) break;
    while (!scree__run_test_reduce(run, p->tail == 0, &p->next)) work(run, p);
    run->work.epochs++;
    if (run->worker->index == 0) scree__run_watch(run);
    status = scree__run_status(run);
  }
  return status;
}

/* Each worker runs this. */
static void run_worker(scree_worker *worker, void *arg) {
  peel *all = ((scree__run *)arg)->own;
  scree__run *run = &all->runs[worker->index];
  part *p = &all->parts[worker->index];
  uint64_t *coreness = run->result[0];
  for (uint64_t u = p->first; u < p->first + p->count; u++) {
    all->bound[u] = (uint32_t)scree__degree_without_loops(run->graph, u);
    p->rest[p->left++] = (uint32_t)u;
  }
  p->status = levels(run, p);
  for (uint64_t u = p->first; u < p->first + p->count; u++) coreness[u] = all->bound[u];
}

static scree_status solve(scree__run *run) {
  peel *all = run->own;
  const scree_status status = scree_run_workers(scree_world_of(run->worker), all->workers, run_worker, run);
  scree__run_add_workers(run);
  return status ? status : all->parts[0].status;
}

static scree_status setup(scree__run *run) {
  const uint32_t workers = run->worker->threads;
  const uint64_t n = run->graph->locals, most = scree_distribution_count(&run->graph->vertices, 0);
  peel *all = scree__run_alloc(run, sizeof *all + workers * sizeof(part));
  uint32_t *tables = scree__run_alloc(run, 3 * (n + 1) * sizeof *tables), *rest = tables + n;
  for (uint32_t w = 0; w < workers; w++) run[w].own = all;
  scree_status status = scree__run_ready(run, true, "the order of removal");
  if (status) return status;
  *all = (peel){.runs = run, .workers = workers, .share = (most + workers - 1) / workers + (most == 0)};
  all->bound = tables + 2 * n;
  status = scree__node_bits_open(run, 1, &all->removed, &all->bits);
  all->bits.apart = all->bits.apart && workers == 1;
  for (uint32_t w = 0; w < workers; w++) {
    const uint64_t first = w * all->share < n ? w * all->share : n, left = n - first;
    const uint64_t count = left < all->share ? left : all->share;
    all->parts[w] = (part){.first = first, .count = count, .queue = tables + first, .rest = rest + first};
  }
  return status;
}

const scree__variant scree__kcore_peel = {
    .about = {"peel", "peeling level by level, by all workers of each rank (option threads)"},
    .workers = true,
    .tuned = true,
    .messages = {{"kcore.peel", sizeof(lower_item), take, NULL}},
    .flags = {SCREE_TO_WORKER},
    .setup = setup,
    .solve = solve,
    .memory = {.local = 12, .node_bits = 1},
};
