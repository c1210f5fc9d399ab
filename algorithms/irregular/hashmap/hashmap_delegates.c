/* hashmap_delegates.c - the map of `scree hashmap` by delegates on a bucket. */
#include "irregular/hashmap/hashmap.h"

static void look_up(scree_task *self, scree__hashmap_state *h, scree__hashmap_user *user, uint64_t count,
                    scree_reduce *part) {
  scree__string *s = &user->string;
  uint8_t done = 0;
  (void)count;
  if (take_call(self, h->take, scree__hashmap_bucket(h, s), SCREE__BUCKET_BYTES, *s, &done) || !done) return;
  part->sum[0]++;
  scree__string_reverse(s);
  if (!store_call(self, h->store, scree__hashmap_bucket(h, s), SCREE__BUCKET_BYTES, *s, &done)) part->sum[1] += done;
}

const scree__hashmap_form scree__hashmap_by_delegates = {.group = 1, .look_up = look_up};
