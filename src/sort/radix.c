/* radix.c - a radix sort from the lowest digit up. What is sorted are words of 8 bytes: bits of the key above the index
 * of the item; where both are more than 64 bits, the low bits of the keys come first, in a round of their own. Digits
 * are windows of 8 bits that begin where keys differ, so bits that all keys share take no pass. Few items are sorted by
 * insertion. Items are moved once, in the last pass. */
#include "sort/radix.h"

#include <stdlib.h>
#include <string.h>

#include "sort/counting_sort.h"

enum { DIGIT = 8, VALUES = 1 << DIGIT, PASSES = 64 / DIGIT, FEW = 40, FEWER = 24, LINE = 64 };

static size_t whole_lines(size_t bytes) {
  return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

bool scree__sorter_grow(scree__sorter *s, size_t count, size_t bytes) {
  if (count > s->count) {
    void *more = aligned_alloc(LINE, whole_lines(2 * count * sizeof *s->words));
    if (!more) return false;
    free(s->words);
    s->words = more;
    s->count = count;
  }
  if (bytes > s->bytes) {
    void *more = aligned_alloc(LINE, whole_lines(bytes));
    if (!more) return false;
    free(s->items);
    s->items = more;
    s->bytes = bytes;
  }
  return true;
}

void scree__sorter_free(scree__sorter *s) {
  free(s->words);
  free(s->items);
}

uint64_t scree__sorter_bytes(const scree__sorter *s) {
  return 2 * s->count * sizeof *s->words + s->bytes;
}

typedef struct {
  const char *items;
  uint32_t count, item;
  scree__key_fn *key;
  uint32_t index_bits;
} batch;

static uint64_t low_bits(uint32_t n) {
  return (UINT64_C(1) << n) - 1;
}

/* Returns the bits in which keys differ; 0: the items are in order. */
static uint64_t take_keys(const batch *b, uint64_t *keys) {
  uint64_t differ = 0, last = 0;
  bool in_order = true;
  for (uint32_t i = 0; i < b->count; i++) {
    const uint64_t key = keys[i] = b->key(b->items + (size_t)i * b->item);
    differ |= key ^ keys[0];
    in_order &= last <= key;
    last = key;
  }
  return in_order ? 0 : differ;
}

/* The words of the first round, from keys; and of a further one, in the order of the last. */
static void pack(const batch *b, uint64_t *words, uint32_t low) {
  for (uint32_t i = 0; i < b->count; i++) words[i] = words[i] >> low << b->index_bits | i;
}
static void pack_again(const batch *b, uint64_t *words, uint32_t low) {
  for (uint32_t i = 0; i < b->count; i++) {
    const uint64_t index = words[i] & low_bits(b->index_bits);
    words[i] = b->key(b->items + index * b->item) >> low << b->index_bits | index;
  }
}

/* Stable, by the bits above the index. */
static void insert(const batch *b, uint64_t *words) {
  for (uint32_t i = 1; i < b->count; i++) {
    const uint64_t one = words[i], key = one >> b->index_bits;
    uint32_t at = i;
    for (; at > 0 && words[at - 1] >> b->index_bits > key; at--) words[at] = words[at - 1];
    words[at] = one;
  }
}

/* Where the digits of the passes begin. Returns their number. */
static uint32_t choose_digits(uint64_t differ, uint32_t *shifts) {
  uint32_t passes = 0;
  while (differ) {
    const uint32_t shift = (uint32_t)__builtin_ctzll(differ);
    shifts[passes++] = shift;
    differ &= ~((uint64_t)(VALUES - 1) << shift);
  }
  return passes;
}

static inline uint32_t digit(uint64_t word, uint32_t shift) {
  return word >> shift & (VALUES - 1);
}

/* For each pass and value: where the first of its words goes. */
static void count_digits(const batch *b, const uint64_t *words, const uint32_t *shifts, uint32_t passes,
                         uint32_t (*counts)[VALUES]) {
  memset(counts, 0, passes * sizeof *counts);
  for (uint32_t p = 0; p < passes; p++) {
    const uint32_t shift = shifts[p], count = b->count;
    uint32_t *const of = counts[p];
    SCREE__COUNTING_STARTS(of, VALUES, count, i, digit(words[i], shift));
  }
}

/* The last pass, if `counts` is not NULL, moves the items. */
typedef struct {
  const uint64_t *words;
  uint32_t shift, *counts;
} last_pass;

/* Inlined into copies for common sizes. */
static inline __attribute__((always_inline)) void place(const batch *b, const last_pass *p, char *restrict to,
                                                        uint32_t item) {
  const char *const items = b->items;
  const uint64_t *const words = p->words, mask = low_bits(b->index_bits);
  uint32_t *const counts = p->counts, count = b->count, shift = p->shift;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = counts ? counts[digit(words[i], shift)]++ : i;
    memcpy(to + (size_t)at * item, items + (words[i] & mask) * item, item);
  }
}

