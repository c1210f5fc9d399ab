/* components.c - connected components by label propagation: a user's algorithm on a graph of scree.
 *
 * Each vertex starts with its own number as its label and sends it to its neighbours. A vertex that receives a smaller
 * label adopts it and sends it on. At the end all vertices of a component have the number of its smallest vertex.
 * Usage: mpirun -n 2 components GRAPH, where GRAPH is an edge list, read as undirected, or a generator (kron:SCALE). */
#include <scree/addressed.h>
#include <scree/graph.h>
#include <stdlib.h>

typedef struct {
  uint32_t vertex;    /* local index on the receiver */
  uint32_t low, high; /* the label */
} update;
SCREE_MESSAGE(update, update);

/* Updates are sent by arc: to the owner of its target, with the target's local index. */
static inline scree_location last_target(const scree_graph *g) {
  return scree_distribution_last(&g->vertices);
}
SCREE_ADDRESSED_BY(update, update, vertex, scree_graph, scree_graph_target, last_target);

typedef struct {
  uint64_t *label; /* by local vertex */
  uint32_t *queue; /* vertices whose label has yet to be sent, the oldest first: a ring of `size` entries */
  bool *queued;    /* by local vertex: it is in the queue */
  uint64_t size, first, count;
} state;

static void lower(state *s, uint32_t u, uint64_t label) {
  if (label >= s->label[u]) return;
  s->label[u] = label;
  if (!s->queued[u]) s->queue[(s->first + s->count++) % s->size] = u;
  s->queued[u] = true;
}

static void on_update(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) lower(arg, items[i].vertex, (uint64_t)items[i].high << 32 | items[i].low);
}
SCREE_HANDLER(update, update, on_update);

/* Copies the label before the first send, because each send may run handlers. */
static void send_to_neighbours(scree_worker *w, update_type type, update_map arcs, const scree_graph *g, state *s) {
  if (s->count == 0) return;
  uint32_t u = s->queue[s->first];
  uint64_t label = s->label[u];
  s->first = (s->first + 1) % s->size;
  s->count--;
  s->queued[u] = false;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
    update_send_to(w, type, arcs, e, (update){.low = (uint32_t)label, .high = (uint32_t)(label >> 32)});
}

int main(int argc, char **argv) {
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *g;
  update_type type;
  update_map arcs;
  state s = {0};
  const scree_graph_options how = {.direction = SCREE_UNDIRECTED, .weights = SCREE_WEIGHTS_DROP};
  if (scree_open(NULL, &world) || scree_graphs_open(world, &graphs) || update_register(world, &s, &type)) return 1;
  if (scree_graph_load(graphs, argc > 1 ? argv[1] : "kron:10,2", &how, &g)) {
    fprintf(stderr, "%s\n", scree_graphs_error(graphs));
    return 1;
  }
  if (update_address(world, type, g, &arcs)) {
    fprintf(stderr, "%s\n", scree_error_text(world));
    return 1;
  }
  s.size = g->locals + 1;
  s.label = malloc(s.size * sizeof *s.label);
  s.queue = malloc(s.size * sizeof *s.queue);
  s.queued = calloc(s.size, sizeof *s.queued);
  if (!s.label || !s.queue || !s.queued) return 1;
  scree_worker *w = scree_worker_of(world, 0);
  for (uint32_t u = 0; u < g->locals; u++) {
    s.label[u] = SCREE_NO_VERTEX; /* larger than any label */
    lower(&s, u, scree_graph_vertex(g, scree_location_make(w->rank, u)));
  }

  if (scree_begin(w)) return 1;
  while (!scree_test(w, s.count == 0, NULL)) send_to_neighbours(w, type, arcs, g, &s);
  if (scree_error(world)) return 1;

  scree_reduce total = SCREE_REDUCE_INIT;
  for (uint32_t u = 0; u < g->locals; u++)
    total.sum[0] += s.label[u] == scree_graph_vertex(g, scree_location_make(w->rank, u));
  if (scree_begin(w) || scree_end(w, &total)) return 1;
  if (w->rank == 0) printf("%d components of %d vertices\n", (int)total.sum[0], (int)g->vertices.n);
  free(s.label);
  free(s.queue);
  free(s.queued);
  scree_graph_free(g);
  scree_graphs_close(graphs);
  return scree_close(world) != SCREE_OK;
}
