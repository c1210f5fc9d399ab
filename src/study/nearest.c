/* nearest.c - the name that may have been meant.
 *
 * Room: see nearest.h. */
#include "nearest.h"

#include <stdint.h>

#include "core/nearest.h"

const char *study_nearest(const char *name, const char *const *names, size_t count) {
  const char *nearest = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t distance = scree__edit_distance(name, names[i]);
    if (distance >= least) continue;
    least = distance;
    nearest = names[i];
  }
  return nearest;
}