static void place_sized(const batch *b, const last_pass *p, char *to) {
  switch (b->item) {
  case 8:
    place(b, p, to, 8);
    break;
  case 16:
    place(b, p, to, 16);
    break;
  default:
    place(b, p, to, b->item);
  }
}

static void move(const uint64_t *restrict from, uint64_t *restrict to, uint32_t count, uint32_t shift,
                 uint32_t *restrict counts) {
  SCREE__COUNTING_PLACE(counts, count, i, digit(from[i], shift), at, to[at] = from[i]);
}

/* All passes of a round, except the last pass of the last round. Returns where the words are, and what that needs. */
static last_pass by_digits(const batch *b, uint64_t *from, uint64_t *to, uint64_t differ, bool is_last,
                           uint32_t (*counts)[VALUES]) {
  uint32_t shifts[PASSES], p = 0;
  const uint32_t passes = choose_digits(differ, shifts);
  count_digits(b, from, shifts, passes, counts);
  for (; p + is_last < passes; p++) {
    move(from, to, b->count, shifts[p], counts[p]);
    uint64_t *const moved = to;
    to = from;
    from = moved;
  }
  return is_last ? (last_pass){from, shifts[p], counts[p]} : (last_pass){from, 0, NULL};
}

/* By the bits of `differ`, as many as fit above the index. Returns the remaining ones. */
static uint64_t sort_round(const batch *b, uint64_t **words, uint64_t **other, uint64_t differ, uint32_t low,
                           last_pass *last, uint32_t (*counts)[VALUES]) {
  const uint64_t now = differ >> low << b->index_bits, left = differ & ~(now >> b->index_bits << low);
  if (b->count <= FEW) {
    insert(b, *words);
    *last = (last_pass){*words, 0, NULL};
    return left;
  }
  *last = by_digits(b, *words, *other, now, !left, counts);
  if (last->words != *words) {
    *other = *words;
    *words = (uint64_t *)last->words;
  }
  return left;
}

/* Few small items: they are moved themselves. */
static inline __attribute__((always_inline)) void insert_items(const batch *b, uint64_t *restrict keys,
                                                               char *restrict to, uint32_t item) {
  const char *from = b->items;
  for (uint32_t i = 0; i < b->count; i++, from += item) {
    const uint64_t key = b->key(from);
    uint32_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
      memcpy(to + (size_t)at * item, to + (size_t)(at - 1) * item, item);
    }
    keys[at] = key;
    memcpy(to + (size_t)at * item, from, item);
  }
}

const void *scree__sort(scree__sorter *s, const void *items, uint32_t count, uint32_t item, scree__key_fn *key) {
  batch b = {items, count, item, key, 0};
  if (count < 2) return items;
  if (count <= FEWER && item == 16) return insert_items(&b, s->words, s->items, 16), s->items;
  if (count <= FEWER && item == 8) return insert_items(&b, s->words, s->items, 8), s->items;
  uint32_t counts[PASSES][VALUES];
  uint64_t *words = s->words, *other = s->words + count, differ = take_keys(&b, words);
  last_pass last;
  if (!differ) return items;
  b.index_bits = 64 - (uint32_t)__builtin_clzll(count - 1);
  uint32_t low = (uint32_t)__builtin_ctzll(differ);
  pack(&b, words, low);
  while ((differ = sort_round(&b, &words, &other, differ, low, &last, counts))) {
    low = (uint32_t)__builtin_ctzll(differ);
    pack_again(&b, words, low);
  }
  place_sized(&b, &last, s->items);
  return s->items;
}
