/* hashmap.h - the map of `scree hashmap`, for the kernel and for what validates it. */
#ifndef SCREE__IRREGULAR_HASHMAP_H
#define SCREE__IRREGULAR_HASHMAP_H
#include "irregular/bucket.h"
#include "irregular/irregular.h"

enum { SCREE__HASHMAP_WORKERS = 64 };

typedef struct {
  uint64_t first, count;
} user_args;
SCREE_TASK(user, user_args);
SCREE_DELEGATE(take, scree__string, uint8_t);
SCREE_DELEGATE(store, scree__string, uint8_t);

typedef struct {
  scree__irregular *k;
  user_type user;
  take_type take;
  store_type store;
  scree_global map;
  uint64_t buckets, first; /* of each rank; where they begin in its part */
  struct {
    _Alignas(128) scree_reduce part; /* strings found; stored. Of all workers when the epoch has ended */
  } worker[SCREE__HASHMAP_WORKERS];
} scree__hashmap_state;

static inline uint64_t scree__hashmap_users(const scree__hashmap_state *h) {
  return (uint64_t)h->k->map->ranks * scree_worker_of(h->k->world, 0)->threads * h->k->options->tasks;
}

static inline scree__map_slot *scree__hashmap_own_bucket(const scree__hashmap_state *h, uint64_t i) {
  const uint32_t rank = scree_worker_of(h->k->world, 0)->rank;
  return scree_global_local(h->k->map, scree_global_address(rank, h->first + SCREE__BUCKET_BYTES * i));
}

static inline uint64_t scree__hashmap_strings(const scree__irregular_options *o) {
  return (o->pool + SCREE__POOL_PART - 1) / SCREE__POOL_PART;
}

scree_status scree__hashmap_check(scree__irregular *k, uint64_t *wrong);

#endif
