/* common_items.c - fixed-size items from 8 bytes to the largest; draws from Zipf's distribution.
 *
 * Each size has a message type, because a send is compiled for one size. The stamps in an item show whether it arrived
 * intact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define SIZES(X) X(8) X(64) X(256) X(1024) X(2048) X(4096) X(8192) X(16384) X(32768)

#define DEFINE_ITEM(size)                                                                                              \
  typedef struct {                                                                                                     \
    char bytes[size];                                                                                                  \
  } item##size;                                                                                                        \
  SCREE_MESSAGE(move##size, item##size);                                                                               \
  static void send##size(scree_worker *w, uint32_t type, uint32_t dest, const void *item) {                            \
    move##size##_send(w, (move##size##_type){type}, dest, *(const item##size *)item);                                  \
  }
SIZES(DEFINE_ITEM)

#define ENTRY(size) {size, send##size},
const bench_item bench_items[] = {SIZES(ENTRY)};
const size_t bench_item_count = sizeof bench_items / sizeof *bench_items;
#define BYTES(size) size,
const size_t bench_item_sizes[] = {SIZES(BYTES) 0};

const bench_item *bench_item_of(size_t bytes) {
  for (size_t i = 0; i < bench_item_count; i++)
    if (bench_items[i].bytes == bytes) return &bench_items[i];
  return NULL;
}

void bench_stamp(void *item, size_t bytes, uint64_t number) {
  uint64_t other = ~number;
  memcpy(item, &number, sizeof number);
  if (bytes >= 2 * sizeof other) memcpy((char *)item + bytes - sizeof other, &other, sizeof other);
}

bool bench_stamped(const void *item, size_t bytes, uint64_t *number) {
  uint64_t other;
  memcpy(number, item, sizeof *number);
  if (bytes < 2 * sizeof other) return true;
  memcpy(&other, (const char *)item + bytes - sizeof other, sizeof other);
  return other == ~*number;
}

/* ---- draws ---- */

double *bench_zipf_sums(uint32_t n, double s) {
  double *sums = malloc(n * sizeof *sums), total = 0;
  for (uint32_t k = 0; sums && k < n; k++) sums[k] = total += pow(k + 1, -s);
  return sums;
}

uint32_t bench_zipf_draw(const double *sums, uint32_t n, uint64_t draw) {
  const double at = (double)(draw >> 11) * 0x1p-53 * sums[n - 1];
  uint32_t low = 0, high = n - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (sums[middle] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
