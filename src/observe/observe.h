/* observe.h - what a world prints about itself, as features that join it. */
#ifndef SCREE__OBSERVE_H
#define SCREE__OBSERVE_H
#include "core/holder.h"

/* Statistics when the world closes, and the hang report. */
extern const scree__feature scree__stats_feature;
extern const scree__feature scree__trace_feature;

/* A failure that nobody reads. */
extern const scree__feature scree__last_words_feature;
void scree__watch_last_words(scree_world *world);

static inline const char *scree__detector_name(const scree_world *world) {
  return world->options.detector == SCREE_DETECTOR_FLAT ? "flat" : "node";
}

/* reduced_stats.c */
void scree__caches_print(const scree_world *world, FILE *to, bool json);
#endif
