/* tuples.c - the writer of binary edge tuples and of their weights: each rank counts its edges, learns how many precede
 * them, and writes them there. */
#include <inttypes.h>
#include <stdlib.h>

#include "file/tuples.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "write/shared_file.h"
#include "write/writer.h"

enum { MANY = 4096 };

typedef struct {
  const scree_graph *g;
  scree__shared_file edges, weights;
  bool weighted;
  uint64_t at; /* number of the next edge */
  size_t count;
  scree__tuple tuples[MANY];
  float floats[MANY];
} session;

/* Edges that this rank writes. */
static uint64_t count_edges(const scree_graph *g) {
  uint64_t count = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      count += scree__represents_edge(g, tail, scree_graph_vertex(g, scree_graph_target(g, e)));
  }
  return count;
}

static scree_status flush(session *s) {
  scree_graphs *graphs = s->g->graphs;
  scree_status status =
      scree__shared_file_write(graphs, &s->edges, s->at * sizeof *s->tuples, s->tuples, s->count * sizeof *s->tuples);
  if (!status && s->weighted)
    status = scree__shared_file_write(graphs, &s->weights, s->at * sizeof *s->floats, s->floats,
                                      s->count * sizeof *s->floats);
  s->at += s->count;
  s->count = 0;
  return status;
}

static scree_status add(session *s, uint64_t u, uint64_t v, double w) {
  s->tuples[s->count] = scree__tuple_pack(u, v);
  s->floats[s->count] = (float)w;
  if (s->weighted && (double)(float)w != w)
    return scree__why(s->g->graphs, SCREE_EINVAL,
                      "%s: edge %" PRIu64 " - %" PRIu64
                      " has the weight %.17g, which a float cannot hold; the format tuples "
                      "holds floats",
                      s->weights.name, u, v, w);
  return ++s->count == MANY ? flush(s) : SCREE_OK;
}

static scree_status write_edges(session *s) {
  const scree_graph *g = s->g;
  scree_status status = SCREE_OK;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && !status; e++) {
      uint64_t head = scree_graph_vertex(g, scree_graph_target(g, e));
      if (scree__represents_edge(g, tail, head)) status = add(s, tail, head, scree_graph_weight(g, e));
    }
  }
  return status ? status : flush(s);
}

static scree_status write_files(session *s, const char *path, const char *weights) {
  scree_graphs *graphs = s->g->graphs;
  scree_status status = scree__prefix_sum(graphs, count_edges(s->g), &s->at);
  if (status) return status;
  status = scree__shared_file_open(graphs, path, &s->edges);
  if (!status && weights) status = scree__shared_file_open(graphs, weights, &s->weights);
  scree_status mine = status ? SCREE_OK : write_edges(s), last[2];
  last[0] = scree__shared_file_close(graphs, &s->edges, mine);
  last[1] = scree__shared_file_close(graphs, &s->weights, SCREE_OK);
  for (int i = 0; i < 2 && !status; i++) status = last[i];
  status = scree__shared_file_finish(graphs, &s->edges, status);
  return weights ? scree__shared_file_finish(graphs, &s->weights, status) : status;
}

static scree_status write_tuples(const scree_graph *g, const char *path, const scree_write_options *options) {
  session *s = calloc(1, sizeof *s);
  scree_status status =
      scree__consensus(g->graphs, s ? SCREE_OK : scree__no_memory(g->graphs, "the tuples to write", sizeof *s));
  const char *weights = options->weights_file;
  if (!status && !g->weight != !weights)
    status = scree__consensus(g->graphs, scree__why(g->graphs, SCREE_EINVAL, "%s: the format tuples %s", path,
                                                    weights ? "was given --weights-file, and this graph has no weights"
                                                            : "has its weights in a file of their own: name it by "
                                                              "--weights-file, or drop the weights by --no-weights"));
  if (!status) {
    s->g = g;
    s->weighted = weights != NULL;
    s->edges.fd = s->weights.fd = -1;
    status = write_files(s, path, weights);
  }
  free(s);
  return status;
}

static const char *not_directed(const scree_graph *g) {
  return g->directed ? "holds undirected graphs, and this one is directed" : NULL;
}

const scree__writer scree__writer_tuples = {
    .name = "tuples", .ending = ".tuples", .write = write_tuples, .against = not_directed};
