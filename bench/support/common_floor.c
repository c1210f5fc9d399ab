/* common_floor.c - message_rate's baselines without messages: the plain loop over drawn indices and over a list of
 * them, and coalescing without communication. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "message_rate.h"

enum { BLOCK = 16384, STAGGER = 64 };

static double busy_since(double start) {
  struct timespec at;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec - start;
}

double run_floor(void *given) {
  const job j = *(const job *)given;
  uint64_t x = j.seed, *table = j.table;
  double start = busy_since(0);
  for (uint64_t i = 0; i < j.items; i++) table[job_index(&j, bench_draw(&x))]++;
  __asm__ __volatile__("" ::: "memory");
  return busy_since(start);
}

double run_listed(void *given) {
  const job j = *(const job *)given;
  uint64_t x = j.seed, *table = j.table, *list = bench_alloc(j.items * sizeof *list, true);
  if (!list) abort();
  for (uint64_t i = 0; i < j.items; i++) list[i] = job_index(&j, bench_draw(&x));
  double start = busy_since(0);
  for (uint64_t i = 0; i < j.items; i++) table[list[i]]++;
  __asm__ __volatile__("" ::: "memory");
  double seconds = busy_since(start);
  scree_huge_free(list);
  return seconds;
}

/* ---- coalescing alone ---- */

enum { WORDS = BLOCK / 8 };

typedef struct {
  uint64_t *next, *limit;
} lane;

/* An item has `words` words, a constant: the index is the first, the value to add the last. */
static inline __attribute__((always_inline)) void update(uint64_t *table, const uint64_t *at, const uint64_t *end,
                                                         size_t words) {
  for (; at < end; at += words) table[at[0]] += words == 1 ? 1 : at[words - 1];
}

static inline __attribute__((always_inline)) void put(uint64_t *at, uint64_t index, size_t words) {
  at[0] = index;
  for (size_t k = 1; k < words; k++) at[k] = k + 1 == words;
}

static inline __attribute__((always_inline)) void sort(const job *given, lane *lanes, size_t words) {
  const job j = *given;
  uint64_t x = j.seed;
  for (uint64_t i = 0; i < j.items; i++) {
    uint64_t draw = bench_draw(&x), index = job_index(&j, draw);
    lane *l = &lanes[job_dest(&j, draw)];
    if (__builtin_expect(l->next == l->limit, 0)) {
      l->next = l->limit - WORDS / words * words;
      update(j.table, l->next, l->limit, words);
    }
    put(l->next, index, words);
    l->next += words;
  }
  for (uint32_t d = 0; d < j.dests; d++) update(j.table, lanes[d].limit - WORDS / words * words, lanes[d].next, words);
}

static void sort_items(const job *j, lane *lanes) {
#define SORT(BYTES)                                                                                                    \
  case BYTES:                                                                                                          \
    sort(j, lanes, BYTES / 8);                                                                                         \
    break;
  switch (j->bytes) { UPDATE_SIZES(SORT) }
}

double run_sorted(void *given) {
  const job *j = given;
  lane *lanes = calloc(j->dests, sizeof *lanes);
  char *blocks = aligned_alloc(4096, j->dests * (size_t)(BLOCK + STAGGER) / 4096 * 4096 + 4096);
  if (!lanes || !blocks) abort();
  for (uint32_t d = 0; d < j->dests; d++) {
    char *block = blocks + d * (size_t)(BLOCK + STAGGER);
    lanes[d] = (lane){(uint64_t *)(void *)block, (uint64_t *)(void *)(block + BLOCK)};
    memset(block, 0, BLOCK);
  }
  double start = busy_since(0);
  sort_items(j, lanes);
  double seconds = busy_since(start);
  free(blocks);
  free(lanes);
  return seconds;
}
