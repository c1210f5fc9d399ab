/* sort.c - sorts the keys of a row, and searches in it. */
#include <string.h>

#include "tc/run.h"

enum { SHORT = 40, DIGIT = 8 };

static void insert_each(uint64_t *keys, uint64_t count) {
  for (uint64_t i = 1; i < count; i++) {
    const uint64_t key = keys[i];
    uint64_t k = i;
    for (; k && keys[k - 1] > key; k--) keys[k] = keys[k - 1];
    keys[k] = key;
  }
}

uint64_t *scree__tc_sort(uint64_t *keys, uint64_t *spare, uint64_t count, unsigned bits) {
  if (count <= SHORT) {
    insert_each(keys, count);
    return keys;
  }
  for (unsigned shift = 0; shift < bits; shift += DIGIT) {
    uint64_t next[(1 << DIGIT) + 1] = {0};
    for (uint64_t i = 0; i < count; i++) next[(keys[i] >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (int d = 0; d < 1 << DIGIT; d++) next[d + 1] += next[d];
    for (uint64_t i = 0; i < count; i++) spare[next[keys[i] >> shift & ((1 << DIGIT) - 1)]++] = keys[i];
    uint64_t *sorted = spare;
    spare = keys;
    keys = sorted;
  }
  return keys;
}

uint64_t scree__tc_search(scree__tc_row row, bool wide, uint64_t from, uint64_t key) {
  uint64_t step = 1, low = from;
  while (low + step < row.end && scree__head_get(row.keys, wide, low + step) < key) {
    low += step;
    step *= 2;
  }
  uint64_t high = low + step < row.end ? low + step : row.end;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (scree__head_get(row.keys, wide, middle) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
