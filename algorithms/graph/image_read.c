/* image_read.c - a graph from the binary file that is mapped.
 *
 * Room: checks of header and rows, rows used as they lie in the file, and the way round where they cannot be: another
 * number of ranks, another distribution, weights of the caller's. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph/arcs.h"
#include "graph/image.h"
#include "graph/plan.h"
#include "graph/reader.h"

typedef struct {
  scree__reader *reader;
  const char *at; /* the mapping: the whole file */
  scree__image_header h;
  scree__image_part *parts;
  scree_distribution d; /* of the file */
} image;

static scree_status refuse(const image *m, const char *what) {
  return scree__why(m->reader->graphs, SCREE_EINVAL, "%s: %s; write it anew with 'scree convert'", m->reader->file.path,
                    what);
}

/* ---- header ----------------------------------------------------------------------------------------------------- */

static const char *wrong_start(const scree__image_header *h) {
  if (memcmp(h->magic, SCREE__IMAGE_MAGIC, sizeof h->magic)) return "found no image of a graph, expected one";
  if (h->order != SCREE__IMAGE_ORDER) return "found an image of a machine with another byte order";
  if (h->version != SCREE__IMAGE_VERSION) return "found an image of another version of scree, expected version 1";
  return NULL;
}

/* Nothing is believed that the file is too short for, so that no sum can overflow. */
static const char *wrong_bounds(const scree__image_header *h, uint64_t size) {
  bool small = h->n <= size / 8 && h->arcs <= size / 4 && h->edges <= h->arcs;
  if (!h->n || h->n > SCREE_VERTICES_MAX || !small) return "found fewer bytes than the header says";
  return NULL;
}

static const char *wrong_counts(const scree__image_header *h, const uint64_t *arcs) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < h->ranks && sum <= h->arcs; i++) sum += arcs[i] <= h->arcs ? arcs[i] : h->arcs + 1;
  scree_graph g = {0};
  if (h->distribution > SCREE_DISTRIBUTION_HASH || h->weight > SCREE_WEIGHT_DOUBLE || sum != h->arcs)
    return "found a damaged header: kinds and sums";
  scree_distribution_init(&g.vertices, (scree_distribution_kind)h->distribution, h->n, h->ranks);
  scree__graph_width(&g, h->flags & SCREE__IMAGE_WIDE);
  bool same = g.local_bits == h->local_bits && g.wide == !!(h->flags & SCREE__IMAGE_WIDE);
  return same ? NULL : "found a damaged header: width of heads";
}

static const char *wrong_header(const scree__image_header *h, const uint64_t *arcs, uint64_t size) {
  const char *wrong = wrong_start(h);
  if (wrong) return wrong;
  if (size < sizeof *h || scree__image_head_bytes(h->ranks) > size) return "found a truncated header";
  if (!h->ranks || scree__image_check(h, arcs) != h->check) return "found a damaged header: its checksum differs";
  wrong = wrong_bounds(h, size);
  return wrong ? wrong : wrong_counts(h, arcs);
}

/* The parts, and whether they fill the file. */
static scree_status find_parts(image *m, const uint64_t *arcs) {
  m->parts = malloc(m->h.ranks * sizeof *m->parts);
  if (!m->parts) return scree__no_memory(m->reader->graphs, m->h.ranks * sizeof *m->parts);
  uint64_t size = scree__image_parts(&m->h, arcs, m->parts), found = m->reader->file.size;
  scree_distribution_init(&m->d, (scree_distribution_kind)m->h.distribution, m->h.n, m->h.ranks);
  if (size == found) return SCREE_OK;
  char what[128];
  snprintf(what, sizeof what, "found %" PRIu64 " bytes, expected %" PRIu64 " as the header says", found, size);
  return refuse(m, what);
}

static scree_status open_image(image *m) {
  const scree__file *file = &m->reader->file;
  if (file->packed)
    return scree__why(m->reader->graphs, SCREE_EINVAL,
                      "%s: found a compressed image, which cannot be mapped; unpack it", file->path);
  void *at = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);
  if (at == MAP_FAILED)
    return scree__why(m->reader->graphs, SCREE_EINVAL, "%s: cannot be mapped: %s", file->path, strerror(errno));
  m->at = at;
  memcpy(&m->h, at, file->size < sizeof m->h ? file->size : sizeof m->h);
  const uint64_t *arcs = (const void *)(m->at + sizeof m->h);
  const char *wrong = wrong_header(&m->h, arcs, file->size);
  return wrong ? refuse(m, wrong) : find_parts(m, arcs);
}

