/* nearest.c - the nearest of some names.
 *
 * Room: Levenshtein's distance, and its least. */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* One row at a time. Longer names are cut: near names are short. */
static size_t distance(const char *a, const char *b) {
  size_t row[NAME_BYTES + 1], n = strnlen(b, NAME_BYTES);
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; *a; a++, i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t best = diagonal + (*a != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

const char *study_nearest(const char *name, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t d = distance(name, names[i]);
    if (d < least) best = names[i], least = d;
  }
  return best;
}
