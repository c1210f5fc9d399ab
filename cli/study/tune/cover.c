/* cover.c - draws a few configurations out of many so that the values of each axis occur about equally often. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "study/tune/tune.h"

struct tune_cover {
  const study_plan *plan;
  uint32_t *value; /* [configuration][axis]: 1 + index of its value; 0: the axis is absent */
  size_t **times;  /* [axis][index of a value]: how often it was drawn */
  size_t *total;   /* [axis]: the sum over its values */
  bool *taken;     /* [configuration] */
  uint64_t random;
};

static uint32_t index_of(const study_axis *axis, const char *value) {
  for (size_t v = 0; value && v < axis->count; v++)
    if (strcmp(axis->values[v], value) == 0) return (uint32_t)(v + 1);
  return 0;
}

tune_cover *tune_cover_open(const study_plan *plan, uint64_t seed) {
  tune_cover *cover = calloc(1, sizeof *cover);
  if (!cover) return NULL;
  size_t axes = plan->axis_count;
  *cover = (tune_cover){.plan = plan,
                        .value = calloc(plan->count * axes + 1, sizeof *cover->value),
                        .times = calloc(axes + 1, sizeof *cover->times),
                        .total = calloc(axes + 1, sizeof *cover->total),
                        .taken = calloc(plan->count + 1, sizeof *cover->taken),
                        .random = seed};
  bool good = cover->value && cover->times && cover->total && cover->taken;
  for (size_t a = 0; good && a < axes; a++)
    good = (cover->times[a] = calloc(plan->axes[a].count + 1, sizeof **cover->times)) != NULL;
  if (!good) return tune_cover_close(cover), NULL;
  for (size_t i = 0; i < plan->count; i++)
    for (size_t a = 0; a < axes; a++)
      cover->value[i * axes + a] = index_of(&plan->axes[a], study_value(&plan->configurations[i], plan->axes[a].name));
  return cover;
}

/* How often the values of a configuration were drawn, relative to the draws in which their axis was present, so that an
 * axis that rarely applies weighs as much as the others. */
static double staleness(const tune_cover *cover, size_t i) {
  size_t axes = cover->plan->axis_count, present = 0;
  double sum = 0;
  for (size_t a = 0; a < axes; a++) {
    uint32_t v = cover->value[i * axes + a];
    present += v > 0;
    if (v && cover->total[a])
      sum += (double)cover->times[a][v] * (double)cover->plan->axes[a].count / (double)cover->total[a];
  }
  return present ? sum / (double)present : 0;
}

size_t tune_cover_next(tune_cover *cover) {
  size_t best = SIZE_MAX, axes = cover->plan->axis_count;
  uint32_t equals = 0;
  double min = 0;
  for (size_t i = 0; i < cover->plan->count; i++) {
    if (cover->taken[i]) continue;
    double s = staleness(cover, i);
    if (best == SIZE_MAX || s < min) equals = 0, min = s;
    if (s <= min && scree__one_in(&cover->random, ++equals)) best = i;
  }
  if (best == SIZE_MAX) return best;
  cover->taken[best] = true;
  for (size_t a = 0; a < axes; a++) {
    uint32_t v = cover->value[best * axes + a];
    if (v) cover->times[a][v]++, cover->total[a]++;
  }
  return best;
}

void tune_cover_close(tune_cover *cover) {
  if (!cover) return;
  for (size_t a = 0; cover->times && a < cover->plan->axis_count; a++) free(cover->times[a]);
  free(cover->value);
  free(cover->times);
  free(cover->total);
  free(cover->taken);
  free(cover);
}
