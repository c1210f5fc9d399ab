/* hashmap_check.c - validates the map: by a serial replay of all tasks, where no two of them share a string; else by
 * what holds in any order. */
#include <stdlib.h>

#include "irregular/hashmap/hashmap.h"

/* Of each string of the map, whether it is reversed in the end, if no two tasks share one; returns how many have been
 * found. */
static uint64_t replay(const scree__hashmap_state *h, uint8_t *turned) {
  const scree__irregular_options *o = h->k->options;
  const uint64_t users = scree__hashmap_users(h), count = o->pool / users;
  uint64_t found = 0, index;
  bool reversed;
  for (uint64_t u = 0; u < users; u++) {
    uint64_t random = scree__hash_draw(o->seed, u);
    for (uint64_t step = 0; step < o->steps; step++) {
      scree__string_next(&random, o->seed, count * u, count, &index, &reversed);
      if (index % SCREE__POOL_PART || turned[index / SCREE__POOL_PART] != reversed) continue;
      turned[index / SCREE__POOL_PART] ^= 1;
      found++;
    }
  }
  return found;
}

/* How often this rank has the string. */
static uint64_t count(const scree__hashmap_state *h, const scree__string *s) {
  if (scree__string_rank(s, h->k->map->ranks) != scree_worker_of(h->k->world, 0)->rank) return 0;
  const scree__map_slot *bucket = scree__hashmap_own_bucket(h, scree__string_bucket(s, h->buckets));
  uint64_t n = 0;
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++)
    n += bucket[p].state == scree__slot_state(s) && memcmp(bucket[p].letters, s->letters, sizeof s->letters) == 0;
  return n;
}

/* Each string of the map, and its reverse: where it has to be, or, of shared ones, one of the two somewhere; and no
 * others. */
scree_status scree__hashmap_check(scree__irregular *k, uint64_t *wrong) {
  const scree__hashmap_state *h = k->state;
  scree_worker *w = scree_worker_of(k->world, 0);
  const uint64_t strings = scree__hashmap_strings(k->options), here = scree_worker_of(k->world, 0)->rank;
  uint8_t *turned = NULL;
  scree_reduce all = {.min = UINT64_MAX};
  uint64_t slots = 0, right = 0;
  if (!k->options->strings && scree__irregular_holds(k, strings) && !(turned = calloc(strings, 1))) *wrong = 1;
  *wrong = turned && replay(h, turned) != h->worker[0].part.sum[0];
  *wrong += h->worker[0].part.sum[0] != h->worker[0].part.sum[1];
  for (uint64_t i = 0; i < strings; right += scree__hash(i++))
    for (int reversed = 0; reversed < 2; reversed++) {
      scree__string s = scree__string_of(k->options->seed, SCREE__POOL_PART * i);
      if (reversed) scree__string_reverse(&s);
      const uint64_t n = count(h, &s);
      *wrong += n > 1;
      if (turned && scree__string_rank(&s, k->map->ranks) == here) *wrong += n != (turned[i] == reversed);
      all.sum[0] += n, all.sum[1] += n * scree__hash(i);
    }
  for (uint64_t b = 0; b < h->buckets; b++)
    for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++)
      slots += scree__hashmap_own_bucket(h, b)[p].state > SCREE__SLOT_FREE;
  *wrong += slots - all.sum[0];
  free(turned);
  scree_status status = scree_begin(w);
  if (!status) status = scree_end(w, &all);
  *wrong += all.sum[0] != strings;
  *wrong += all.sum[1] != right;
  return status;
}
