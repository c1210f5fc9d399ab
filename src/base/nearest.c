/* nearest.c - the known name that a user may have meant. */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { NAME_BYTES = 48 };

/* Levenshtein's distance, one row at a time. Longer names are cut: near names are short. */
size_t scree__edit_distance(const char *a, const char *b) {
  size_t row[NAME_BYTES + 1], n = strlen(b);
  if (n > NAME_BYTES) n = NAME_BYTES;
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

const char *scree__nearest(const char *name, const char *const *names, size_t count) {
  const char *nearest = NULL;
  size_t min = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t distance = scree__edit_distance(name, names[i]);
    if (distance >= min) continue;
    min = distance;
    nearest = names[i];
  }
  return nearest;
}
