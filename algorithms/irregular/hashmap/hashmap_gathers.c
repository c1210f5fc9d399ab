/* hashmap_gathers.c - the map of `scree hashmap` by tasks that have many users each: one gather brings a slot's state
 * for all of them, another one the next slot's for those whose slot has another string, and so on. Delegates, which go
 * on together, take out what may be there, and store what was taken. */
#include "irregular/hashmap/hashmap.h"

enum { GROUP = SCREE__HASHMAP_GROUP };

/* Of these users those whose string may be in the map; moves them to the front of `who`, and returns how many. */
static uint64_t search(scree_task *self, const scree__hashmap_state *h, const scree__hashmap_user *user, uint8_t *who,
                       uint64_t count) {
  scree_address from[GROUP];
  uint64_t state[GROUP], there = 0;
  uint8_t at[GROUP]; /* whose search goes on */
  for (uint64_t i = 0; i < count; i++) at[i] = (uint8_t)i;
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS && count; p++) {
    uint64_t next = 0;
    for (uint64_t i = 0; i < count; i++) from[i] = scree__hashmap_slot(h, &user[at[i]].string, p);
    if (scree_gather(self, state, from, count, 8)) return 0;
    for (uint64_t i = 0; i < count; i++) {
      const uint8_t u = at[i];
      if (state[i] == scree__slot_state(&user[u].string))
        who[there++] = u;
      else if (state[i] != SCREE__SLOT_UNUSED)
        at[next++] = u;
    }
    count = next;
  }
  return there;
}

static void look_up(scree_task *self, scree__hashmap_state *h, scree__hashmap_user *user, uint64_t count,
                    scree_reduce *part) {
  scree_worker *w = scree_task_worker(self);
  scree_completion *all;
  uint8_t who[GROUP], taken[GROUP], stored[GROUP];
  const uint64_t there = search(self, h, user, who, count);
  if (!there || scree_completion_open(w, &all)) return;
  for (uint64_t i = 0; i < there; i++) {
    const scree__string *s = &user[who[i]].string;
    take_call_in(w, all, h->take, scree__hashmap_bucket(h, s), SCREE__BUCKET_BYTES, *s, &taken[i]);
  }
  if (scree_completion_wait(self, all)) return;
  for (uint64_t i = 0; i < there; i++) {
    scree__string *s = &user[who[i]].string;
    stored[i] = 0;
    if (!taken[i]) continue;
    part->sum[0]++;
    scree__string_reverse(s);
    store_call_in(w, all, h->store, scree__hashmap_bucket(h, s), SCREE__BUCKET_BYTES, *s, &stored[i]);
  }
  if (scree_completion_wait(self, all)) return;
  for (uint64_t i = 0; i < there; i++) part->sum[1] += stored[i];
  scree_completion_close(all);
}

const scree__hashmap_form scree__hashmap_by_gathers = {.group = GROUP, .look_up = look_up};
