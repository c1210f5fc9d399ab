/* image.c - a graph from an image: its rows as they are in the file; or, where the number of ranks, the distribution or
 * the weights differ, a graph built of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/builder.h"
#include "build/plan.h"
#include "build/weights.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "read/format.h"
#include "read/image_view.h"

/* ---- mapped: rows as they are in the file ---- */

static bool fits(const scree__image_view *m) {
  const scree_graph_options *o = m->reader->options;
  bool weights = o->weights == SCREE_WEIGHTS_GIVEN || o->weights == SCREE_WEIGHTS_DROP;
  return m->h.ranks == m->reader->graphs->worker->ranks && m->h.distribution == (uint32_t)o->distribution && weights;
}

static scree_status use_rows(scree__image_view *m, scree_graph *g) {
  const scree__image_part *p = &m->parts[m->reader->graphs->worker->rank];
  bool weights = m->h.weight && m->reader->options->weights == SCREE_WEIGHTS_GIVEN;
  scree_status status = scree__image_check_rows(m, p, 0, p->locals);
  if (status) return status;
  *g = (scree_graph){.graphs = g->graphs,
                     .attachments = g->attachments,
                     .vertices = m->d,
                     .edges = m->h.edges,
                     .arcs = m->h.arcs,
                     .locals = p->locals,
                     .offsets = (const void *)(m->at + p->offsets.at),
                     .targets = m->at + p->heads.at,
                     .weights = weights ? m->at + p->weights.at : NULL,
                     .weight = weights ? (scree_weight_kind)m->h.weight : SCREE_WEIGHT_NONE,
                     .directed = m->h.flags & SCREE__IMAGE_DIRECTED,
                     .wide = m->h.flags & SCREE__IMAGE_WIDE,
                     .local_bits = m->h.local_bits,
                     .weight_max = weights ? m->h.weight_max : 1,
                     .mapping = (void *)m->at,
                     .mapping_bytes = m->reader->file.size,
                     .mapping_copied = m->copied};
  return SCREE_OK;
}

static scree_status map_rows(scree__image_view *m, scree_graph **graph) {
  scree_graphs *graphs = m->reader->graphs;
  scree_graph *g = scree__graph_new(graphs);
  scree_status status = g ? use_rows(m, g) : scree__no_memory(graphs, "a graph", sizeof *g);
  if (!status) {
    status = scree__image_give_labels(m, g);
    m->at = NULL; /* the graph owns it */
  }
  status = scree__consensus(graphs, status);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

/* ---- rebuilt: rows as edges of another graph ---- */

static double weight_at(const scree__image_view *m, const scree__image_part *p, uint64_t e) {
  const scree_graph view = {.weight = (scree_weight_kind)m->h.weight, .weights = m->at + p->weights.at};
  return scree_graph_weight(&view, e);
}

static uint64_t head_at(const scree__image_view *m, const scree__image_part *p, uint64_t e) {
  const scree_graph view = {
      .targets = m->at + p->heads.at, .wide = m->h.flags & SCREE__IMAGE_WIDE, .local_bits = m->h.local_bits};
  scree_location location = scree_graph_target(&view, e);
  return scree_distribution_global(&m->d, scree_location_owner(location), scree_location_local(location));
}

static void add_rows(const scree__image_view *m, uint32_t part, uint64_t from, uint64_t to,
                     scree_graph_builder *builder) {
  enum { MANY = 256 };
  const scree__image_part *p = &m->parts[part];
  const uint64_t *offsets = (const void *)(m->at + p->offsets.at);
  const bool directed = m->h.flags & SCREE__IMAGE_DIRECTED;
  scree_edge edges[MANY];
  uint64_t count = 0;
  for (uint64_t u = from; u < to; u++) {
    const uint64_t tail = scree_distribution_global(&m->d, part, u);
    for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++) {
      const uint64_t head = head_at(m, p, e);
      const double w = scree__weight(m->reader->options, directed, tail, head, weight_at(m, p, e));
      edges[count++] = (scree_edge){tail, head, w};
      if (count == MANY) scree_graph_builder_add_many(builder, count, edges);
      count %= MANY;
    }
  }
  scree_graph_builder_add_many(builder, count, edges);
}

static void my_rows(const scree__image_view *m, uint32_t part, uint64_t *from, uint64_t *to) {
  scree_worker *w = m->reader->graphs->worker;
  scree_distribution_block_range(m->parts[part].locals, w->rank, w->ranks, from, to);
}

static scree_status check_mine(const scree__image_view *m) {
  scree_status status = SCREE_OK;
  uint64_t from, to;
  for (uint32_t i = 0; i < m->h.ranks && !status; i++) {
    my_rows(m, i, &from, &to);
    status = scree__image_check_rows(m, &m->parts[i], from, to);
  }
  return scree__consensus(m->reader->graphs, status);
}

static scree_status begin(const scree__image_view *m, scree_graph_builder **builder) {
  scree_graph_shape shape = {.n = m->h.n,
                             .distribution = m->reader->options->distribution,
                             .weight = scree__weight_kind(m->reader->options, (scree_weight_kind)m->h.weight),
                             .directed = m->h.flags & SCREE__IMAGE_DIRECTED};
  scree_status status = scree__memory_check_graph(m->reader->graphs, &shape, m->h.edges, false);
  return status ? status : scree_graph_builder_begin(m->reader->graphs, &shape, builder);
}

static scree_status rebuild(scree__image_view *m, scree_graph **graph) {
  scree_graph_builder *builder;
  scree_graph *g;
  uint64_t from, to;
  scree_status status = check_mine(m);
  if (!status) status = begin(m, &builder);
  if (status) return status;
  scree__builder_one_way(builder);
  for (uint32_t i = 0; i < m->h.ranks; i++) {
    my_rows(m, i, &from, &to);
    add_rows(m, i, from, to, builder);
  }
  status = scree_graph_builder_finish(builder, &g);
  if (status) return status;
  g->edges = m->h.edges;
  status = scree__consensus(m->reader->graphs, scree__image_give_labels(m, g));
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

/* ---- the format ---- */

static void note_age(const scree__image_view *m) {
  const scree__reader *reader = m->reader;
  if (m->h.version != SCREE__IMAGE_WITHOUT_SUMS || reader->options->trust || reader->graphs->worker->rank) return;
  fprintf(stderr, "scree: %s: this image carries no checksums, as scree 0.2 wrote it; 'scree convert' adds them\n",
          reader->name ? reader->name : reader->file.path);
}

static scree_status load(scree__reader *reader, scree_graph **graph) {
  scree__image_view m = {.reader = reader};
  scree_status status = scree__consensus(reader->graphs, scree__image_open(&m));
  if (!status) note_age(&m);
  if (!status) status = fits(&m) ? map_rows(&m, graph) : rebuild(&m, graph);
  scree__image_close(&m);
  return status;
}

static bool known(const char *path, const char *head, const char *line) {
  (void)path;
  (void)line;
  return !strncmp(head, SCREE__IMAGE_MAGIC, SCREE__IMAGE_WORD);
}

const scree__format scree__format_image = {
    .name = "image",
    .what = "an image of a graph",
    .takes = SCREE__TAKES_TRUST,
    .instead = "states what it contains",
    .known = known,
    .binary = true,
    .load = load,
};
