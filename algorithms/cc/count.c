/* count.c - the number of components and the size of the largest. Each representative receives how many vertices name it, in
 * sums: the sender keeps a small table of them, since most vertices in a row name the same few. */
#include "cc/run.h"

enum { KEPT = 256 };

typedef struct scree__cc_counter {
  uint64_t *size; /* by local vertex: those that name it */
  struct {
    uint64_t vertex, count;
  } kept[KEPT];
} counter;

/* The target is a local vertex, the value how many more name it. */
static void take(scree__run *run, const scree__cc_link *items, uint32_t count) {
  counter *c = scree__cc_of(run)->counter;
  for (uint32_t i = 0; i < count; i++) c->size[items[i].target] += scree__cc_value(&items[i]);
}

static void send(scree__run *run, uint64_t vertex, uint64_t count) {
  scree_location at = scree_graph_location(run->graph, vertex);
  scree__cc_send(run, scree_location_owner(at), (uint32_t)scree_location_local(at), count);
}

static void send_all(scree__run *run, counter *c) {
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    uint64_t vertex = scree__component(run)[u], slot = vertex % KEPT;
    if (c->kept[slot].vertex != vertex && c->kept[slot].count) {
      send(run, c->kept[slot].vertex, c->kept[slot].count);
      c->kept[slot].count = 0;
    }
    c->kept[slot].vertex = vertex;
    c->kept[slot].count++;
  }
  for (int i = 0; i < KEPT; i++)
    if (c->kept[i].count) send(run, c->kept[i].vertex, c->kept[i].count);
}

static scree_status gather(scree__run *run, counter *c, scree_reduce *sums) {
  scree__cc_of(run)->counter = c;
  scree__cc_of(run)->take_links = take;
  scree_status status = scree_begin(run->worker);
  if (status) return status;
  send_all(run, c);
  status = scree_end(run->worker, NULL);
  for (uint64_t u = 0; u < run->graph->locals; u++) {
    sums->sum[0] += c->size[u] > 0;
    if (c->size[u] > sums->max) sums->max = c->size[u];
  }
  return status ? status : scree_graphs_reduce(run->graph->graphs, sums);
}

scree_status scree__cc_count(scree__run *run, uint64_t *components, uint64_t *largest) {
  counter c = {.size = scree__run_alloc(run, ((size_t)run->graph->locals + 1) * sizeof *c.size)};
  scree_reduce sums = {{0, 0}, UINT64_MAX, 0};
  scree_status status =
      scree_graphs_agree(run->graph->graphs, c.size ? SCREE_OK : SCREE_ENOMEM,
                         "rank %u: no memory to count components; use more ranks", scree_graph_rank(run->graph));
  if (status == SCREE_OK) status = gather(run, &c, &sums);
  *components = sums.sum[0];
  *largest = sums.max;
  return status;
}
