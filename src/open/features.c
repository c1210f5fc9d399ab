/* features.c - the list of features. When a world closes a trace is written before the statistics are printed. */
#include "open/features.h"

#include "observe/observe.h"
#include "reduce/caches.h"

const scree__feature *const scree__features[] = {&scree__reduce_feature, &scree__trace_feature, &scree__stats_feature,
                                                 &scree__last_words_feature, NULL};
_Static_assert(sizeof scree__features / sizeof *scree__features <= SCREE__FEATURES_MAX, "each has a word in the world");
