/* cost.c - when a cache pays (option reduce=auto): what it costs to look an item up, against what it costs to send one and
 * handle it, both measured when the first such type is registered. */
#include <stdlib.h>

#include "base/clock.h"
#include "core/world.h"

enum { ITEMS = 4096, ROUNDS = 3, WORDS = 8 }; /* WORDS: of an item, at most, that are moved */

/* Multiplicative, as the caches' hash is. */
static size_t place(uint64_t i, size_t count) {
  return (size_t)(i * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (count - 1);
}

/* An item is stored in a block, and read from it by a handler, which adds to a table. */
static void send_all(uint64_t *block, uint64_t *table, size_t count, uint32_t words) {
  for (uint64_t i = 0; i < ITEMS; i++)
    for (uint32_t k = 0; k < words; k++) block[i * words + k] = i;
  for (uint64_t i = 0; i < ITEMS; i++) table[place(block[i * words], count)] += block[i * words + words - 1];
}

/* An item finds another key in its place, and is stored there. */
static void keep_all(uint64_t *table, size_t count, uint32_t words) {
  for (uint64_t i = 0; i < ITEMS; i++) {
    uint64_t *at = &table[place(i, count / words) * words];
    if (*at == i)
      at[words - 1] += i;
    else
      for (uint32_t k = 0; k < words; k++) at[k] = i;
  }
}

/* Items that have to be combined while REDUCE_WINDOW others are not: the cost of one look-up over that of one item sent, as a
 * share of all. */
static uint64_t least_of(uint64_t look_up, uint64_t send) {
  if (look_up >= send) return 15 * SCREE__REDUCE_WINDOW;
  return SCREE__REDUCE_WINDOW * look_up / (send - look_up + 1);
}

/* In the simulator, whose clock is none: half of all. Without memory: the same. */
uint64_t scree__reduce_least(const scree_world *world, uint32_t item, size_t bytes) {
  const scree__worker *me = world->worker[0];
  const uint32_t words = item / 8 < 1 ? 1 : item / 8 > WORDS ? WORDS : item / 8;
  const size_t count = (size_t)1 << (63 - __builtin_clzll(bytes / sizeof(uint64_t)));
  uint64_t best_look = UINT64_MAX, best_send = UINT64_MAX;
  if (me->transport->scheduler->ops->yield_point) return SCREE__REDUCE_WINDOW;
  uint64_t *block = malloc(ITEMS * WORDS * sizeof *block), *table = calloc(count, sizeof *table);
  for (int r = 0; block && table && r < ROUNDS; r++) {
    const uint64_t start = scree__clock_ns();
    send_all(block, table, count, words);
    const uint64_t sent = scree__clock_ns();
    keep_all(table, count, words);
    const uint64_t looked = scree__clock_ns() - sent;
    __asm__ __volatile__("" ::"r"(block), "r"(table) : "memory"); /* else no store would be needed */
    if (sent - start < best_send) best_send = sent - start;
    if (looked < best_look) best_look = looked;
  }
  free(block);
  free(table);
  return best_send == UINT64_MAX ? SCREE__REDUCE_WINDOW : least_of(best_look, best_send);
}
