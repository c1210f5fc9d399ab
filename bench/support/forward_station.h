/* forward_station.h - worlds over nil_transport.h in which made blocks arrive.
 *
 * There are 64 ranks, 8 by 8 of them by the route rook, and this is the last one. Items go to the 7 others of its column: those
 * that have come from its row are passed on to the same lanes which its own are sent by. A world of the route direct sends to the
 * same ranks. */
#ifndef BENCH_FORWARD_STATION_H
#define BENCH_FORWARD_STATION_H
#include "nil_transport.h"

enum { RANKS = 64, ME = RANKS - 1, SIDE = 8, LANES = SIDE - 1, BLOCK = 16384, CLASSES = 2 };

SCREE_MESSAGE(plain, uint64_t);
SCREE_MESSAGE_ROUTED(routed, uint64_t);

/* A world, and what its transports share. */
typedef struct {
  nil_rank rank;
  nil_path paths[CLASSES];
  char *arenas[CLASSES];
  uint32_t classes;
  scree_options options;
  scree_world *world;
  scree_worker *w;
  uint32_t type, record; /* bytes of an item in a block */
  char *supply;          /* blocks, as they arrive */
  uint32_t blocks;
  uint64_t arrived; /* blocks so far */
  uint64_t handled, handled_sum;
} station;

/* With blocks for n items or a few more, which bench_station_supply fills. False: the reason is on standard error. The caller
 * closes it in any case. */
bool bench_station_open(station *s, uint64_t route, uint64_t n);
bool bench_station_close(station *s);

/* Makes the blocks that arrive: of items to this rank, or of items to pass on. Returns the sum of all items. */
uint64_t bench_station_supply(const station *s, bool to_me);

/* An epoch in which all of them arrive by that class. */
void bench_station_arrive(station *s, uint32_t hop_class);

static inline scree__block *bench_station_block(const station *s, uint32_t i) {
  return (scree__block *)(void *)(s->supply + (size_t)i * (sizeof(scree__block) + BLOCK));
}

/* Items of each. */
static inline uint32_t bench_station_items(const station *s) {
  return BLOCK / s->record;
}

/* Another rank of the column. */
static inline uint32_t bench_station_dest(uint64_t draw) {
  return ME - SIDE * (1 + bench_below(draw, LANES));
}
#endif
