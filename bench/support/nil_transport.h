/* nil_transport.h - one real rank among others that do not exist: what it sends is discarded, and blocks that were made
 * before arrive, as if the others had sent them. No MPI, no receiver. */
#ifndef BENCH_NIL_TRANSPORT_H
#define BENCH_NIL_TRANSPORT_H
#include "common.h"
#include "core/pass.h"
#include "core/send.h"
#include "open/features.h"

/* What the paths of the rank share. */
typedef struct {
  scree__topology topology;
  scree__collective collective;
  scree__scheduler scheduler;
  scree__fault fault;
  scree__node_page page;
  scree__node_slot slots[2]; /* this rank's; one for all others, which are idle, or have sent the blocks that arrive */
  uint32_t record;           /* bytes of an item in a block */
  bool check_items;          /* not only their number */
  uint64_t items, sum;       /* discarded so far; of their first words, where they are checked */
} nil_rank;

/* The transport of one class of hops. Discarded blocks stay in flight, as if their destinations were reading them, until
 * there are more than `in_flight_max`, and are then reused. */
typedef struct {
  scree__transport base; /* must be first */
  nil_rank *rank;
  scree__pool pool;
  char *arena; /* used by one world at a time; the caller frees it after the world */
  scree__queue in_flight_blocks;
  uint32_t in_flight_count, in_flight_max;
  char *next, *end; /* of the blocks that arrive in this epoch */
  size_t stride;    /* from one to the next */
} nil_path;

enum { NIL_RANKS_MAX = 2048 };

/* The last of that many ranks, which are all on one node. */
void bench_nil_rank(nil_rank *n, uint32_t ranks, uint32_t record);
/* options: resolved. arena: options->memory bytes. */
void bench_nil_path(nil_path *p, nil_rank *n, const scree_options *options, char *arena, uint32_t in_flight_max);
#endif
