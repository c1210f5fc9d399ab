/* image_view.c - an image, checked before it is used: the header, rows, labels. Checksums find damage; the other checks
 * also hold for a file whose author made its checksums fit.
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

#include "base/checksum.h"
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

/* Refuses a copy of `bytes` bytes if it does not fit into memory. */
static scree_status reserve(const scree__image_view *m, uint64_t bytes) {
  enum { LARGE = 1 << 26 }; /* bytes from which on it is checked */
  if (!m->copied || bytes < LARGE) return SCREE_OK;
  return scree__memory_check(m->reader->graphs, bytes, "a copy of an image that others may write");
}

/* Puts bytes of the file into memory, where no other user changes them. They are checked after the last call. */
static scree_status fetch(const scree__image_view *m, uint64_t at, uint64_t bytes) {
  if (!m->copied) return SCREE_OK;
  return scree__reader_bytes(m->reader, &m->reader->file, (char *)(uintptr_t)m->at + at, bytes, at);
}

/* Fetches zero bytes between sections, and checks them. */
static scree_status fetch_zeros(const scree__image_view *m, uint64_t at, uint64_t bytes) {
  scree_status status = fetch(m, at, bytes);
  bool zero = true;
  for (uint64_t i = 0; i < bytes && !status && m->sums; i++) zero &= !m->at[at + i];
  return zero ? status : refuse(m, "found damaged bytes between its arrays");
}

static scree_status refuse_block(const scree__image_view *m, uint64_t at, uint64_t bytes) {
  char what[128];
  snprintf(what, sizeof what, "rank %u: found damage in the bytes %" PRIu64 " to %" PRIu64 ": their checksum differs",
           (unsigned)m->reader->graphs->worker->rank, at, at + bytes - 1);
  return refuse(m, what);
}

/* Fetches bytes from .. to-1 of a section, rounded to blocks, and verifies them. */
static scree_status fetch_blocks(const scree__image_view *m, const scree__image_section *s, uint64_t from,
                                 uint64_t to) {
  const uint64_t first = from / SCREE__IMAGE_BLOCK, end = scree__image_blocks(to);
  const uint64_t last = end * SCREE__IMAGE_BLOCK < s->bytes ? end * SCREE__IMAGE_BLOCK : s->bytes;
  const uint64_t sums = s->sums + first * sizeof(uint64_t);
  from = first * SCREE__IMAGE_BLOCK;
  scree_status status = from < last ? fetch(m, s->at + from, last - from) : SCREE_OK;
  if (!status && to == s->bytes) status = fetch_zeros(m, s->at + s->bytes, s->zeros);
  if (!m->sums || status) return status;
  if (from < last) status = fetch(m, sums, (end - first) * sizeof(uint64_t));
  const uint64_t *sum = (const void *)(m->at + sums);
  for (uint64_t at = from, bytes; at < last && !status; at += bytes, sum++) {
    bytes = last - at < SCREE__IMAGE_BLOCK ? last - at : SCREE__IMAGE_BLOCK;
    if (scree__checksum(m->at + s->at + at, bytes) != *sum) status = refuse_block(m, s->at + at, bytes);
  }
  return status;
}

/* ---- header ---- */

