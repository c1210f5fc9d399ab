/* drawn_world.h - a virtual world drawn by a seed: 1 to 9 ranks, options that make waits and refusals likely. */
#ifndef DRAWN_WORLD_H
#define DRAWN_WORLD_H
#include <scree/scree_sim.h>

#include "base/options.h"

typedef struct {
  uint64_t random; /* for further draws */
  scree_sim_config config;
  scree__options options;
} drawn_world;

/* Of up to so many nodes and workers of each rank. */
drawn_world draw_world(uint64_t seed, uint32_t nodes, uint32_t threads);
#endif
