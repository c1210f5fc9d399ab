/* unit_global_memory.c - atomics of global memory by threads that run at the same time, as ranks of a node and the
 * owner do: none is lost, and a word beside it never changes. */
#include <pthread.h>

#include "global/operation.h"
#include "harness.h"

enum { THREADS = 3, TIMES = 20000, MET = 300, MOST = 200 * TIMES };

static struct {
  uint64_t add, flip, swap, beside;
  uint32_t half[2]; /* half[0] alone is changed */
} words;

typedef struct {
  uint64_t index, flipped, swapped, times, met; /* met: others between two updates of its own */
} worker;

static uint64_t on(void *word, scree__global_kind kind, uint64_t bytes, uint64_t value, uint64_t expected) {
  return scree__atomic(word, kind, bytes, value, expected);
}

static pthread_barrier_t start;

static void *work(void *arg) {
  worker *me = arg;
  pthread_barrier_wait(&start);
  uint64_t before = 0;
  for (uint64_t i = 1; i <= TIMES || (me->met < MET && i < MOST); i++) {
    me->times = i;
    const uint64_t bits = i * 0x9e3779b97f4a7c15 + me->index;
    const uint64_t now = on(&words.add, SCREE__GLOBAL_ADD, 8, 1, 0);
    me->met += now != before + 2;
    before = now;
    on(&words.half[0], SCREE__GLOBAL_ADD, 4, 3, 0);
    on(&words.flip, SCREE__GLOBAL_XOR, 8, bits, 0);
    me->flipped ^= bits;
    me->swapped += i - on(&words.swap, SCREE__GLOBAL_SWAP, 8, i, 0); /* every value that is put in is returned once,
                                                                      * except the last */
    uint64_t seen = 0, tried = 1;
    while (seen != tried) {
      tried = seen;
      seen = on(&words.add, SCREE__GLOBAL_COMPARE, 8, tried + 1, tried);
    }
    on(&words.half[0], SCREE__GLOBAL_OR, 4, 0, 0);
    on(&words.add, SCREE__GLOBAL_AND, 8, UINT64_MAX, 0);
  }
  return NULL;
}

HARNESS_TEST(atomics) {
  pthread_t thread[THREADS];
  worker of[THREADS] = {{0}};
  uint64_t flipped = 0, swapped = 0, times = 0;
  pthread_barrier_init(&start, NULL, THREADS);
  for (uint64_t t = 0; t < THREADS; t++) {
    of[t].index = t;
    pthread_create(&thread[t], NULL, work, &of[t]);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    times += of[t].times;
    flipped ^= of[t].flipped;
    swapped += of[t].swapped;
  }
  pthread_barrier_destroy(&start);
  check_equal(words.add, 2 * times);
  check_equal(words.half[0], (uint32_t)(3 * times));
  check_equal(words.half[1], 0);
  check_equal(words.flip, flipped);
  check_equal(words.swap, swapped);
  check_equal(words.beside, 0);
}

/* A pattern of 8 bytes from any byte on, of any length, and nothing beside it. */
HARNESS_TEST(filled) {
  const uint64_t pattern = 0x0807060504030201;
  for (uint64_t from = 0; from < 16; from++)
    for (uint64_t bytes = 0; bytes < 40; bytes++) {
      _Alignas(8) char place[64] = {0};
      scree__fill(place + from, bytes, pattern);
      for (uint64_t i = 0; i < sizeof place; i++) {
        const bool in = i >= from && i < from + bytes;
        if (!check_equal(place[i], in ? (char)((i - from) % 8 + 1) : 0)) return;
      }
    }
}

HARNESS_MAIN
