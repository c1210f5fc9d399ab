/* common_floor.c - message_rate's baselines without messages: the plain loop, and coalescing without communication. */
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

double run_floor(const job *given) {
  const job j = *given;
  uint64_t x = j.seed, *table = j.table;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = busy_since(0);
  for (uint64_t i = 0; i < j.items; i++) table[job_index(&j, bench_draw(&x))]++;
  __asm__ __volatile__("" ::: "memory");
  return bench_slowest(busy_since(start));
}

typedef struct {
  char *next, *limit;
} lane;

static void update(uint64_t *table, const char *items, const char *end) {
  const uint64_t *at = (const uint64_t *)(const void *)items, *last = (const uint64_t *)(const void *)end;
  for (; at < last; at++) table[*at]++;
}

static __attribute__((noinline)) char *full(const job *j, lane *l) {
  char *block = l->limit - BLOCK;
  update(j->table, block, l->limit);
  l->next = block + sizeof(uint64_t);
  return block;
}

static void sort(const job *given, lane *lanes) {
  const job j = *given;
  uint64_t x = j.seed;
  for (uint64_t i = 0; i < j.items; i++) {
    uint64_t draw = bench_draw(&x), index = job_index(&j, draw);
    lane *l = &lanes[job_dest(&j, draw)];
    char *at = l->next;
    if (at == l->limit)
      at = full(given, l);
    else
      l->next = at + sizeof index;
    memcpy(at, &index, sizeof index);
  }
}

double run_sorted(const job *j) {
  lane *lanes = calloc(j->ranks, sizeof *lanes);
  char *blocks = aligned_alloc(4096, j->ranks * (size_t)(BLOCK + STAGGER) / 4096 * 4096 + 4096);
  if (!lanes || !blocks) abort();
  for (uint32_t d = 0; d < j->ranks; d++) {
    char *block = blocks + d * (size_t)(BLOCK + STAGGER);
    lanes[d] = (lane){block, block + BLOCK};
    memset(block, 0, BLOCK);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double start = busy_since(0);
  sort(j, lanes);
  for (uint32_t d = 0; d < j->ranks; d++) update(j->table, lanes[d].limit - BLOCK, lanes[d].next);
  double seconds = busy_since(start);
  free(blocks);
  free(lanes);
  return bench_slowest(seconds);
}
