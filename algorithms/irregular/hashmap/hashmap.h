/* hashmap.h - the map of `scree hashmap`, for the kernel and for what validates it. */
#ifndef SCREE__IRREGULAR_HASHMAP_H
#define SCREE__IRREGULAR_HASHMAP_H
#include "irregular/hashmap/bucket.h"
#include "irregular/irregular.h"

enum { SCREE__HASHMAP_WORKERS = 64, SCREE__HASHMAP_GROUP = 128 /* users of a task, at most: they are on its stack */ };

/* Of a task: its first user, and how many it has. */
typedef struct {
  uint64_t first, count;
} users_args;
SCREE_TASK(users, users_args);
SCREE_DELEGATE(take, scree__string, uint8_t);
SCREE_DELEGATE(store, scree__string, uint8_t);

/* A user: its generator, and the string that it looks up. */
typedef struct {
  uint64_t random;
  scree__string string;
} scree__hashmap_user;

typedef struct scree__hashmap_state scree__hashmap_state;

/* A form. look_up: what so many users of a task do with their strings in a step: each that is there is taken out,
 * reversed and stored; what was found and stored is added to `part`. */
typedef struct {
  uint64_t group; /* users of a task */
  void (*look_up)(scree_task *self, scree__hashmap_state *h, scree__hashmap_user *user, uint64_t count,
                  scree_reduce *part);
} scree__hashmap_form;
extern const scree__hashmap_form scree__hashmap_by_gets, scree__hashmap_by_delegates, scree__hashmap_by_gathers;

struct scree__hashmap_state {
  scree__irregular *k;
  const scree__hashmap_form *form;
  users_type users;
  take_type take;
  store_type store;
  scree_global map;
  uint64_t buckets, first; /* of each rank; where they begin in its part */
  struct {
    _Alignas(128) scree_reduce part; /* strings found; stored. Of all workers when the epoch has ended */
  } worker[SCREE__HASHMAP_WORKERS];
};

static inline scree_address scree__hashmap_bucket(const scree__hashmap_state *h, const scree__string *s) {
  return scree_global_address(scree__string_rank(s, h->k->map->ranks),
                              h->first + SCREE__BUCKET_BYTES * scree__string_bucket(s, h->buckets));
}
/* The p-th slot where the string is searched. */
static inline scree_address scree__hashmap_slot(const scree__hashmap_state *h, const scree__string *s, uint32_t p) {
  return scree__hashmap_bucket(h, s) + sizeof(scree__map_slot) * scree__slot_at(s, p);
}

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
