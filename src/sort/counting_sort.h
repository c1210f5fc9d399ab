/* counting_sort.h - a stable counting sort: one by itself, or the passes of a radix sort. */
#ifndef SCREE__COUNTING_SORT_H
#define SCREE__COUNTING_SORT_H
#include <stdint.h>

/* Finds where the items of each digit begin in the order of the digits. `digit` is an expression of the index i of an
 * item, 0 <= i < count, with a value below `values`; `start` is an array of `values` zeros. */
#define SCREE__COUNTING_STARTS(start, values, count, i, digit)                                                         \
  do {                                                                                                                 \
    uint64_t sum_ = 0;                                                                                                 \
    for (uint64_t i = 0; i < (count); i++) (start)[digit]++;                                                           \
    for (uint64_t d_ = 0; d_ < (values); d_++) {                                                                       \
      const uint64_t items_ = (start)[d_];                                                                             \
      (start)[d_] = (__typeof__(*(start)))sum_;                                                                        \
      sum_ += items_;                                                                                                  \
    }                                                                                                                  \
  } while (0)

/* Executes the last argument for each item i, whose place in that order is `at`. Afterwards the items of each digit end
 * at its start. */
#define SCREE__COUNTING_PLACE(start, count, i, digit, at, ...)                                                         \
  do {                                                                                                                 \
    for (uint64_t i = 0; i < (count); i++) {                                                                           \
      const uint64_t at = (start)[digit]++;                                                                            \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  } while (0)

#define SCREE__COUNTING_SORT(start, values, count, i, digit, at, ...)                                                  \
  do {                                                                                                                 \
    SCREE__COUNTING_STARTS(start, values, count, i, digit);                                                            \
    SCREE__COUNTING_PLACE(start, count, i, digit, at, __VA_ARGS__);                                                    \
  } while (0)
#endif
