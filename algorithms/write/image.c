/* image.c - an image, written by all ranks at once: each puts its rows where they belong, as they are in memory; the
 * header comes last, so that an unfinished file is not taken for an image. */
#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
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
  m->h = (scree__image_header){.order = SCREE__IMAGE_ORDER,
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
                                        (g->labels ? SCREE__IMAGE_LABELS : 0) |
                                        (g->label_index ? SCREE__IMAGE_BY_LABEL : 0),
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

/* Writes bytes `from` .. from + bytes - 1 of a section, whole blocks but for the last, and their checksums. */
static scree_status write_section(const image *m, const scree__image_section *s, uint64_t from, const void *data,
                                  uint64_t bytes) {
  enum { MANY = 64 };
  scree_graphs *graphs = m->g->graphs;
  uint64_t sums[MANY], piece;
  scree_status status = SCREE_OK;
  for (uint64_t at = from; at < from + bytes && !status; at += piece) {
    const char *start = (const char *)data + (at - from);
    uint64_t count = 0;
    piece = from + bytes - at < MANY * SCREE__IMAGE_BLOCK ? from + bytes - at : MANY * SCREE__IMAGE_BLOCK;
    for (uint64_t i = 0; i < piece; i += SCREE__IMAGE_BLOCK)
      sums[count++] = scree__checksum(start + i, piece - i < SCREE__IMAGE_BLOCK ? piece - i : SCREE__IMAGE_BLOCK);
    status = scree__shared_file_write(graphs, &m->out, s->at + at, start, piece);
    if (!status)
      status = scree__shared_file_write(graphs, &m->out, s->sums + at / SCREE__IMAGE_BLOCK * sizeof *sums, sums,
                                        count * sizeof *sums);
  }
  return status;
}

static scree_status write_rows(const image *m) {
  const scree_graph *g = m->g;
  const scree__image_part *p = &m->parts[scree_graph_rank(g)];
  scree_status status = write_section(m, &p->offsets, 0, g->offsets, p->offsets.bytes);
  if (!status) status = write_section(m, &p->heads, 0, g->targets, p->heads.bytes);
  return status ? status : write_section(m, &p->weights, 0, g->weights, p->weights.bytes);
}

/* A table by vertex, or by index of labels: the part that this rank writes, which is whole blocks of the file but for
 * the last. */
typedef struct {
  scree_distribution blocks; /* of all ranks */
  uint64_t *part;
} table;

enum { ENTRIES = SCREE__IMAGE_BLOCK / sizeof(uint64_t) }; /* of a block */

static void receive_entries(scree_graphs *graphs, const scree__triple *items, uint32_t count, void *arg) {
  (void)graphs;
  const table *t = arg;
  for (uint32_t i = 0; i < count; i++) t->part[items[i].a] = items[i].b;
}

/* Sends this rank's entries to the ranks that write them. by_label: entry i of the table is the vertex whose label has
 * the index i; else entry v is the label of vertex v. */
static scree_status share_entries(const scree_graph *g, bool by_label, table *t) {
  scree_graphs *graphs = g->graphs;
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.triples = receive_entries}, t);
  if (status) return status;
  for (uint64_t u = 0; u < g->locals; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    const uint64_t entry = by_label ? g->label_index[u] : v;
    const scree_location to = scree_distribution_location(&t->blocks, entry / ENTRIES);
    graph_triple_send(
        graphs->worker, graphs->triple, scree_location_owner(to),
        (scree__triple){scree_location_local(to) * ENTRIES + entry % ENTRIES, by_label ? v : g->labels[u], 0});
  }
  return scree__exchange_end(graphs, NULL);
}

static scree_status write_table(const image *m, bool by_label) {
  const scree_graph *g = m->g;
  const uint32_t rank = scree_graph_rank(g);
  const scree__image_section s = scree__image_labels(&m->h, by_label);
  table t;
  scree_distribution_init(&t.blocks, SCREE_DISTRIBUTION_BLOCK, scree__image_blocks(s.bytes), g->vertices.ranks);
  const uint64_t blocks = scree_distribution_count(&t.blocks, rank);
  const uint64_t from = blocks ? scree_distribution_global(&t.blocks, rank, 0) * SCREE__IMAGE_BLOCK : 0;
  uint64_t bytes = blocks * SCREE__IMAGE_BLOCK;
  if (from + bytes > s.bytes) bytes = s.bytes - from;
  t.part = scree_graphs_alloc(g->graphs, (size_t)bytes + sizeof *t.part);
  scree_status status =
      scree__consensus(g->graphs, t.part ? SCREE_OK : scree__no_memory(g->graphs, "the labels of an image", bytes));
  if (!status) status = share_entries(g, by_label, &t);
  if (!status) status = scree__consensus(g->graphs, write_section(m, &s, from, t.part, bytes));
  scree_huge_free(t.part);
  return status;
}

/* Collective. */
static scree_status write_labels(const image *m) {
  scree_status status = m->g->labels ? write_table(m, false) : SCREE_OK;
  return !status && m->g->label_index ? write_table(m, true) : status;
}

static scree_status write_header(const image *m) {
  scree_status status =
      scree__shared_file_write(m->g->graphs, &m->out, sizeof m->h, m->arcs, m->h.ranks * sizeof *m->arcs);
  return status ? status : scree__shared_file_write(m->g->graphs, &m->out, 0, &m->h, sizeof m->h);
}

/* An image that others may write is copied, not mapped, when it is read: users with a group of their own often have a
 * umask that permits the group to write. */
static void close_to_others(const scree__shared_file *out) {
  struct stat is;
  if (fstat(out->fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid())
    fchmod(out->fd, is.st_mode & 0777 & ~(mode_t)(S_IWGRP | S_IWOTH));
}

static scree_status write_image(const scree_graph *g, const char *path, const scree_write_options *options) {
  (void)options;
  image m = {.g = g};
  const bool first = scree_graph_rank(g) == 0;
  scree_status status = plan(&m);
  if (!status) {
    status = scree__shared_file_open(g->graphs, path, &m.out);
    if (!status) {
      if (first) close_to_others(&m.out);
      status = scree__consensus(g->graphs, write_rows(&m));
      if (!status) status = write_labels(&m);
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

const scree__writer scree__writer_image = {
    .name = "image", .ending = ".scree", .base = UINT64_MAX, .write = write_image};
