/* words.c - a growing array of 64-bit words that can be sorted.
 *
 * Room: the sets of ids that readers of edge lists collect. */
#include <stdlib.h>
#include <string.h>

#include "graph/internal.h"

bool scree__words_add(scree__words *words, const uint64_t *from, size_t count) {
  if (words->count + count > words->room) {
    size_t room = words->room * 2 > words->count + count ? words->room * 2 : words->count + count + 64;
    uint64_t *at = realloc(words->at, room * sizeof *at);
    if (!at) return false;
    words->at = at;
    words->room = room;
  }
  if (count) memcpy(words->at + words->count, from, count * sizeof *from);
  words->count += count;
  return true;
}

/* One pass of a radix sort by one byte; false if all words have the same one, and nothing was moved. */
static bool pass(const uint64_t *from, uint64_t *to, size_t n, int shift) {
  size_t start[257] = {0};
  for (size_t i = 0; i < n; i++) start[(from[i] >> shift & 255) + 1]++;
  if (start[(from[0] >> shift & 255) + 1] == n) return false;
  for (int b = 0; b < 256; b++) start[b + 1] += start[b];
  for (size_t i = 0; i < n; i++) to[start[from[i] >> shift & 255]++] = from[i];
  return true;
}

bool scree__words_unique(scree__words *words) {
  size_t n = words->count, kept = 0;
  if (!n) return true;
  uint64_t *other = malloc(n * sizeof *other);
  if (!other) return false;
  for (int shift = 0; shift < 64; shift += 8)
    if (pass(words->at, other, n, shift)) {
      uint64_t *swap = words->at;
      words->at = other;
      other = swap;
      words->room = n;
    }
  free(other);
  for (size_t i = 0; i < n; i++)
    if (!i || words->at[i] != words->at[kept - 1]) words->at[kept++] = words->at[i];
  words->count = kept;
  return true;
}
