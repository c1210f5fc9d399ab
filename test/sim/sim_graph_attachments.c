/* sim_graph_attachments.c - tests of what is made of a graph: data attached under keys, the transpose. */
#include "graph_cases.h"

/* What destroy functions saw, per rank: the ranks of a run share a process and run one at a time. */
typedef struct {
  uint32_t count;
  int order[4];
} destroyed;

typedef struct {
  destroyed *log;
  int number;
} attached;

static void destroy(void *data) {
  attached *a = data;
  a->log->order[a->log->count++] = a->number;
}

static const scree_attachment_key first = {"first", destroy}, second = {"second", destroy},
                                  borrowed = {"borrowed", NULL};

static void attach(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL, *other = NULL;
  destroyed log = {0};
  attached one = {&log, 1}, two = {&log, 2}, three = {&log, 3};
  check_equal(scree_graph_load(graphs, "path:9", NULL, &g), SCREE_OK);
  check_equal(scree_graph_load(graphs, "star:9", NULL, &other), SCREE_OK);
  check(scree_graph_attachment(g, &first) == NULL);
  check_equal(scree_graph_attach(g, &first, &one), SCREE_OK);
  check_equal(scree_graph_attach(g, &first, &two), SCREE_ESTATE);
  check_equal(scree_graph_attach(g, &second, NULL), SCREE_EINVAL);
  check(scree_graph_attachment(g, &second) == NULL);
  check_equal(scree_graph_attach(g, &second, &two), SCREE_OK);
  check_equal(scree_graph_attach(g, &borrowed, &three), SCREE_OK);
  check(scree_graph_attachment(g, &first) == &one);
  check(scree_graph_attachment(g, &second) == &two);
  check(scree_graph_attachment(g, &borrowed) == &three);
  check(scree_graph_attachment(other, &first) == NULL);
  scree_graph_free(other);
  check_equal(log.count, 0);
  scree_graph_free(g);
  check(log.count == 2 && log.order[0] == 2 && log.order[1] == 1);
}

/* An image is mapped: its graph is not made by a builder. */
static void attach_to_image(scree_graphs *graphs, void *arg) {
  scree_graph *g = NULL, *image = NULL;
  destroyed log = {0};
  attached one = {&log, 1};
  check_equal(scree_graph_load(graphs, "path:9", NULL, &g), SCREE_OK);
  check_equal(scree_graph_write(g, arg, NULL), SCREE_OK);
  check_equal(scree_graph_load(graphs, arg, NULL, &image), SCREE_OK);
  check_equal(scree_graph_attach(image, &first, &one), SCREE_OK);
  check(scree_graph_attachment(image, &first) == &one);
  scree_graph_free(g);
  scree_graph_free(image);
  check_equal(log.count, 1);
}

HARNESS_TEST(attachments) {
  const char *path = graph_case_file("", 0, ".scree");
  for (uint32_t ranks = 1; ranks <= 4; ranks++) {
    graph_case_run(ranks, ranks, attach, NULL);
    graph_case_run(ranks, ranks, attach_to_image, (void *)path);
  }
  unlink(path);
}

/* ---- transpose --------------------------------------------------------------------------------------------------- */

enum { N = 23, EDGES = 60 };

static uint64_t arcs_digest(const scree_graph *g, bool turned) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      uint64_t head = scree_graph_vertex(g, scree_graph_target(g, e));
      r.sum[0] += turned ? scree__hash_draw(head, tail) : scree__hash_draw(tail, head);
    }
  check_equal(scree_graphs_reduce(g->graphs, &r), SCREE_OK);
  return r.sum[0];
}

static void turn(scree_graphs *graphs, void *arg) {
  const scree_graph_shape *shape = arg;
  scree_graph_builder *b = NULL;
  scree_graph *g = NULL, *t = NULL;
  scree_worker *w = scree_graphs_worker(graphs);
  check_equal(scree_graph_builder_begin(graphs, shape, &b), SCREE_OK);
  for (uint64_t i = w->rank; i < EDGES; i += w->ranks) {
    uint64_t bits = scree__hash_draw(7, i);
    scree_graph_builder_add(b, bits % N, (bits >> 8) % N, 2);
  }
  check_equal(scree_graph_builder_finish(b, &g), SCREE_OK);
  if (check_equal(scree_graph_transpose(g, &t), SCREE_OK)) {
    check_equal(arcs_digest(t, true), arcs_digest(g, false));
    check(arcs_digest(t, false) != arcs_digest(g, false));
    check(t->arcs == g->arcs && t->locals == g->locals && t->directed);
    check(t->vertices.kind == g->vertices.kind && t->wide == g->wide && t->weight == SCREE_WEIGHT_NONE);
  }
  scree_graph_free(g);
  scree_graph_free(t);
}

HARNESS_TEST(transpose) {
  for (uint32_t i = 0; i < GRAPH_CASE_RANKS; i++) {
    scree_graph_shape shape = {.n = N,
                               .distribution = (scree_distribution_kind)(i % 3),
                               .weight = SCREE_WEIGHT_DOUBLE,
                               .directed = true,
                               .wide = i & 1};
    graph_case_run(graph_case_ranks[i], i, turn, &shape);
  }
}

HARNESS_MAIN