/* ---- rows: checked before anybody trusts them -------------------------------------------------------------------- */

static bool good_offsets(const uint64_t *offsets, uint64_t from, uint64_t to, uint64_t locals, uint64_t arcs) {
  bool good = offsets[0] == 0 && offsets[locals] == arcs;
  for (uint64_t u = from; u < to; u++) good &= offsets[u] <= offsets[u + 1];
  return good && offsets[to] <= arcs;
}

static bool good_head(const image *m, uint64_t head) {
  uint64_t owner = head >> m->h.local_bits, local = head & ((UINT64_C(1) << m->h.local_bits) - 1);
  return (owner < m->d.ranks) & (local < m->d.min + (owner < m->d.extra));
}

static bool good_heads(const image *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint32_t *narrow = (const void *)(m->at + p->heads);
  const uint64_t *wide = (const void *)(m->at + p->heads);
  bool good = true;
  if (m->h.flags & SCREE__IMAGE_WIDE)
    for (uint64_t e = from; e < to; e++) good &= good_head(m, wide[e]);
  else
    for (uint64_t e = from; e < to; e++) good &= good_head(m, narrow[e]);
  return good;
}

/* From 0 to weight_max: so neither a NaN. */
static bool good_weights(const image *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const float *floats = (const void *)(m->at + p->weights);
  const double *doubles = (const void *)(m->at + p->weights), max = m->h.weight_max;
  bool good = max >= 0 && isfinite(max);
  if (m->h.weight == SCREE_WEIGHT_FLOAT)
    for (uint64_t e = from; e < to; e++) good &= floats[e] >= 0 && (double)floats[e] <= max;
  if (m->h.weight == SCREE_WEIGHT_DOUBLE)
    for (uint64_t e = from; e < to; e++) good &= doubles[e] >= 0 && doubles[e] <= max;
  return good;
}

/* Rows from .. to - 1 of a part. */
static scree_status check_rows(const image *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint64_t *offsets = (const void *)(m->at + p->offsets);
  if (!good_offsets(offsets, from, to, p->locals, p->arcs)) return refuse(m, "found damaged rows: offsets");
  if (!good_heads(m, p, offsets[from], offsets[to])) return refuse(m, "found damaged rows: heads of arcs");
  if (!good_weights(m, p, offsets[from], offsets[to])) return refuse(m, "found damaged rows: weights");
  return SCREE_OK;
}

/* ---- labels ----------------------------------------------------------------------------------------------------- */

static bool good_labels(const image *m, const uint64_t *labels, const uint64_t *by_label) {
  bool good = true;
  for (uint64_t i = 0; by_label && i < m->h.n; i++) good &= by_label[i] < m->h.n;
  for (uint64_t i = 1; good && i < m->h.n; i++)
    good = by_label ? labels[by_label[i - 1]] < labels[by_label[i]] : labels[i - 1] < labels[i];
  return good;
}

static uint64_t *copied(const void *from, uint64_t n) {
  uint64_t *to = malloc(n * sizeof *to);
  if (to) memcpy(to, from, n * sizeof *to);
  return to;
}

/* Copies, which scree_graph_free frees with the graph's others. */
static scree_status give_labels(const image *m, scree_graph *g) {
  const uint64_t n = m->h.n, *labels = (const void *)(m->at + scree__image_head_bytes(m->h.ranks));
  const bool sorted = !(m->h.flags & SCREE__IMAGE_BY_LABEL);
  g->label_base = m->h.label_base;
  if (!(m->h.flags & SCREE__IMAGE_LABELS)) return SCREE_OK;
  if (!good_labels(m, labels, sorted ? NULL : labels + n)) return refuse(m, "found damaged labels");
  g->labels = copied(labels, n);
  if (!sorted) g->by_label = copied(labels + n, n);
  return g->labels && (sorted || g->by_label) ? SCREE_OK : scree__no_memory(g->graphs, n * sizeof *labels);
}

/* ---- as it lies in the file -------------------------------------------------------------------------------------- */

static bool fits(const image *m) {
  const scree_graph_options *o = m->reader->options;
  bool weights = o->weights == SCREE_WEIGHTS_GIVEN || o->weights == SCREE_WEIGHTS_DROP;
  return m->h.ranks == scree_ranks(m->reader->graphs->worker) && m->h.distribution == (uint32_t)o->distribution &&
         weights;
}

