/* radix.h - sorts items by 64-bit keys, stably, into memory that is taken once. */
#ifndef SCREE__RADIX_H
#define SCREE__RADIX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t scree__key_fn(const void *item);

typedef struct {
  size_t count, bytes; /* items and their bytes, at most */
  uint64_t *words;     /* twice as many */
  char *items;
} scree__sorter;

/* From now on it sorts up to so many items of so many bytes, and what it could sort before. False: no memory. */
bool scree__sorter_grow(scree__sorter *s, size_t count, size_t bytes);
void scree__sorter_free(scree__sorter *s);
/* Bytes of its memory. */
uint64_t scree__sorter_bytes(const scree__sorter *s);

/* The items in the order of their keys, those of equal keys in their present order: `items` itself if it is sorted,
 * else memory of the sorter, valid until the next call. Keys may be computed twice. */
const void *scree__sort(scree__sorter *s, const void *items, uint32_t count, uint32_t item, scree__key_fn *key);
#endif
