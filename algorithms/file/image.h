/* image.h - the layout of a binary file that is mapped instead of read: rows as they are in memory, a part for each
 * rank.
 *
 * A header, a number for each part, the labels if they have gaps, then the parts: offsets, packed heads, weights, as a
 * rank of the distribution holds them. Numbers are in the byte order of the machine that wrote them. */
#ifndef SCREE__IMAGE_H
#define SCREE__IMAGE_H
#include <scree/graph.h>

#define SCREE__IMAGE_MAGIC "\211scree\r\n" /* a transfer in text mode changes it */
enum { SCREE__IMAGE_WORD = 6 /* of the magic, before the end of its line */ };
enum { SCREE__IMAGE_ORDER = 0x01020304, SCREE__IMAGE_VERSION = 1, SCREE__IMAGE_PAGE = 4096, SCREE__IMAGE_LINE = 64 };
enum { SCREE__IMAGE_DIRECTED = 1, SCREE__IMAGE_WIDE = 2, SCREE__IMAGE_LABELS = 4, SCREE__IMAGE_BY_LABEL = 8 };

typedef struct scree__image_header {
  char magic[8];
  uint32_t order, version; /* SCREE__IMAGE_ORDER in the writer's byte order */
  uint64_t check;          /* of all that follows, the parts' numbers of arcs included */
  uint64_t n, edges, arcs, label_base;
  double weight_max;
  uint32_t ranks, distribution, weight, flags, local_bits, reserved;
} scree__image_header; /* followed by the number of arcs of each part */

/* Where a part is in the file; computed, never read from it. */
typedef struct scree__image_part {
  uint64_t locals, arcs;
  uint64_t offsets, heads, weights; /* in bytes from the file's beginning */
} scree__image_part;

/* Sum of the header after `check` and of the parts' numbers of arcs. Local. */
uint64_t scree__image_check(const scree__image_header *h, const uint64_t *arcs);
/* Bytes of the header and the numbers of arcs: where the labels begin. */
uint64_t scree__image_head_bytes(uint32_t ranks);
/* Fills parts[0 .. ranks-1]. Returns the bytes of the whole file. Local. */
uint64_t scree__image_parts(const scree__image_header *h, const uint64_t *arcs, scree__image_part *parts);

#endif