static scree_status use_rows(image *m, scree_graph *g) {
  const scree__image_part *p = &m->parts[scree_rank(m->reader->graphs->worker)];
  bool weights = m->h.weight && m->reader->options->weights == SCREE_WEIGHTS_GIVEN;
  scree_status status = check_rows(m, p, 0, p->locals);
  if (status) return status;
  *g = (scree_graph){.graphs = g->graphs,
                     .attachments = g->attachments,
                     .vertices = m->d,
                     .edges = m->h.edges,
                     .arcs = m->h.arcs,
                     .locals = p->locals,
                     .offsets = (const void *)(m->at + p->offsets),
                     .targets = m->at + p->heads,
                     .weights = weights ? m->at + p->weights : NULL,
                     .weight = weights ? (scree_weight_kind)m->h.weight : SCREE_WEIGHT_NONE,
                     .directed = m->h.flags & SCREE__IMAGE_DIRECTED,
                     .wide = m->h.flags & SCREE__IMAGE_WIDE,
                     .local_bits = m->h.local_bits,
                     .weight_max = weights ? m->h.weight_max : 1,
                     .mapping = (void *)m->at,
                     .mapping_bytes = m->reader->file.size};
  m->at = NULL; /* the graph's now */
  return SCREE_OK;
}

static scree_status map_rows(image *m, scree_graph **graph) {
  scree_graphs *graphs = m->reader->graphs;
  scree_graph *g = scree__graph_new(graphs);
  const char *at = m->at;
  scree_status status = g ? use_rows(m, g) : scree__no_memory(graphs, sizeof *g);
  if (!status) {
    m->at = at; /* labels are read through it */
    status = give_labels(m, g);
    m->at = NULL;
  }
  status = scree__agree(graphs, status);
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

/* ---- as edges of another graph ----------------------------------------------------------------------------------- */

static double weight_at(const image *m, const scree__image_part *p, uint64_t e) {
  const scree_graph view = {.weight = (scree_weight_kind)m->h.weight, .weights = m->at + p->weights};
  return scree_arc_weight(&view, e);
}

static uint64_t head_at(const image *m, const scree__image_part *p, uint64_t e) {
  const scree_graph view = {
      .targets = m->at + p->heads, .wide = m->h.flags & SCREE__IMAGE_WIDE, .local_bits = m->h.local_bits};
  scree_location place = scree_graph_target(&view, e);
  return scree_distribution_global(&m->d, scree_location_owner(place), scree_location_local(place));
}

static void add_rows(const image *m, uint32_t part, uint64_t from, uint64_t to, scree_graph_builder *builder) {
  enum { MANY = 256 };
  const scree__image_part *p = &m->parts[part];
  const uint64_t *offsets = (const void *)(m->at + p->offsets);
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

static void my_rows(const image *m, uint32_t part, uint64_t *from, uint64_t *to) {
  scree_worker *w = m->reader->graphs->worker;
  scree__share(m->parts[part].locals, scree_rank(w), scree_ranks(w), from, to);
}

static scree_status check_mine(const image *m) {
  scree_status status = SCREE_OK;
  uint64_t from, to;
  for (uint32_t i = 0; i < m->h.ranks && !status; i++) {
    my_rows(m, i, &from, &to);
    status = check_rows(m, &m->parts[i], from, to);
  }
  return scree__agree(m->reader->graphs, status);
}

static scree_status begin(const image *m, scree_graph_builder **builder) {
  scree_graph_shape shape = {.n = m->h.n,
                             .distribution = m->reader->options->distribution,
                             .weight = scree__weight_kind(m->reader->options, (scree_weight_kind)m->h.weight),
                             .directed = m->h.flags & SCREE__IMAGE_DIRECTED};
  scree_status status = scree__plan_check(m->reader->graphs, &shape, m->h.edges, false);
  return status ? status : scree_graph_builder_begin(m->reader->graphs, &shape, builder);
}

static scree_status rebuild(image *m, scree_graph **graph) {
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
  status = scree__agree(m->reader->graphs, give_labels(m, g));
  if (status)
    scree_graph_free(g);
  else
    *graph = g;
  return status;
}

/* ---- the format -------------------------------------------------------------------------------------------------- */

static scree_status load(scree__reader *reader, scree_graph **graph) {
  image m = {.reader = reader};
  scree_status status = scree__agree(reader->graphs, open_image(&m));
  if (!status) status = fits(&m) ? map_rows(&m, graph) : rebuild(&m, graph);
  if (m.at) scree__image_unmap((void *)m.at, reader->file.size);
  free(m.parts);
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
    .instead = "says itself what it holds",
    .known = known,
    .binary = true,
    .load = load,
};
