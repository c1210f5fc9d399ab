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

uint64_t scree__image_check(const scree__image_header *h, const uint64_t *arcs) {
  const size_t from = offsetof(scree__image_header, n);
  uint64_t sum = 0, word;
  for (size_t at = from; at < sizeof *h; at += sizeof word) {
    memcpy(&word, (const char *)h + at, sizeof word);
    sum = scree__hash_draw(sum, word);
  }
  for (uint32_t i = 0; i < h->ranks; i++) sum = scree__hash_draw(sum, arcs[i]);
  return sum;
}

uint32_t scree_image_ranks(const char *path) {
  scree__image_header h;
  const char *why;
  const int fd = scree__input_open(path, &why);
  const ssize_t n = fd < 0 ? -1 : pread(fd, &h, sizeof h, 0);
  if (fd >= 0) close(fd);
  const bool is = n == (ssize_t)sizeof h && !memcmp(h.magic, SCREE__IMAGE_MAGIC, sizeof h.magic);
  return is && h.order == SCREE__IMAGE_ORDER && h.version == SCREE__IMAGE_VERSION ? h.ranks : 0;
}

uint64_t scree__image_head_bytes(uint32_t ranks) {
  return up(sizeof(scree__image_header) + ranks * sizeof(uint64_t), SCREE__IMAGE_LINE);
}

uint64_t scree__image_parts(const scree__image_header *h, const uint64_t *arcs, scree__image_part *parts) {
  scree_distribution d;
  uint64_t at = scree__image_head_bytes(h->ranks);
  const uint64_t head = scree__head_bytes(h->flags & SCREE__IMAGE_WIDE);
  const uint64_t weight = scree__weight_bytes((scree_weight_kind)h->weight);
  scree_distribution_init(&d, (scree_distribution_kind)h->distribution, h->n, h->ranks);
  if (h->flags & SCREE__IMAGE_LABELS) at += h->n * sizeof(uint64_t);
  if (h->flags & SCREE__IMAGE_BY_LABEL) at += h->n * sizeof(uint64_t);
  for (uint32_t i = 0; i < h->ranks; i++) {
    scree__image_part *p = &parts[i];
    *p = (scree__image_part){.locals = scree_distribution_count(&d, i), .arcs = arcs[i]};
    p->offsets = up(at, SCREE__IMAGE_PAGE);
    p->heads = up(p->offsets + (p->locals + 1) * sizeof(uint64_t), SCREE__IMAGE_LINE);
    p->weights = up(p->heads + p->arcs * head, SCREE__IMAGE_LINE);
    at = p->offsets + (p->locals + 1) * sizeof(uint64_t); /* no padding after the last */
    if (p->arcs) at = weight ? p->weights + p->arcs * weight : p->heads + p->arcs * head;
  }
  return at;
}
