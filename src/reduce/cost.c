/* cost.c - when a cache pays (option combine=auto): the cost of looking an item up compared with that of sending and
 * handling one, both measured when the cache is made. */
#include <stdlib.h>

#include "base/clock.h"
#include "reduce/caches.h"

enum {
  ITEMS = 4096, /* of a block */
  BLOCKS = 16,  /* at most: enough to reach all entries of a cache of the default size */
  ROUNDS = 3,
  WORDS = 8 /* of an item or an entry, at most, that are moved */
};

static uint32_t words_of(uint32_t bytes) {
  return bytes < 8 ? 1 : bytes / 8;
}

static uint32_t moved(uint32_t words) {
  return words < WORDS ? words : WORDS;
}

static size_t power_of_two_in(size_t n) {
  return (size_t)1 << (63 - __builtin_clzll(n));
}

/* Like the caches' hash of keys in random order; `count` is a power of two. */
static size_t place(uint64_t i, size_t count) {
  uint64_t x = i * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(x >> 20) & (count - 1);
}

/* Items are stored in a block, and read from it by a handler, which adds to a table. */
static void send_all(uint64_t first, uint64_t *block, uint64_t *table, size_t count, uint32_t words) {
  for (uint64_t i = 0; i < ITEMS; i++)
    for (uint32_t k = 0; k < words; k++) block[i * words + k] = first + i;
  for (uint64_t i = 0; i < ITEMS; i++) table[place(block[i * words], count)] += block[i * words + words - 1];
}

/* Items find another key in even entries, and replace it, and find their own key in odd ones: about half of them, in an
 * order that a processor cannot predict. */
static void fill(uint64_t *table, size_t count) {
  for (size_t i = 0; i < count; i++) table[i] = place(i, 2);
}

static void keep_all(uint64_t first, uint64_t *block, uint64_t *table, size_t places, uint32_t words) {
  const uint32_t some = moved(words);
  for (uint64_t i = 0; i < ITEMS; i++) {
    uint64_t *at = &table[place(first + i, places) * words];
    if (*at & 1) {
      at[words - 1] += 2 * i;
    } else {
      for (uint32_t k = 0; k < some; k++) block[i * some + k] = at[k];
      for (uint32_t k = 0; k < some; k++) at[k] = 2 * i;
    }
  }
}

/* Items that have to be combined while REDUCE_WINDOW others are not: the cost of one look-up over that of one item
 * sent, as a share of all. */
static uint64_t needed_of(uint64_t look_up, uint64_t send) {
  if (look_up >= send) return 15 * SCREE__REDUCE_WINDOW;
  return SCREE__REDUCE_WINDOW * look_up / (send - look_up + 1);
}

/* In the simulator, which has no real clock: half of all. Without memory: the same. */
uint64_t scree__reduce_needed(const scree_world *world, uint32_t item, uint32_t entry, uint32_t entries) {
  const scree__worker *me = world->worker[0];
  const uint32_t words = words_of(entry);
  const size_t count = power_of_two_in((size_t)words * entries), places = power_of_two_in(count / words);
  const uint64_t blocks = places / ITEMS < 1 ? 1 : places / ITEMS > BLOCKS ? BLOCKS : places / ITEMS;
  uint64_t best_look = UINT64_MAX, best_send = UINT64_MAX;
  if (me->transport->scheduler->ops->yield_point) return SCREE__REDUCE_WINDOW;
  uint64_t *block = malloc(ITEMS * WORDS * sizeof *block), *table = malloc(count * sizeof *table);
  for (int r = 0; block && table && r < ROUNDS; r++) {
    fill(table, count);
    const uint64_t start = scree__clock_ns();
    for (uint64_t b = 0; b < blocks; b++) keep_all(b * ITEMS, block, table, places, words);
    const uint64_t looked = scree__clock_ns();
    for (uint64_t b = 0; b < blocks; b++) send_all(b * ITEMS, block, table, count, moved(words_of(item)));
    const uint64_t sent = scree__clock_ns() - looked;
    __asm__ __volatile__("" ::"r"(block), "r"(table) : "memory"); /* else no store would be needed */
    if (sent < best_send) best_send = sent;
    if (looked - start < best_look) best_look = looked - start;
  }
  free(block);
  free(table);
  return best_send == UINT64_MAX ? SCREE__REDUCE_WINDOW : needed_of(best_look, best_send);
}
