/* u64_vector.c - a growing array of 64-bit numbers, sorted by a radix sort. */
#include "graph/u64_vector.h"

#include <stdlib.h>
#include <string.h>

#include "sort/counting_sort.h"

enum { FEW = 40 }; /* numbers that are sorted by insertion */

bool scree__u64_vector_append(scree__u64_vector *vector, const uint64_t *from, size_t count) {
  if (vector->count + count > vector->capacity) {
    size_t capacity = vector->capacity * 2 > vector->count + count ? vector->capacity * 2 : vector->count + count + 64;
    uint64_t *at = realloc(vector->at, capacity * sizeof *at);
    if (!at) return false;
    vector->at = at;
    vector->capacity = capacity;
  }
  if (count) memcpy(vector->at + vector->count, from, count * sizeof *from);
  vector->count += count;
  return true;
}

/* One pass of a radix sort, by one byte. */
static void pass(const uint64_t *from, uint64_t *to, size_t n, int shift) {
  size_t start[256] = {0};
  SCREE__COUNTING_SORT(start, 256, n, i, from[i] >> shift & 255, at, to[at] = from[i]);
}

static void insert_each(uint64_t *at, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const uint64_t number = at[i];
    size_t k = i;
    for (; k && at[k - 1] > number; k--) at[k] = at[k - 1];
    at[k] = number;
  }
}

size_t scree__u64_sort_unique(uint64_t **at, uint64_t *spare, size_t n) {
  uint64_t *from = *at, differ = 0;
  size_t kept = 0;
  if (n <= FEW)
    insert_each(from, n);
  else
    for (size_t i = 0; i < n; i++) differ |= from[i] ^ from[0];
  for (int shift = 0; shift < 64; shift += 8)
    if (differ >> shift & 255) {
      pass(from, spare, n, shift);
      uint64_t *sorted = spare;
      spare = from;
      from = sorted;
    }
  for (size_t i = 0; i < n; i++)
    if (!i || from[i] != from[kept - 1]) from[kept++] = from[i];
  *at = from;
  return kept;
}

bool scree__u64_vector_sort_unique(scree__u64_vector *vector) {
  const size_t n = vector->count;
  uint64_t *const at = vector->at, *other = malloc((n + 1) * sizeof *other);
  if (!other) return false;
  vector->count = scree__u64_sort_unique(&vector->at, other, n);
  if (vector->at == other) vector->capacity = n + 1;
  free(vector->at == other ? at : other);
  return true;
}
