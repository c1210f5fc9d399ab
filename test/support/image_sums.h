/* image_sums.h - makes the checksums of a changed image fit, as an author who means harm would do it. For tests and
 * fuzzers.
 *
 * All helpers are inline functions. */
#ifndef IMAGE_SUMS_H
#define IMAGE_SUMS_H
#include <string.h>

#include "base/checksum.h"
#include "file/image.h"

static inline void image_sums_fit_section(char *file, const scree__image_section *s) {
  for (uint64_t i = 0; i < scree__image_blocks(s->bytes); i++) {
    const uint64_t from = i * SCREE__IMAGE_BLOCK, left = s->bytes - from;
    const uint64_t sum = scree__checksum(file + s->at + from, left < SCREE__IMAGE_BLOCK ? left : SCREE__IMAGE_BLOCK);
    memcpy(file + s->sums + i * sizeof sum, &sum, sizeof sum);
  }
}

/* scree__image_parts filled `parts`. */
static inline void image_sums_fit(char *file, const scree__image_header *h, const scree__image_part *parts) {
  for (int by_label = 0; by_label < 2; by_label++) {
    const scree__image_section labels = scree__image_labels(h, by_label);
    image_sums_fit_section(file, &labels);
  }
  for (uint32_t i = 0; i < h->ranks; i++) {
    image_sums_fit_section(file, &parts[i].offsets);
    image_sums_fit_section(file, &parts[i].heads);
    image_sums_fit_section(file, &parts[i].weights);
  }
}

#endif
