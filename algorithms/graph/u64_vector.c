/* u64_vector.c - a growing array of 64-bit numbers, sorted by a radix sort. */
#include "graph/u64_vector.h"

#include <stdlib.h>
#include <string.h>

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

/* One pass of a radix sort by one byte; false if all have the same one, and nothing was moved. */
static bool pass(const uint64_t *from, uint64_t *to, size_t n, int shift) {
  size_t start[257] = {0};
  for (size_t i = 0; i < n; i++) start[(from[i] >> shift & 255) + 1]++;
  if (start[(from[0] >> shift & 255) + 1] == n) return false;
  for (int b = 0; b < 256; b++) start[b + 1] += start[b];
  for (size_t i = 0; i < n; i++) to[start[from[i] >> shift & 255]++] = from[i];
  return true;
}

bool scree__u64_vector_sort_unique(scree__u64_vector *vector) {
  size_t n = vector->count, kept = 0;
  if (!n) return true;
  uint64_t *other = malloc(n * sizeof *other);
  if (!other) return false;
  for (int shift = 0; shift < 64; shift += 8)
    if (pass(vector->at, other, n, shift)) {
      uint64_t *swap = vector->at;
      vector->at = other;
      other = swap;
      vector->capacity = n;
    }
  free(other);
  for (size_t i = 0; i < n; i++)
    if (!i || vector->at[i] != vector->at[kept - 1]) vector->at[kept++] = vector->at[i];
  vector->count = kept;
  return true;
}
