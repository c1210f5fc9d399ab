/* common_requests.c - drawing index lists.
 *
 * Room: what common_requests.h declares. */
#include "common_requests.h"

#include <stdlib.h>

bench_place *bench_places(uint64_t count, uint32_t ranks, uint32_t words, uint64_t seed) {
  bench_place *places = malloc(count * sizeof *places);
  uint64_t x = seed;
  for (uint64_t i = 0; places && i < count; i++) {
    uint32_t rank = (uint32_t)(((bench_draw(&x) >> 32) * ranks) >> 32);
    places[i] = (bench_place){rank, (uint32_t)(((bench_draw(&x) >> 32) * words) >> 32)};
  }
  return places;
}
