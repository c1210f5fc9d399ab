/* image.c - an image, written by all ranks at once: each puts its rows where they belong, as they are in memory; the header
 * comes last, so that an unfinished file is not taken for an image. */
#include <stdlib.h>
#include <string.h>

#include "file/image.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "write/shared_file.h"
#include "write/writer.h"

typedef struct {
  const scree_graph *g;
  scree__shared_file out;
  scree__image_header h;
  uint64_t *arcs; /* of each rank */
  scree__image_part *parts;
  uint64_t size;
} image;

static void fill_header(image *m) {
  const scree_graph *g = m->g;
  m->h =
      (scree__image_header){.order = SCREE__IMAGE_ORDER,
                            .version = SCREE__IMAGE_VERSION,
                            .n = g->vertices.n,
                            .edges = g->edges,
                            .arcs = g->arcs,
                            .label_base = g->label_base,
                            .weight_max = g->weight_max,
                            .ranks = g->vertices.ranks,
                            .distribution = (uint32_t)g->vertices.kind,
                            .weight = (uint32_t)g->weight,
                            .flags = (g->directed ? SCREE__IMAGE_DIRECTED : 0) | (g->wide ? SCREE__IMAGE_WIDE : 0) |
                                     (g->labels ? SCREE__IMAGE_LABELS : 0) | (g->by_label ? SCREE__IMAGE_BY_LABEL : 0),
                            .local_bits = g->local_bits};
  memcpy(m->h.magic, SCREE__IMAGE_MAGIC, sizeof m->h.magic);
  m->h.check = scree__image_check(&m->h, m->arcs);
}

static void receive_arcs(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  (void)bytes;
  uint64_t pair[2];
  memcpy(pair, data, sizeof pair);
  ((uint64_t *)arg)[pair[0]] = pair[1];
}

/* All ranks learn how many arcs each has. */
static scree_status plan(image *m) {
  scree_graphs *graphs = m->g->graphs;
  const uint32_t ranks = m->g->vertices.ranks;
  const uint64_t pair[2] = {scree_graph_rank(m->g), m->g->offsets[m->g->locals]};
  m->arcs = calloc(ranks, sizeof *m->arcs);
  m->parts = calloc(ranks, sizeof *m->parts);
  bool ready = m->arcs && m->parts;
  scree_status status = scree__consensus(
      graphs, ready ? SCREE_OK : scree__no_memory(graphs, "the parts of an image", ranks * sizeof *m->parts));
  if (!status) status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_arcs}, m->arcs);
  if (status) return status;
  for (uint32_t i = 0; i < ranks; i++) graph_bytes_send(graphs->worker, graphs->bytes, i, pair, sizeof pair);
  status = scree__exchange_end(graphs, NULL);
  if (status) return status;
  fill_header(m);
  m->size = scree__image_parts(&m->h, m->arcs, m->parts);
  return SCREE_OK;
}

static scree_status write_rows(const image *m) {
  const scree_graph *g = m->g;
  const scree__image_part *p = &m->parts[scree_graph_rank(g)];
  const size_t head = scree__head_bytes(g->wide);
  scree_status status =
      scree__shared_file_write(g->graphs, &m->out, p->offsets, g->offsets, (p->locals + 1) * sizeof *g->offsets);
  if (!status) status = scree__shared_file_write(g->graphs, &m->out, p->heads, g->targets, p->arcs * head);
  if (!status && g->weight)
    status =
        scree__shared_file_write(g->graphs, &m->out, p->weights, g->weights, p->arcs * scree__weight_bytes(g->weight));
  return status;
}

/* Rank 0. */
static scree_status write_labels(const image *m) {
  const scree_graph *g = m->g;
  uint64_t at = scree__image_head_bytes(m->h.ranks), bytes = g->vertices.n * sizeof *g->labels;
  scree_status status = SCREE_OK;
  if (g->labels) status = scree__shared_file_write(g->graphs, &m->out, at, g->labels, bytes);
  if (!status && g->by_label) status = scree__shared_file_write(g->graphs, &m->out, at + bytes, g->by_label, bytes);
  return status;
}

static scree_status write_header(const image *m) {
  scree_status status =
      scree__shared_file_write(m->g->graphs, &m->out, sizeof m->h, m->arcs, m->h.ranks * sizeof *m->arcs);
  return status ? status : scree__shared_file_write(m->g->graphs, &m->out, 0, &m->h, sizeof m->h);
}

static scree_status write_image(const scree_graph *g, const char *path, const scree_write_options *options) {
  (void)options;
  image m = {.g = g};
  const bool first = scree_graph_rank(g) == 0;
  scree_status status = plan(&m);
  if (!status) {
    status = scree__shared_file_open(g->graphs, path, &m.out);
    if (!status) {
      status = write_rows(&m);
      if (!status && first) status = write_labels(&m);
      status = scree__consensus(g->graphs, status);
    }
    scree_status last = !status && first ? write_header(&m) : SCREE_OK;
    last = scree__shared_file_close(g->graphs, &m.out, last);
    if (!status) status = last;
    status = scree__shared_file_finish(g->graphs, &m.out, status);
  }
  free(m.arcs);
  free(m.parts);
  return status;
}

const scree__writer scree__writer_image = {.name = "image", .ending = ".scree", .write = write_image};
