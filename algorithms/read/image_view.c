/* image_view.c - an image, checked before it is used: the header, rows, labels.
 *
 * It is mapped if only the user and root can write it. Else another user could change it after the check, or cut it,
 * which ends a process by SIGBUS: then the bytes that are needed are copied, and the copy is checked. */
#include "read/image_view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build/memory_check.h"
#include "graph/consensus.h"
#include "graph/structure.h"

static scree_status refuse(const scree__image_view *m, const char *what) {
  return scree__why(m->reader->graphs, SCREE_EINVAL, "%s: %s; write it anew with 'scree convert'", m->reader->file.path,
                    what);
}

/* ---- in memory ---- */

static scree_status map(scree__image_view *m) {
  const scree__file *file = &m->reader->file;
  m->copied = !scree__file_is_ours(file);
  void *at = m->copied
                 ? mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                 : mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);
  if (at == MAP_FAILED)
    return scree__why(m->reader->graphs, errno == ENOMEM ? SCREE_ENOMEM : SCREE_EINVAL,
                      "%s: rank %u: cannot be mapped: %s; use more ranks, or check the file", file->path,
                      (unsigned)m->reader->graphs->worker->rank, strerror(errno));
  m->at = at;
  return SCREE_OK;
}

/* Puts bytes of the file into memory, where no other user changes them. Called once, before they are checked. */
static scree_status fetch(const scree__image_view *m, uint64_t at, uint64_t bytes) {
  enum { LARGE = 1 << 26 }; /* bytes from which on it is checked whether they fit */
  if (!m->copied) return SCREE_OK;
  scree_status status = bytes < LARGE
                            ? SCREE_OK
                            : scree__memory_check(m->reader->graphs, bytes, "a copy of an image that others may write");
  return status ? status : scree__reader_bytes(m->reader, &m->reader->file, (char *)(uintptr_t)m->at + at, bytes, at);
}

/* ---- header ---- */

static const char *wrong_start(const scree__image_header *h, uint64_t size) {
  if (memcmp(h->magic, SCREE__IMAGE_MAGIC, sizeof h->magic)) return "found no image of a graph, expected one";
  if (h->order != SCREE__IMAGE_ORDER) return "found an image of a machine with another byte order";
  if (h->version != SCREE__IMAGE_VERSION) return "found an image of another version of scree, expected version 1";
  if (size < sizeof *h || scree__image_head_bytes(h->ranks) > size) return "found a truncated header";
  return NULL;
}

/* Refuses counts that the file is too short for, so that no sum can overflow. */
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
  scree__graph_set_width(&g, h->flags & SCREE__IMAGE_WIDE);
  bool same = g.local_bits == h->local_bits && g.wide == !!(h->flags & SCREE__IMAGE_WIDE);
  return same ? NULL : "found a damaged header: width of heads";
}

static const char *wrong_header(const scree__image_header *h, const uint64_t *arcs, uint64_t size) {
  if (!h->ranks || scree__image_check(h, arcs) != h->check) return "found a damaged header: its checksum differs";
  const char *wrong = wrong_bounds(h, size);
  return wrong ? wrong : wrong_counts(h, arcs);
}

/* Finds the parts, which must fill the file. */
static scree_status find_parts(scree__image_view *m, const uint64_t *arcs) {
  m->parts = malloc(m->h.ranks * sizeof *m->parts);
  if (!m->parts) return scree__no_memory(m->reader->graphs, "the parts of an image", m->h.ranks * sizeof *m->parts);
  uint64_t size = scree__image_parts(&m->h, arcs, m->parts), found = m->reader->file.size;
  scree_distribution_init(&m->d, (scree_distribution_kind)m->h.distribution, m->h.n, m->h.ranks);
  if (size == found) return SCREE_OK;
  char what[128];
  snprintf(what, sizeof what, "found %" PRIu64 " bytes, expected %" PRIu64 " as the header says", found, size);
  return refuse(m, what);
}

scree_status scree__image_open(scree__image_view *m) {
  const scree__file *file = &m->reader->file;
  if (file->compression)
    return scree__why(m->reader->graphs, SCREE_EINVAL,
                      "%s: found a compressed image, which cannot be mapped; decompress it", file->path);
  scree_status status = map(m);
  if (!status) status = fetch(m, 0, file->size < sizeof m->h ? file->size : sizeof m->h);
  if (status) return status;
  memcpy(&m->h, m->at, file->size < sizeof m->h ? file->size : sizeof m->h);
  const char *wrong = wrong_start(&m->h, file->size);
  if (wrong) return refuse(m, wrong);
  status = fetch(m, sizeof m->h, scree__image_head_bytes(m->h.ranks) - sizeof m->h);
  if (status) return status;
  const uint64_t *arcs = (const void *)(m->at + sizeof m->h);
  wrong = wrong_header(&m->h, arcs, file->size);
  return wrong ? refuse(m, wrong) : find_parts(m, arcs);
}

/* ---- rows ---- */

static bool good_offsets(const uint64_t *offsets, uint64_t from, uint64_t to, uint64_t locals, uint64_t arcs) {
  bool good = offsets[0] == 0 && offsets[locals] == arcs;
  for (uint64_t u = from; u < to; u++) good &= offsets[u] <= offsets[u + 1];
  return good && offsets[to] <= arcs;
}

