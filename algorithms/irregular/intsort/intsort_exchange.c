/* intsort_exchange.c - each worker of `scree intsort` sorts its keys by owner, and puts those of each there at once;
 * the owner counts them. */
#include "irregular/intsort/intsort.h"
#include "sort/counting_sort.h"

/* Sorts keys by owner, and puts those of each into its inbox, where an atomic reserves the place. */
static void count(const scree__intsort_state *s, scree_worker *w, uint64_t begin, uint64_t n) {
  const uint32_t *keys = s->keys + begin;
  uint32_t *sorted = s->sorted + begin;
  const uint32_t each = (uint32_t)(s->histogram.block / 8), ranks = w->ranks;
  uint32_t *end = s->counts[w->index]; /* of the keys of each owner */
  memset(end, 0, ranks * sizeof *end);
  SCREE__COUNTING_SORT(end, ranks, n, i, keys[i] / each, at, sorted[at] = keys[i]);
  for (uint32_t i = 1; i <= ranks; i++) {
    const uint32_t r = (w->rank + i) % ranks, from = r ? end[r - 1] : 0, some = end[r] - from;
    uint64_t place = 0;
    if (!some) continue;
    if (scree_atomic_fetch_add_poll(w, scree_global_at(s->k->map, &s->totals, r, 8 * (uint64_t)ranks), some, 8, &place))
      return;
    if (place + some > s->space)
      scree_fail(w, SCREE_ENOMEM, "intsort: an inbox has no space for the keys of its rank: take another form");
    else
      scree_put_nbi(w, scree_global_at(s->k->map, &s->inbox, r, 4 * place), sorted + from, 4 * (uint64_t)some);
  }
}

static void take_in(const scree__intsort_state *s, scree_worker *w, uint64_t *words, uint64_t first) {
  const uint32_t *keys = scree_global_local(s->k->map, scree_global_at(s->k->map, &s->inbox, w->rank, 0));
  for (uint64_t i = 0; i < scree__intsort_totals(s, w->rank)[w->ranks]; i++) words[keys[i] - first]++;
}

const scree__intsort_form scree__intsort_by_exchange = {.inbox = true, .count = count, .take_in = take_in};
