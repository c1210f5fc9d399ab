/* image.h - the layout of a binary file that is mapped instead of read: rows as they are in memory, a part for each
 * rank.
 *
 * A header, a number for each part, the labels if they have gaps, checksums, then the parts: offsets, packed heads,
 * weights, as a rank of the distribution holds them. Numbers are in the byte order of the machine that wrote them. All
 * bytes between these are zero.
 *
 * Version 1, which scree 0.2 wrote, has no checksums and is otherwise the same. */
#ifndef SCREE__IMAGE_H
#define SCREE__IMAGE_H
#include <scree/graph.h>

#define SCREE__IMAGE_MAGIC "\211scree\r\n" /* a transfer in text mode changes it */
enum { SCREE__IMAGE_WORD = 6 /* of the magic, before the end of its line */ };
enum { SCREE__IMAGE_ORDER = 0x01020304, SCREE__IMAGE_PAGE = 4096, SCREE__IMAGE_LINE = 64 };
enum { SCREE__IMAGE_VERSION = 2, SCREE__IMAGE_WITHOUT_SUMS = 1 };
enum { SCREE__IMAGE_BLOCK = 1 << 16 }; /* bytes of a section with one checksum; the last block may be shorter */
enum { SCREE__IMAGE_DIRECTED = 1, SCREE__IMAGE_WIDE = 2, SCREE__IMAGE_LABELS = 4, SCREE__IMAGE_BY_LABEL = 8 };

typedef struct scree__image_header {
  char magic[8];
  uint32_t order, version; /* SCREE__IMAGE_ORDER in the writer's byte order */
  uint64_t check;          /* of all that follows, the parts' numbers of arcs included */
  uint64_t n, edges, arcs, label_base;
  double weight_max;
  uint32_t ranks, distribution, weight, flags, local_bits, reserved;
} scree__image_header; /* followed by the number of arcs of each part */

/* An array in the file; computed, never read from it. Positions are in bytes from the file's beginning. */
typedef struct scree__image_section {
  uint64_t at, bytes;
  uint64_t zeros; /* bytes between it and what follows */
  uint64_t sums;  /* the position of its checksums, scree__image_blocks(bytes) of 8 bytes */
} scree__image_section;

typedef struct scree__image_part {
  uint64_t locals, arcs;
  scree__image_section offsets, heads, weights;
} scree__image_part;

static inline uint64_t scree__image_blocks(uint64_t bytes) {
  return (bytes + SCREE__IMAGE_BLOCK - 1) / SCREE__IMAGE_BLOCK;
}

/* Returns whether this version of scree reads images of that version and byte order. */
bool scree__image_is_known(const scree__image_header *h);
/* Sum of the header after `check`, of its version and of the parts' numbers of arcs. Local. */
uint64_t scree__image_check(const scree__image_header *h, const uint64_t *arcs);
/* Bytes of the header and the numbers of arcs: where the labels begin. */
uint64_t scree__image_head_bytes(uint32_t ranks);
/* The labels, or with `by_label` the vertices in the order of their labels. It is empty if the header names no such
 * array. */
scree__image_section scree__image_labels(const scree__image_header *h, bool by_label);
/* The position after the last checksum. */
uint64_t scree__image_sums_end(const scree__image_header *h, const scree__image_part *parts);
/* Fills parts[0 .. ranks-1]. Returns the bytes of the whole file. Local. */
uint64_t scree__image_parts(const scree__image_header *h, const uint64_t *arcs, scree__image_part *parts);

#endif
