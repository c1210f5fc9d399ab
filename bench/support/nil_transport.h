/* nil_transport.h - one real rank among others that do not exist: what it sends is discarded. No MPI, no receiver. */
#ifndef BENCH_NIL_TRANSPORT_H
#define BENCH_NIL_TRANSPORT_H
#include "common.h"
#include "core/send.h"
#include "open/features.h"

/* Discarded blocks stay in flight, as if their destinations were reading them, until there are more than
 * `in_flight_max`, and are then reused. */
typedef struct {
  scree__transport base; /* must be first */
  scree__topology topology;
  scree__collective collective;
  scree__scheduler scheduler;
  scree__fault fault;
  scree__node_page page;
  scree__node_slot slots[2]; /* this rank's; one for all others, which are idle */
  scree__pool pool;
  char *arena; /* used by one world at a time; the caller frees it after the world */
  scree__queue in_flight_blocks;
  uint32_t in_flight_count, in_flight_max;
  bool check_items;    /* not only their number */
  uint64_t items, sum; /* discarded so far; of their words of 8 bytes, where they are checked */
} nil_transport;

enum { NIL_RANKS_MAX = 2048 };

/* Of the last of that many ranks, which are all on one node. options: resolved. arena: options->memory bytes. */
void bench_nil_transport(nil_transport *n, uint32_t ranks, const scree__options *options, char *arena);
#endif
