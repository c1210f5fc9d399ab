/* intsort_counts.c - each worker of `scree intsort` counts its keys by itself, and adds each count to the word of the
 * histogram. */
#include "irregular/intsort/intsort.h"

static void count(const scree__intsort_state *s, scree_worker *w, uint64_t begin, uint64_t n) {
  const uint64_t values = UINT64_C(1) << s->class->values;
  const uint32_t *keys = s->keys + begin;
  uint32_t *counts = s->counts[w->index];
  memset(counts, 0, values * sizeof *counts);
  for (uint64_t i = 0; i < n; i++) counts[keys[i]]++;
  for (uint64_t v = 0; v < values; v++)
    if (counts[v]) scree_atomic_fetch_add_nbi(w, scree__intsort_word(s, v), counts[v], 8, NULL);
}

const scree__intsort_form scree__intsort_by_counts = {.count = count};
