/* global_litmus.h - litmus tests of global memory's consistency: threads of two steps, of operations on two words that
 * begin as 0. */
#ifndef GLOBAL_LITMUS_H
#define GLOBAL_LITMUS_H
#include <stdbool.h>
#include <stdint.h>

enum { LITMUS_THREADS = 4, LITMUS_STEPS = 2, LITMUS_TESTS = 8 };

typedef enum { WAITS, FENCED, QUIETED } ordering; /* asynchronous ones: by what follows them */
typedef struct {
  uint32_t word;
  uint64_t value; /* put; 0: a get */
  ordering by;
} step;

/* got: what gets have read; last: the words in the end. */
typedef struct {
  const char *name;
  step thread[LITMUS_THREADS][LITMUS_STEPS];
  bool (*forbidden)(uint64_t (*got)[LITMUS_STEPS], const uint64_t *last);
} litmus;
extern const litmus litmus_tests[LITMUS_TESTS];
#endif
