/* unit_radix.c - batches sorted by key: against insertion into a list, with keys of all widths, few items and many,
 * items of many sizes; stable, no key computed more than twice, and items in order are not moved. */
#include "sort/radix.h"

#include "base/random.h"
#include "harness.h"

enum { MOST = 3000, MOST_BYTES = 40 };

static uint32_t asked;

/* Its first 8 bytes; the next 4, where there are as many, say where the item was. */
static uint64_t key_of(const void *item) {
  uint64_t key;
  asked++;
  memcpy(&key, item, sizeof key);
  return key;
}

static uint32_t place_of(const char *item) {
  uint32_t place;
  memcpy(&place, item + sizeof(uint64_t), sizeof place);
  return place;
}

/* Keys that differ in `width` bits, from bit `from` on, at most; with gaps, if `gaps`. */
static void draw(char *items, uint32_t count, uint32_t bytes, uint32_t width, uint32_t from, bool gaps,
                 uint64_t *random) {
  const uint64_t mask = (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX) << from;
  const uint64_t some = gaps ? scree__draw(random) & scree__draw(random) : UINT64_MAX, other = scree__draw(random);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t key = (scree__draw(random) & mask & some) | (other & ~mask);
    char *item = items + (size_t)i * bytes;
    for (uint32_t k = 0; k < bytes; k++) item[k] = (char)(i * 7 + k);
    memcpy(item, &key, sizeof key);
    if (bytes >= 12) memcpy(item + sizeof key, &i, sizeof i);
  }
}

static bool is_whole(const char *item, uint32_t bytes) {
  for (uint32_t k = 12; k < bytes; k++)
    if (item[k] != (char)(place_of(item) * 7 + k)) return false;
  return true;
}

static uint64_t sum_of_keys(const char *items, uint32_t count, uint32_t bytes) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t key;
    memcpy(&key, items + (size_t)i * bytes, sizeof key);
    sum += scree__hash(key);
  }
  return sum;
}

static void check_sorted(scree__sorter *s, const char *items, uint32_t count, uint32_t bytes) {
  const uint64_t sum = sum_of_keys(items, count, bytes);
  asked = 0;
  const char *sorted = scree__sort(s, items, count, bytes, key_of);
  check((count == 1 || asked >= count) && asked <= 2 * count);
  check_equal(sum_of_keys(sorted, count, bytes), sum);
  for (uint32_t i = 0; i < count; i++) {
    const char *one = sorted + (size_t)i * bytes, *last = one - bytes;
    if (bytes >= 12) check_text(is_whole(one, bytes), "item %u of %u is damaged", i, count);
    if (i == 0) continue;
    const uint64_t key = key_of(one), before = key_of(last);
    check_text(before < key || (before == key && (bytes < 12 || place_of(last) < place_of(one))),
               "item %u of %u of %u bytes", i, count, bytes);
  }
}

/* The bounds of all that a caller may request. */
static void grow(scree__sorter *s, uint32_t count, uint32_t bytes) {
  check(scree__sorter_grow(s, count, (size_t)count * bytes));
}

HARNESS_TEST(all_widths) {
  static const uint32_t counts[] = {0, 1, 2, 3, 39, 40, 41, 255, 256, 257, MOST}, sizes[] = {8, 12, 16, 20, MOST_BYTES};
  uint64_t random = 1;
  char *items = malloc((size_t)MOST * MOST_BYTES);
  scree__sorter s = {0};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (uint32_t width = 0; width <= 64; width += width < 12 || width > 52 ? 1 : 8) {
        const uint32_t from = width == 64 ? 0 : (uint32_t)(scree__draw(&random) % (65 - width)) % 64;
        grow(&s, counts[c], sizes[k]);
        draw(items, counts[c], sizes[k], width, from, scree__draw(&random) % 2, &random);
        check_sorted(&s, items, counts[c], sizes[k]);
      }
  scree__sorter_free(&s);
  free(items);
}

/* The lowest and the highest bit alone: two digits, far apart. */
HARNESS_TEST(bits_far_apart) {
  uint64_t keys[MOST], random = 2;
  scree__sorter s = {0};
  grow(&s, MOST, sizeof *keys);
  for (uint32_t i = 0; i < MOST; i++) keys[i] = scree__draw(&random) & ((UINT64_C(1) << 63) | 1);
  check_sorted(&s, (const char *)keys, MOST, sizeof *keys);
  for (uint32_t i = 0; i < MOST; i++) keys[i] = UINT64_MAX - i;
  check_sorted(&s, (const char *)keys, MOST, sizeof *keys);
  scree__sorter_free(&s);
}

HARNESS_TEST(in_order_already) {
  uint64_t keys[100];
  scree__sorter s = {0};
  grow(&s, 100, sizeof *keys);
  for (uint32_t i = 0; i < 100; i++) keys[i] = i / 3;
  check(scree__sort(&s, keys, 100, sizeof *keys, key_of) == keys);
  check(scree__sort(&s, keys, 1, sizeof *keys, key_of) == keys);
  keys[99] = 0;
  check(scree__sort(&s, keys, 100, sizeof *keys, key_of) != keys);
  scree__sorter_free(&s);
}

HARNESS_TEST(grows) {
  scree__sorter s = {0};
  grow(&s, 10, 100);
  check_equal(scree__sorter_bytes(&s), 2 * 10 * sizeof(uint64_t) + 1000);
  grow(&s, 100, 4);
  check_equal(scree__sorter_bytes(&s), 2 * 100 * sizeof(uint64_t) + 1000);
  grow(&s, 5, 5);
  check_equal(scree__sorter_bytes(&s), 2 * 100 * sizeof(uint64_t) + 1000);
#ifndef __SANITIZE_ADDRESS__                          /* which ends the process */
  check(!scree__sorter_grow(&s, (size_t)1 << 50, 1)); /* what it has, it keeps */
#endif
  check_equal(scree__sorter_bytes(&s), 2 * 100 * sizeof(uint64_t) + 1000);
  scree__sorter_free(&s);
}

HARNESS_MAIN
