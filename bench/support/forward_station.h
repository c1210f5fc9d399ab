/* forward_station.h - worlds of one real rank, whose transport discards what is sent and hands out blocks that were made before,
 * as if the other ranks had sent them.
 *
 * There are 64 ranks, 8 by 8 of them by the route rook, and this is the last one. Items go to the 7 others of its column: those
 * that have come from its row are passed on to the same lanes which its own are sent by. A world of the route direct sends to the
 * same ranks. */
#ifndef BENCH_FORWARD_STATION_H
#define BENCH_FORWARD_STATION_H
#include "common.h"
#include "core/pass.h"
#include "core/send.h"
#include "open/features.h"

enum { RANKS = 64, ME = RANKS - 1, SIDE = 8, LANES = SIDE - 1, BLOCK = 16384, CLASSES = 2 };

SCREE_MESSAGE(plain, uint64_t);
SCREE_MESSAGE_ROUTED(routed, uint64_t);

typedef struct station station;

/* The transport of one class of hops. */
typedef struct {
  scree__transport base; /* must be first */
  station *at;
  uint32_t hop_class;
  scree__pool pool;
  char *arena;
  scree__queue in_flight_blocks; /* as if their destinations were reading them */
  uint32_t in_flight_count;
} path;

/* A world, and what its transports share. */
struct station {
  scree__topology topology;
  scree__collective collective;
  scree__scheduler scheduler;
  scree__fault fault;
  scree__node_page page;
  scree__node_slot slots[2]; /* this rank's; one for all others, which have sent the blocks that arrive */
  path paths[CLASSES];
  uint32_t classes;
  scree_options options;
  scree_world *world;
  scree_worker *w;
  uint32_t type, record; /* bytes of an item in a block */
  char *supply;          /* blocks, as they arrive */
  uint32_t blocks;
  uint32_t from, next, end; /* those that arrive in this epoch, and by which class */
  uint64_t arrived;         /* blocks so far */
  bool check_items;         /* not only their number */
  uint64_t pushed, pushed_sum, handled, handled_sum;
};

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
