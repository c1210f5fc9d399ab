/* intsort.h - the state of `scree intsort`, and what its forms are: how keys are counted. */
#ifndef SCREE__IRREGULAR_INTSORT_H
#define SCREE__IRREGULAR_INTSORT_H
#include <stdlib.h>
#include <string.h>

#include "irregular/intsort/keys.h"
#include "irregular/irregular.h"

enum { SCREE__INTSORT_WORKERS = 64 };

SCREE_DELEGATE(tally, uint32_t, uint8_t);

typedef struct {
  scree__irregular *k;
  const scree__keys_class *class;
  tally_type tally;
  scree_global histogram, totals,
      inbox; /* totals: of each rank's part, and how many keys are in the inbox; both on each rank */
  uint32_t *keys, *sorted, *counts[SCREE__INTSORT_WORKERS];
  uint64_t first, locals, wrong, space; /* space: keys of each rank's inbox */
} scree__intsort_state;

typedef struct {
  bool inbox; /* keys travel, to one of each rank */
  /* `n` keys of a worker, from the one of this number on, to the words of their values. */
  void (*count)(const scree__intsort_state *s, scree_worker *w, uint64_t begin, uint64_t n);
  /* What has come to this rank, to its part of the histogram; NULL: it is there. */
  void (*take_in)(const scree__intsort_state *s, scree_worker *w, uint64_t *words, uint64_t first);
} scree__intsort_form;
extern const scree__intsort_form scree__intsort_by_counts, scree__intsort_by_delegates, scree__intsort_by_exchange;

/* The word of the histogram that counts a value. */
static inline scree_address scree__intsort_word(const scree__intsort_state *s, uint64_t value) {
  return scree_global_at(s->k->map, &s->histogram, 0, 8 * value);
}

/* This rank's part of the histogram: its first value, how many, and its words. */
static inline uint64_t *scree__intsort_part(const scree__intsort_state *s, uint32_t rank, uint64_t *first,
                                            uint64_t *count) {
  const uint64_t values = UINT64_C(1) << s->class->values, each = s->histogram.block / 8;
  *first = each * rank < values ? each * rank : values;
  *count = values - *first < each ? values - *first : each;
  return *count ? scree_global_local(s->k->map, scree__intsort_word(s, *first)) : NULL;
}

/* Words of this rank's copy: the totals of all ranks, and how many keys are in its inbox. */
static inline uint64_t *scree__intsort_totals(const scree__intsort_state *s, uint32_t rank) {
  return scree_global_local(s->k->map, scree_global_at(s->k->map, &s->totals, rank, 0));
}

scree_status scree__intsort_check(scree__irregular *k, uint64_t *wrong);

#endif