static const char *wrong_start(const scree__image_header *h, uint64_t size) {
  if (memcmp(h->magic, SCREE__IMAGE_MAGIC, sizeof h->magic)) return "found no image of a graph, expected one";
  if (h->order != SCREE__IMAGE_ORDER) return "found an image of a machine with another byte order";
  if (!scree__image_is_known(h)) return "found an image of another version of scree, expected version 1 or 2";
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

/* Checks the bytes before the labels and before the parts. */
static scree_status check_gaps(const scree__image_view *m) {
  const uint64_t head = sizeof m->h + m->h.ranks * sizeof(uint64_t), sums = scree__image_sums_end(&m->h, m->parts);
  scree_status status = fetch_zeros(m, head, scree__image_head_bytes(m->h.ranks) - head);
  return status ? status : fetch_zeros(m, sums, m->parts[0].offsets.at - sums);
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
  m->sums = m->h.version != SCREE__IMAGE_WITHOUT_SUMS && !m->reader->options->trust;
  const char *wrong = wrong_start(&m->h, file->size);
  if (wrong) return refuse(m, wrong);
  status = fetch(m, sizeof m->h, scree__image_head_bytes(m->h.ranks) - sizeof m->h);
  if (status) return status;
  const uint64_t *arcs = (const void *)(m->at + sizeof m->h);
  wrong = wrong_header(&m->h, arcs, file->size);
  status = wrong ? refuse(m, wrong) : find_parts(m, arcs);
  return status ? status : check_gaps(m);
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

/* The same for heads of 4 bytes, in numbers of 4 bytes: a compiler checks several at once. */
static bool good_narrow_heads(const scree__image_view *m, const uint32_t *heads, uint64_t count) {
  const uint32_t bits = m->h.local_bits, mask = (UINT32_C(1) << bits) - 1;
  const uint32_t ranks = m->d.ranks, min = (uint32_t)m->d.min, extra = (uint32_t)m->d.extra;
  uint32_t bad = 0;
  for (uint64_t e = 0; e < count; e++) {
    const uint32_t owner = heads[e] >> bits;
    bad |= (owner >= ranks) | ((heads[e] & mask) >= min + (owner < extra));
  }
  return !bad;
}

static bool good_heads(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint32_t *narrow = (const void *)(m->at + p->heads.at);
  const uint64_t *wide = (const void *)(m->at + p->heads.at);
  bool good = true;
  if (m->h.flags & SCREE__IMAGE_WIDE)
    for (uint64_t e = from; e < to; e++) good &= good_head(m, wide[e]);
  else if (m->h.local_bits < 32)
    good = good_narrow_heads(m, narrow + from, to - from);
  else
    for (uint64_t e = from; e < to; e++) good &= good_head(m, narrow[e]);
  return good;
}

/* Weights from 0 to weight_max: so no NaN either. */
static bool good_weights(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const float *floats = (const void *)(m->at + p->weights.at);
  const double *doubles = (const void *)(m->at + p->weights.at), max = m->h.weight_max;
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
  scree_status status = fetch_blocks(m, &p->offsets, 0, word);
  if (!status) status = fetch_blocks(m, &p->offsets, p->locals * word, p->offsets.bytes);
  return status ? status : fetch_blocks(m, &p->offsets, from * word, (to + 1) * word);
}

/* Fetches and checks items from .. to-1 of a section, `bytes` each, piece by piece while they are in the cache. `good`
 * may be NULL. */
static scree_status check_items(const scree__image_view *m, const scree__image_part *p, const scree__image_section *s,
                                uint64_t bytes, uint64_t from, uint64_t to,
                                bool (*good)(const scree__image_view *, const scree__image_part *, uint64_t, uint64_t),
                                const char *wrong) {
  enum { PIECE = 4 * SCREE__IMAGE_BLOCK };
  do {
    uint64_t end = bytes ? (from * bytes / PIECE + 1) * PIECE / bytes : to;
    if (end > to) end = to;
    scree_status status = fetch_blocks(m, s, from * bytes, end * bytes);
    if (!status && good && !good(m, p, from, end)) status = refuse(m, wrong);
    if (status) return status;
    from = end;
  } while (from < to);
  return SCREE_OK;
}

/* Heads and weights of arcs from .. to-1. Weights that the graph does not get are only verified. */
static scree_status check_arcs(const scree__image_view *m, const scree__image_part *p, uint64_t from, uint64_t to) {
  const uint64_t head = scree__head_bytes(m->h.flags & SCREE__IMAGE_WIDE);
  const uint64_t weight = scree__weight_bytes((scree_weight_kind)m->h.weight);
  const bool given = m->reader->options->weights == SCREE_WEIGHTS_GIVEN;
  scree_status status = reserve(m, (to - from) * (head + weight));
  if (!status) status = check_items(m, p, &p->heads, head, from, to, good_heads, "found damaged rows: heads of arcs");
  if (status || (!given && !m->sums)) return status;
  return check_items(m, p, &p->weights, weight, from, to, given ? good_weights : NULL, "found damaged rows: weights");
}

scree_status scree__image_check_rows(const scree__image_view *m, const scree__image_part *p, uint64_t from,
                                     uint64_t to) {
  const uint64_t *offsets = (const void *)(m->at + p->offsets.at);
  scree_status status = fetch_offsets(m, p, from, to);
  if (status) return status;
  if (!good_offsets(offsets, from, to, p->locals, p->arcs)) return refuse(m, "found damaged rows: offsets");
  return check_arcs(m, p, offsets[from], offsets[to]);
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
  const scree__image_section given = scree__image_labels(&m->h, false), order = scree__image_labels(&m->h, true);
  const uint64_t n = m->h.n, *labels = (const void *)(m->at + given.at);
  const bool sorted = !(m->h.flags & SCREE__IMAGE_BY_LABEL);
  g->label_base = m->h.label_base;
  if (!(m->h.flags & SCREE__IMAGE_LABELS)) return SCREE_OK;
  scree_status status = reserve(m, given.bytes + order.bytes);
  if (!status) status = fetch_blocks(m, &given, 0, given.bytes);
  if (!status) status = fetch_blocks(m, &order, 0, order.bytes);
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