static bool good_head(const scree__image_view *m, uint64_t head) {
  uint64_t owner = head >> m->h.local_bits, local = head & ((UINT64_C(1) << m->h.local_bits) - 1);
  return (owner < m->d.ranks) & (local < m->d.min + (owner < m->d.extra));
}

static bool good_heads(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint32_t *narrow = (const void *)(m->at + p->heads);
  const uint64_t *wide = (const void *)(m->at + p->heads);
  bool good = true;
  if (m->h.flags & SCREE__IMAGE_WIDE)
    for (uint64_t e = from; e < to; e++) good &= good_head(m, wide[e]);
  else
    for (uint64_t e = from; e < to; e++) good &= good_head(m, narrow[e]);
  return good;
}

/* Weights from 0 to weight_max: so no NaN either. */
static bool good_weights(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const float *floats = (const void *)(m->at + p->weights);
  const double *doubles = (const void *)(m->at + p->weights), max = m->h.weight_max;
  bool good = max >= 0 && isfinite(max);
  if (m->h.weight == SCREE_WEIGHT_FLOAT)
    for (uint64_t e = from; e < to; e++) good &= floats[e] >= 0 && (double)floats[e] <= max;
  if (m->h.weight == SCREE_WEIGHT_DOUBLE)
    for (uint64_t e = from; e < to; e++) good &= doubles[e] >= 0 && doubles[e] <= max;
  return good;
}

/* The offsets of these rows, the first and the last. */
static scree_status fetch_offsets(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint64_t word = sizeof(uint64_t);
  scree_status status = fetch(m, p->offsets, word);
  if (!status) status = fetch(m, p->offsets + p->locals * word, word);
  return status ? status : fetch(m, p->offsets + from * word, (to + 1 - from) * word);
}

/* Heads and weights of arcs from .. to-1. */
static scree_status fetch_arcs(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint64_t head = scree__head_bytes(m->h.flags & SCREE__IMAGE_WIDE);
  const uint64_t weight = scree__weight_bytes((scree_weight_kind)m->h.weight);
  scree_status status = fetch(m, p->heads + from * head, (to - from) * head);
  return status ? status : fetch(m, p->weights + from * weight, (to - from) * weight);
}

scree_status scree__image_check_rows(const scree__image_view *m, const scree__image_part *p, uint64_t from,
                                     uint64_t to) {
  const uint64_t *offsets = (const void *)(m->at + p->offsets);
  scree_status status = fetch_offsets(m, p, from, to);
  if (status) return status;
  if (!good_offsets(offsets, from, to, p->locals, p->arcs)) return refuse(m, "found damaged rows: offsets");
  status = fetch_arcs(m, p, offsets[from], offsets[to]);
  if (status) return status;
  if (!good_heads(m, p, offsets[from], offsets[to])) return refuse(m, "found damaged rows: heads of arcs");
  if (!good_weights(m, p, offsets[from], offsets[to])) return refuse(m, "found damaged rows: weights");
  return SCREE_OK;
}

/* ---- labels ---- */

static bool good_labels(const scree__image_view *m, const uint64_t *labels, const uint64_t *by_label) {
  bool good = true;
  for (uint64_t i = 0; by_label && i < m->h.n; i++) good &= by_label[i] < m->h.n;
  for (uint64_t i = 1; good && i < m->h.n; i++)
    good = by_label ? labels[by_label[i - 1]] < labels[by_label[i]] : labels[i - 1] < labels[i];
  return good;
}

/* Those of this rank's vertices. */
static void copy_labels(const uint64_t *labels, const uint64_t *by_label, scree_graph *g, uint64_t *to,
                        uint64_t *index) {
  const uint32_t rank = scree_graph_rank(g);
  for (uint64_t u = 0; u < g->locals; u++) to[u] = labels[scree_graph_vertex(g, scree_location_make(rank, u))];
  for (uint64_t i = 0; by_label && i < g->vertices.n; i++) {
    const scree_location p = scree_graph_location(g, by_label[i]);
    if (scree_location_owner(p) == rank) index[scree_location_local(p)] = i;
  }
}

scree_status scree__image_give_labels(const scree__image_view *m, scree_graph *g) {
  const uint64_t n = m->h.n, *labels = (const void *)(m->at + scree__image_head_bytes(m->h.ranks));
  const bool sorted = !(m->h.flags & SCREE__IMAGE_BY_LABEL);
  g->label_base = m->h.label_base;
  if (!(m->h.flags & SCREE__IMAGE_LABELS)) return SCREE_OK;
  scree_status status = fetch(m, scree__image_head_bytes(m->h.ranks), (sorted ? n : 2 * n) * sizeof *labels);
  if (status) return status;
  if (!good_labels(m, labels, sorted ? NULL : labels + n)) return refuse(m, "found damaged labels");
  const size_t bytes = ((size_t)g->locals + 1) * sizeof *labels;
  uint64_t *own = scree_graphs_alloc(g->graphs, bytes), *index = sorted ? NULL : scree_graphs_alloc(g->graphs, bytes);
  g->labels = own;
  g->label_index = index;
  if (!own || (!sorted && !index)) return scree__no_memory(g->graphs, "the labels of an image", 2 * bytes);
  copy_labels(labels, sorted ? NULL : labels + n, g, own, index);
  return SCREE_OK;
}

void scree__image_close(scree__image_view *m) {
  if (m->at) munmap((void *)(uintptr_t)m->at, m->reader->file.size);
  free(m->parts);
}
