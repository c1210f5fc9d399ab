/* nearest.c - the nearest of some names.
 *
 * Room: see nearest.h. */
#include "nearest.h"

#include <stdint.h>

#include "core/nearest.h"

const char *study_nearest(const char *name, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t d = scree__edit_distance(name, names[i]);
    if (d < least) best = names[i], least = d;
  }
  return best;
}
