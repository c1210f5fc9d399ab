/* components.c - connected components by label propagation: an algorithm of one's own on a graph of scree.
 *
 * Each vertex begins with its own number as its label and tells its neighbours; who hears of a lesser label takes it
 * and tells his. At the end a component's vertices all have the number of its least one. mpirun -n 2 components GRAPH
 * an edge list, whose edges lead both ways, or kron:SCALE */
#include <scree/graph.h>
#include <stdlib.h>

typedef struct {
  uint32_t vertex;    /* local index on the receiver */
  uint32_t low, high; /* the label */
} news;
SCREE_MESSAGE(news, news);

typedef struct {
  uint64_t *label; /* by local vertex */
  uint32_t *stack; /* vertices that have yet to tell their neighbours */
  bool *waits;     /* by local vertex: it is on the stack */
  uint64_t count;
} state;

static void lower(state *s, uint32_t u, uint64_t label) {
  if (label >= s->label[u]) return;
  s->label[u] = label;
  if (!s->waits[u]) s->stack[s->count++] = u;
  s->waits[u] = true;
}

static void on_news(scree_worker *w, const scree_batch *batch, const news *items, void *arg) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) lower(arg, items[i].vertex, (uint64_t)items[i].high << 32 | items[i].low);
}
SCREE_HANDLER(news, news, on_news);

/* The label is copied before the first send: at each send handlers may run. */
static void tell_neighbours(scree_worker *w, news_type type, const scree_graph *g, state *s) {
  if (s->count == 0) return;
  uint32_t u = s->stack[--s->count];
  uint64_t label = s->label[u];
  s->waits[u] = false;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    scree_location head = scree_graph_target(g, e);
    news_send(w, type, scree_location_owner(head),
              (news){(uint32_t)scree_location_local(head), (uint32_t)label, (uint32_t)(label >> 32)});
  }
}

int main(int argc, char **argv) {
  scree_world *world;
  scree_graphs *graphs;
  scree_graph *g;
  news_type type;
  state s = {0};
  const scree_graph_options how = {.direction = SCREE_UNDIRECTED, .weights = SCREE_WEIGHTS_DROP};
  if (scree_open(NULL, &world) || scree_graphs_open(world, &graphs) || news_register(world, &s, &type)) return 1;
  if (scree_graph_load(graphs, argc > 1 ? argv[1] : "kron:10,2", &how, &g)) {
    fprintf(stderr, "%s\n", scree_graphs_error(graphs));
    return 1;
  }
  s.label = malloc((g->locals + 1) * sizeof *s.label);
  s.stack = malloc((g->locals + 1) * sizeof *s.stack);
  s.waits = calloc(g->locals + 1, sizeof *s.waits);
  if (!s.label || !s.stack || !s.waits) return 1;
  scree_worker *w = scree_worker_of(world, 0);
  for (uint32_t u = 0; u < g->locals; u++) {
    s.label[u] = SCREE_NO_VERTEX; /* any label is less */
    lower(&s, u, scree_graph_vertex(g, scree_location_make(w->rank, u)));
  }

  if (scree_begin(w)) return 1;
  while (!scree_test(w, s.count == 0, NULL)) tell_neighbours(w, type, g, &s);
  if (scree_error(world)) return 1;

  scree_reduce total = {{0, 0}, UINT64_MAX, 0};
  for (uint32_t u = 0; u < g->locals; u++)
    total.sum[0] += s.label[u] == scree_graph_vertex(g, scree_location_make(w->rank, u));
  if (scree_begin(w) || scree_end(w, &total)) return 1;
  if (w->rank == 0) printf("%d components of %d vertices\n", (int)total.sum[0], (int)g->vertices.n);
  free(s.label);
  free(s.stack);
  free(s.waits);
  scree_graph_free(g);
  scree_graphs_close(graphs);
  return scree_close(world) != SCREE_OK;
}
