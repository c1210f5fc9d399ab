/* drawn_world.c - drawn worlds. */
#include "drawn_world.h"

#include "base/hash.h"
#include "base/random.h"

drawn_world draw_world(uint64_t seed, uint32_t nodes, uint32_t threads) {
  uint64_t random = scree__hash(seed);
  const uint32_t ranks = 1 + (uint32_t)(scree__draw(&random) % 9), max = ranks < nodes ? ranks : nodes;
  drawn_world d = {.config = {.seed = seed, .ranks = ranks, .max_steps = 100000000, .quiet = true},
                   .options = SCREE__OPTIONS_INIT};
  d.config.nodes = 1 + (uint32_t)(scree__draw(&random) % max);
  d.config.threads = 1 + (uint32_t)(scree__draw(&random) % threads);
  if (scree__draw(&random) % 2) d.options.test_pool_blocks = d.options.in_flight = 1;
  if (scree__draw(&random) % 4 == 0) d.options.checked = SCREE_CHECKED_ON;
  if (scree__draw(&random) % 4 == 0) d.options.detector = SCREE_DETECTOR_FLAT;
  d.options.route = scree__draw(&random) % 2 ? SCREE_ROUTE_DIRECT : scree__draw(&random) % (SCREE_ROUTE_RING + 1);
  d.options.aggregate = scree__draw(&random) % 2;
  d.options.batch_max = 1 + scree__draw(&random) % 8;
  d.options.flush_age = scree__draw(&random) % 3 * 1000000;
  const uint64_t numbers = scree__hash_draw(seed, 1); /* of a stream of its own: worlds stay what they were */
  if (numbers % 2) d.options.test_numbers_left = 1 + (numbers >> 8) % 8;
  d.random = random;
  return d;
}
