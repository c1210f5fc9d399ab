/* intsort_check.c - validates the ranks of `scree intsort` by a serial count. */
#include "irregular/intsort/intsort.h"

/* Each rank makes all keys of all ranks, and counts those of its part by itself. */
scree_status scree__intsort_check(scree__irregular *k, uint64_t *wrong) {
  scree__intsort_state *s = k->state;
  const uint64_t keys = UINT64_C(1) << s->class->keys, values = UINT64_C(1) << s->class->values;
  uint64_t first, n, sum = 0, x = scree__keys_jump(0),
                     *words = scree__intsort_part(s, scree_worker_of(k->world, 0)->rank, &first, &n);
  uint32_t *counts = s->counts[0], head[2 * SCREE__KEYS_ITERATIONS + 1];
  memset(counts, 0, values * sizeof *counts);
  for (uint64_t i = 0; i < keys; i++) {
    const uint32_t key = scree__keys_next(&x, s->class->values);
    if (i >= sizeof head / sizeof *head)
      counts[key]++;
    else
      head[i] = key;
  }
  for (uint32_t i = 1; i <= SCREE__KEYS_ITERATIONS; i++) scree__keys_change(head, i, s->class->values);
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) counts[head[i]]++;
  *wrong = s->wrong;
  for (uint64_t v = 0; v < n; v++) *wrong += words[v] != (sum += counts[first + v]);
  return SCREE_OK;
}
