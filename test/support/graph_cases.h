/* graph_cases.h - what tests of graphs on virtual ranks share: runs over many worlds, digests, files.
 *
 * All helpers are inline functions. */
#ifndef GRAPH_CASES_H
#define GRAPH_CASES_H
#include <scree/graph.h>
#include <scree/scree_sim.h>
#include <unistd.h>

#include "base/hash.h"
#include "graph/exchange.h"
#include "graph_labels.h"
#include "harness.h"

typedef void graph_case_fn(scree_graphs *graphs, void *arg);

typedef struct {
  graph_case_fn *fn;
  void *arg;
} graph_case;

static inline void graph_case_rank(scree_world *world, void *arg) {
  graph_case *c = arg;
  scree_graphs *graphs = NULL;
  if (check_equal(scree_graphs_open(world, &graphs), SCREE_OK)) c->fn(graphs, c->arg);
  scree_graphs_close(graphs);
}

/* Runs fn on each of `ranks` virtual ranks, under a schedule drawn from the seed, with little memory. */
static inline void graph_case_run(uint32_t ranks, uint64_t seed, graph_case_fn *fn, void *arg) {
  scree_sim_config config = {.seed = seed, .ranks = ranks, .nodes = 1 + (uint32_t)(seed % ranks)};
  scree_options options = SCREE_OPTIONS_INIT;
  options.memory = 1 << 16;
  graph_case c = {fn, arg};
  check_text(scree_sim_run(&config, &options, graph_case_rank, &c, NULL) == SCREE_OK, "%u ranks, seed %u",
             (unsigned)ranks, (unsigned)seed);
}

static const uint32_t graph_case_ranks[] = {1, 2, 3, 4, 5, 7, 16};
enum { GRAPH_CASE_RANKS = sizeof graph_case_ranks / sizeof *graph_case_ranks };

/* The same number for the same arcs, weights and labels, however they are spread. */
static inline uint64_t graph_case_digest(const scree_graph *g) {
  uint64_t sum = 0, *labels = graph_labels_of(g);
  assert_non_null(labels);
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      double w = scree_graph_weight(g, e);
      uint64_t bits, tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
      memcpy(&bits, &w, sizeof bits);
      uint64_t head = labels[scree_graph_vertex(g, scree_graph_target(g, e))];
      sum += scree__hash_draw(scree__hash_draw(scree_graph_label(g, tail), head), bits);
    }
  free(labels);
  scree_reduce r = {.sum = {sum}, .min = UINT64_MAX};
  check_equal(scree_graphs_reduce(g->graphs, &r), SCREE_OK);
  return r.sum[0];
}

/* A file with these bytes; the path is in static memory, the ending as given. */
static inline const char *graph_case_file(const void *data, size_t bytes, const char *ending) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/scree-graph-XXXXXX%s", ending);
  int fd = mkstemps(path, (int)strlen(ending));
  assert_true(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
  close(fd);
  return path;
}

#endif
