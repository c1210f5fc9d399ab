/* hashmap_gets.c - the map of `scree hashmap` as GMT has it (Morari et al. 2014, section V.D): by gets, puts and
 * compare-and-swap of a slot's state. */
#include "irregular/hashmap/hashmap.h"

/* Takes the string out: has this task got it? A failed world has none. */
static bool take_out(scree_task *self, const scree__hashmap_state *h, const scree__string *s) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    const scree_address slot = scree__hashmap_slot(h, s, p);
    uint64_t state, letters[3];
    if (scree_get(self, &state, slot, 8) || state == SCREE__SLOT_UNUSED) return false;
    if (state != scree__slot_state(s)) continue;
    if (scree_get(self, letters, slot + 8, sizeof letters)) return false;
    if (memcmp(letters, s->letters, sizeof letters) != 0) continue;
    return !scree_atomic_compare_swap(self, slot, state, SCREE__SLOT_FREE, 8, &letters[0]) && letters[0] == state;
  }
  return false;
}

static bool put_in(scree_task *self, const scree__hashmap_state *h, const scree__string *s) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    const scree_address slot = scree__hashmap_slot(h, s, p);
    uint64_t state, old;
    if (scree_get(self, &state, slot, 8)) return false;
    if (state != SCREE__SLOT_UNUSED && state != SCREE__SLOT_FREE) continue;
    if (scree_atomic_compare_swap(self, slot, state, SCREE__SLOT_CLAIMED, 8, &old)) return false;
    if (old != state) continue;
    return !scree_put(self, slot + 8, s->letters, sizeof s->letters) &&
           !scree_put_value(self, slot, scree__slot_state(s), 8);
  }
  return false;
}

static void look_up(scree_task *self, scree__hashmap_state *h, scree__hashmap_user *user, uint64_t count,
                    scree_reduce *part) {
  (void)count;
  if (!take_out(self, h, &user->string)) return;
  part->sum[0]++;
  scree__string_reverse(&user->string);
  part->sum[1] += put_in(self, h, &user->string);
}

const scree__hashmap_form scree__hashmap_by_gets = {.group = 1, .look_up = look_up};
