/* intsort_delegates.c - each key of `scree intsort` is an asynchronous delegate on the word of its value. */
#include "irregular/intsort/intsort.h"

static void count(const scree__intsort_state *s, scree_worker *w, uint64_t begin, uint64_t n) {
  for (uint64_t i = begin; i < begin + n; i++)
    tally_cast(w, s->tally, scree__intsort_word(s, s->keys[i]), 8, s->keys[i]);
}

const scree__intsort_form scree__intsort_by_delegates = {.count = count};
