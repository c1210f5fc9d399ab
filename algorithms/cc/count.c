/* count.c - the number of components and the size of the largest. Each representative receives how many vertices name
 * it, in sums: the sender keeps a small table of them, since most vertices in a row name the same few. */
#include "cc/run.h"

enum { KEPT = 256 };

typedef struct scree__cc_counter {
  uint64_t *names, *before; /* bits of local vertices that name themselves; by word: how many come before its own */
  uint64_t *size;           /* of each of these: those that name it */
  scree_reduce sums;
  struct {
    uint64_t vertex, count;
  } kept[KEPT];
} counter;

static void add(counter *c, uint64_t local, uint64_t count) {
  const uint64_t below = c->names[local / 64] & ((UINT64_C(1) << local % 64) - 1);
  uint64_t *size = &c->size[c->before[local / 64] + (uint64_t)__builtin_popcountll(below)];
  c->sums.sum[0] += !*size;
  *size += count;
  if (*size > c->sums.max) c->sums.max = *size;
}

/* A vertex without arcs, of an undirected graph, is a component, and needs no size. False: no memory. */
static bool find_names(const scree__run *run, counter *c) {
  const scree_graph *g = run->graph;
  const uint64_t words = g->locals / 64 + 1;
  uint64_t count = 0;
  c->names = scree__run_alloc(run, (size_t)words * sizeof *c->names);
  c->before = scree__run_alloc(run, (size_t)words * sizeof *c->before);
  if (!c->names || !c->before) return false;
  for (uint64_t u = 0; u < g->locals; u++) {
    if (u % 64 == 0) c->before[u / 64] = count;
    if (!g->directed && !scree_graph_degree(g, u)) continue;
    const bool named = scree__component(run)[u] == scree_distribution_global(&g->vertices, scree_graph_rank(g), u);
    c->names[u / 64] |= (uint64_t)named << u % 64;
    count += named;
  }
  c->size = scree__run_alloc(run, ((size_t)count + 1) * sizeof *c->size);
  return c->size;
}

/* The target is a local vertex, the value how many more name it. */
static void take(scree__run *run, const scree__cc_link *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) add(scree__cc_of(run)->counter, items[i].target, scree__cc_value(&items[i]));
}

static void send(scree__run *run, counter *c, uint64_t slot) {
  if (!c->kept[slot].count) return;
  scree_location at = scree_graph_location(run->graph, c->kept[slot].vertex);
  if (scree_location_owner(at) == scree_graph_rank(run->graph))
    add(c, scree_location_local(at), c->kept[slot].count);
  else
    scree__cc_send(run, scree_location_owner(at), (uint32_t)scree_location_local(at), c->kept[slot].count);
  c->kept[slot].count = 0;
}

static void keep(scree__run *run, counter *c, uint64_t vertex, uint64_t count) {
  const uint64_t slot = vertex % KEPT;
  if (c->kept[slot].vertex != vertex) send(run, c, slot);
  c->kept[slot].vertex = vertex;
  c->kept[slot].count += count;
}

/* Those in a row that name the same vertex are counted together. */
static void send_all(scree__run *run, counter *c) {
  const scree_graph *g = run->graph;
  uint64_t alone = 0, last = SCREE_NO_VERTEX, same = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t vertex = scree__component(run)[u];
    if (vertex == last) {
      same++;
    } else if (!g->directed && !scree_graph_degree(g, u)) {
      alone++;
    } else {
      keep(run, c, last, same);
      last = vertex;
      same = 1;
    }
  }
  keep(run, c, last, same);
  for (uint64_t slot = 0; slot < KEPT; slot++) send(run, c, slot);
  c->sums.sum[0] += alone;
  if (alone && !c->sums.max) c->sums.max = 1;
}

static scree_status gather(scree__run *run, counter *c) {
  scree__cc_of(run)->counter = c;
  scree__cc_of(run)->take_links = take;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  send_all(run, c);
  status = scree_end(run->worker, NULL);
  return status ? status : scree_graphs_reduce(run->graph->graphs, &c->sums);
}

scree_status scree__cc_count(scree__run *run, uint64_t *components, uint64_t *largest) {
  counter c = {.sums = {.min = UINT64_MAX}};
  scree_status status =
      scree_graphs_agree(run->graph->graphs, find_names(run, &c) ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory to count components; use more ranks", scree_graph_rank(run->graph));
  if (status == SCREE_OK) status = gather(run, &c);
  *components = c.sums.sum[0];
  *largest = c.sums.max;
  return status;
}
