/* memory.c - loads, stores and atomics of global memory, by the owner's handlers and by ranks of its node alike: words
 * of 4 and 8 bytes are accessed by one instruction everywhere, so that these accesses may be concurrent. */
#include <atomic_ops.h>
#include <string.h>

#include "global/operation.h"

static bool is_word(const char *p, uint64_t bytes, uint64_t size) {
  return bytes == size && (uintptr_t)p % size == 0;
}

/* Relaxed: the callers state what orders them. */
void scree__load(void *to, const char *from, uint64_t bytes) {
  if (is_word(from, bytes, 8)) {
    const uint64_t word = AO_load((const volatile AO_t *)(const void *)from);
    memcpy(to, &word, sizeof word);
  } else if (is_word(from, bytes, 4)) {
    const uint32_t word = AO_int_load((const volatile unsigned *)(const void *)from);
    memcpy(to, &word, sizeof word);
  } else {
    memcpy(to, from, bytes);
  }
}

void scree__store(char *to, const void *from, uint64_t bytes) {
  if (is_word(to, bytes, 8)) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    AO_store((volatile AO_t *)(void *)to, word);
  } else if (is_word(to, bytes, 4)) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    AO_int_store((volatile unsigned *)(void *)to, word);
  } else {
    memcpy(to, from, bytes);
  }
}

/* Aligned words at once, as by stores of them. */
void scree__fill(char *to, uint64_t bytes, uint64_t pattern) {
  uint64_t i = 0;
  for (; i < bytes && ((uintptr_t)(to + i) % 8 || bytes - i < 8); i++) to[i] = (char)(pattern >> i % 8 * 8);
  const uint64_t word = scree__pattern_from(pattern, i);
  for (; bytes - i >= 8; i += 8) AO_store((volatile AO_t *)(void *)(to + i), word);
  for (; i < bytes; i++) to[i] = (char)(pattern >> i % 8 * 8);
}

static uint64_t result_of(scree__global_kind kind, uint64_t old, uint64_t value, uint64_t expected) {
  switch (kind) {
  case SCREE__GLOBAL_ADD:
    return old + value;
  case SCREE__GLOBAL_COMPARE:
    return old == expected ? value : old;
  case SCREE__GLOBAL_AND:
    return old & value;
  case SCREE__GLOBAL_OR:
    return old | value;
  case SCREE__GLOBAL_XOR:
    return old ^ value;
  default:
    return value;
  }
}

/* Full barriers: atomics are linearizable, also between the owner and ranks of its node. */
uint64_t scree__atomic(char *p, scree__global_kind kind, uint64_t bytes, uint64_t value, uint64_t expected) {
  if (bytes == sizeof(AO_t)) {
    volatile AO_t *word = (volatile AO_t *)(void *)p;
    if (kind == SCREE__GLOBAL_ADD) return AO_fetch_and_add_full(word, value);
    AO_t old, seen = AO_load(word);
    do {
      old = seen;
      seen = AO_fetch_compare_and_swap_full(word, old, result_of(kind, old, value, expected));
    } while (seen != old);
    return old;
  }
  volatile unsigned *word = (volatile unsigned *)(void *)p;
  if (kind == SCREE__GLOBAL_ADD) return AO_int_fetch_and_add_full(word, (unsigned)value);
  unsigned old, seen = AO_int_load(word);
  do {
    old = seen;
    seen = AO_int_fetch_compare_and_swap_full(word, old, (unsigned)result_of(kind, old, value, (unsigned)expected));
  } while (seen != old);
  return old;
}

/* ---- pieces of linear addresses ---- */

/* A piece is one stripe, or the part of it that is in range. */
static uint64_t piece_at(const scree_global_map *map, uint64_t offset, uint64_t bytes) {
  const uint64_t stripe = UINT64_C(1) << map->shift, n = stripe - (offset & (stripe - 1));
  return n < bytes ? n : bytes;
}

void scree__gather_bytes(const scree_global_map *map, scree_address address, uint32_t owner, uint64_t offset,
                         uint64_t bytes, const char *base, char *data) {
  for (uint64_t n; bytes; offset += n, data += n, bytes -= n) {
    n = piece_at(map, offset, bytes);
    memcpy(data, base + (scree_global_linear(map, owner, offset) - address), n);
  }
}

void scree__scatter_bytes(const scree_global_map *map, scree_address address, uint32_t owner, uint64_t offset,
                          uint64_t bytes, const char *data, char *base) {
  for (uint64_t n; bytes; offset += n, data += n, bytes -= n) {
    n = piece_at(map, offset, bytes);
    memcpy(base + (scree_global_linear(map, owner, offset) - address), data, n);
  }
}
