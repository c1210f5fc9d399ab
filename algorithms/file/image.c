/* image.c - what writer and reader of images compute alike: checksum and layout. */
#include "file/image.h"

#include <scree/graph/files.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "graph/structure.h"
#include "io/input_file.h"

static uint64_t up(uint64_t bytes, uint64_t to) {
  return (bytes + to - 1) / to * to;
}

bool scree__image_is_known(const scree__image_header *h) {
  const bool version = h->version == SCREE__IMAGE_VERSION || h->version == SCREE__IMAGE_WITHOUT_SUMS;
  return !memcmp(h->magic, SCREE__IMAGE_MAGIC, sizeof h->magic) && h->order == SCREE__IMAGE_ORDER && version;
}

uint64_t scree__image_check(const scree__image_header *h, const uint64_t *arcs) {
  const size_t from = offsetof(scree__image_header, n);
  uint64_t sum = h->version == SCREE__IMAGE_WITHOUT_SUMS ? 0 : h->version, word;
  for (size_t at = from; at < sizeof *h; at += sizeof word) {
    memcpy(&word, (const char *)h + at, sizeof word);
    sum = scree__hash_draw(sum, word);
  }
  for (uint32_t i = 0; i < h->ranks; i++) sum = scree__hash_draw(sum, arcs[i]);
  return sum;
}

uint32_t scree_image_ranks(const char *path) {
  if (!path) return 0;
  scree__image_header h;
  const char *why;
  const int fd = scree__input_open(path, &why);
  const ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof h, 0);
  if (fd >= 0) close(fd);
  return n == (ssize_t)sizeof h && scree__image_is_known(&h) ? h.ranks : 0;
}

uint64_t scree__image_head_bytes(uint32_t ranks) {
  return up(sizeof(scree__image_header) + ranks * sizeof(uint64_t), SCREE__IMAGE_LINE);
}

/* ---- sections ---- */

/* The section of `bytes` at `at`, after which the next begins at `next`. Its checksums begin at *sums, which moves to
 * their end. */
static scree__image_section section(uint64_t at, uint64_t bytes, uint64_t next, uint64_t *sums) {
  const scree__image_section s = {at, bytes, next > at + bytes ? next - at - bytes : 0, *sums};
  *sums += scree__image_blocks(bytes) * sizeof(uint64_t);
  return s;
}

/* The two arrays of labels. Returns the position after their checksums. */
static uint64_t place_labels(const scree__image_header *h, scree__image_section labels[2]) {
  const uint64_t bytes[2] = {h->flags & SCREE__IMAGE_LABELS ? h->n * sizeof(uint64_t) : 0,
                             h->flags & SCREE__IMAGE_BY_LABEL ? h->n * sizeof(uint64_t) : 0};
  const uint64_t first = scree__image_head_bytes(h->ranks), second = first + bytes[0];
  const uint64_t end = up(second + bytes[1], SCREE__IMAGE_LINE);
  uint64_t sums = end;
  labels[0] = section(first, bytes[0], second, &sums);
  labels[1] = section(second, bytes[1], end, &sums);
  return h->version == SCREE__IMAGE_WITHOUT_SUMS ? end : sums;
}

scree__image_section scree__image_labels(const scree__image_header *h, bool by_label) {
  scree__image_section labels[2];
  place_labels(h, labels);
  return labels[by_label];
}

/* Places the parts behind the position `at`, and their checksums at `sums`. Returns the bytes of the whole file. */
static uint64_t place_parts(const scree__image_header *h, const uint64_t *arcs, uint64_t at, uint64_t sums,
                            scree__image_part *parts) {
  const uint64_t head = scree__head_bytes(h->flags & SCREE__IMAGE_WIDE);
  const uint64_t weight = scree__weight_bytes((scree_weight_kind)h->weight);
  scree_distribution d;
  scree_distribution_init(&d, (scree_distribution_kind)h->distribution, h->n, h->ranks);
  for (uint32_t i = 0; i < h->ranks; i++) {
    scree__image_part *p = &parts[i];
    *p = (scree__image_part){.locals = scree_distribution_count(&d, i), .arcs = arcs[i]};
    const uint64_t rows = (p->locals + 1) * sizeof(uint64_t);
    const uint64_t offsets = up(at, SCREE__IMAGE_PAGE), heads = up(offsets + rows, SCREE__IMAGE_LINE);
    const uint64_t weights = up(heads + p->arcs * head, SCREE__IMAGE_LINE);
    at = offsets + rows;
    if (p->arcs) at = weight ? weights + p->arcs * weight : heads + p->arcs * head;
    const uint64_t end = i + 1 < h->ranks ? up(at, SCREE__IMAGE_PAGE) : at; /* no padding after the last */
    p->offsets = section(offsets, rows, heads < end ? heads : end, &sums);
    p->heads = section(heads, p->arcs * head, weights < end ? weights : end, &sums);
    p->weights = section(weights, p->arcs * weight, end, &sums);
  }
  return at;
}

uint64_t scree__image_sums_end(const scree__image_header *h, const scree__image_part *parts) {
  scree__image_section labels[2];
  if (h->version == SCREE__IMAGE_WITHOUT_SUMS || !h->ranks) return place_labels(h, labels);
  const scree__image_section *last = &parts[h->ranks - 1].weights;
  return last->sums + scree__image_blocks(last->bytes) * sizeof(uint64_t);
}

uint64_t scree__image_parts(const scree__image_header *h, const uint64_t *arcs, scree__image_part *parts) {
  scree__image_section labels[2];
  const uint64_t sums = place_labels(h, labels);
  place_parts(h, arcs, 0, sums, parts); /* the number of checksums does not depend on where the parts are */
  return place_parts(h, arcs, scree__image_sums_end(h, parts), sums, parts);
}
