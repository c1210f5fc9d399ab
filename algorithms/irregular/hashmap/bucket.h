/* bucket.h - strings of 16 to 20 letters, and buckets that hold them: what the map of `scree hashmap` is made of, and
 * that of its rivals. */
#ifndef SCREE__IRREGULAR_BUCKET_H
#define SCREE__IRREGULAR_BUCKET_H
#include <atomic_ops.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

enum { SCREE__BUCKET_SLOTS = 64, SCREE__BUCKET_BYTES = 2048 };

/* Letters, then zeros; the hash. */
typedef struct {
  uint64_t hash, letters[3];
} scree__string;

/* The state of a slot: one of these, or, of one that has a string, its hash with the two lowest bits set. A slot is
 * never unused again, so a search from a string's first slot on ends at one that is unused. */
enum { SCREE__SLOT_UNUSED = 0, SCREE__SLOT_FREE = 1, SCREE__SLOT_CLAIMED = 2, SCREE__SLOT_FULL = 3 };
typedef struct {
  uint64_t state, letters[3];
} scree__map_slot;

static inline uint64_t scree__slot_state(const scree__string *s) {
  return s->hash | SCREE__SLOT_FULL;
}
/* Release: who reads the state, maybe meanwhile, may read the letters. */
static inline void scree__slot_set(scree__map_slot *slot, uint64_t state) {
  AO_store_release((volatile AO_t *)(void *)&slot->state, state);
}
/* The p-th slot of its bucket where a string is searched. */
static inline uint32_t scree__slot_at(const scree__string *s, uint32_t p) {
  return (uint32_t)((s->hash >> 2) + p) % SCREE__BUCKET_SLOTS;
}

static inline void scree__string_hash(scree__string *s) {
  s->hash = scree__hash(s->letters[0] ^ scree__hash(s->letters[1] ^ scree__hash(s->letters[2])));
}

/* 8 letters from a to p, each of 4 bits. */
static inline uint64_t scree__letters(uint32_t bits) {
  uint64_t x = bits;
  x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
  x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
  x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return x + UINT64_C(0x6161616161616161);
}

/* String i of a pool, which is unlike all others: 16 letters are 64 bits that are a bijection of i; up to 4 follow. */
static inline scree__string scree__string_of(uint64_t seed, uint64_t i) {
  const uint64_t x = scree__hash(seed + i), y = scree__hash(x);
  scree__string s = {0, {scree__letters((uint32_t)x), scree__letters((uint32_t)(x >> 32)), 0}};
  s.letters[2] = scree__letters((uint32_t)y) & ((UINT64_C(1) << 8 * ((y >> 32) % 5)) - 1);
  scree__string_hash(&s);
  return s;
}

/* The letters in the opposite order: letter i is byte i % 8, from the lowest on, of word i / 8. */
static inline void scree__string_reverse(scree__string *s) {
  const uint64_t a = __builtin_bswap64(s->letters[2]), b = __builtin_bswap64(s->letters[1]),
                 c = __builtin_bswap64(s->letters[0]);
  const uint32_t empty = a ? (uint32_t)__builtin_ctzll(a) / 8 * 8 : 64; /* bits without a letter: 32 to 64 */
  s->letters[0] = empty < 64 ? a >> empty | b << (64 - empty) : b;
  s->letters[1] = empty < 64 ? b >> empty | c << (64 - empty) : c;
  s->letters[2] = empty < 64 ? c >> empty : 0;
  scree__string_hash(s);
}

/* The slot of a bucket that has the string; NULL: none has. */
static inline scree__map_slot *scree__bucket_find(scree__map_slot *bucket, const scree__string *s) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    scree__map_slot *slot = &bucket[scree__slot_at(s, p)];
    if (slot->state == SCREE__SLOT_UNUSED) return NULL;
    if (slot->state == scree__slot_state(s) && memcmp(slot->letters, s->letters, sizeof s->letters) == 0) return slot;
  }
  return NULL;
}
/* Stores a string that the bucket has not got. False: it is full. */
static inline bool scree__bucket_store(scree__map_slot *bucket, const scree__string *s) {
  for (uint32_t p = 0; p < SCREE__BUCKET_SLOTS; p++) {
    scree__map_slot *slot = &bucket[scree__slot_at(s, p)];
    if (slot->state != SCREE__SLOT_UNUSED && slot->state != SCREE__SLOT_FREE) continue;
    memcpy(slot->letters, s->letters, sizeof slot->letters);
    scree__slot_set(slot, scree__slot_state(s));
    return true;
  }
  return false;
}

/* Where a string belongs: a rank, and one of its buckets. */
static inline uint32_t scree__string_rank(const scree__string *s, uint32_t ranks) {
  return (uint32_t)((s->hash & UINT32_MAX) * ranks >> 32);
}
static inline uint64_t scree__string_bucket(const scree__string *s, uint64_t buckets) {
  return (s->hash >> 32) * buckets >> 32;
}
/* Buckets of each rank for a map of so many strings: a fourth of all slots is full, if they are even. */
static inline uint64_t scree__string_buckets(uint64_t strings, uint32_t ranks) {
  return strings / (SCREE__BUCKET_SLOTS / 4) / ranks + 1;
}

/* ---- what a task does: the same in all programs ---- */

enum { SCREE__POOL_PART = 10 /* one string of so many is in the map at first */ };

/* The next string that a task looks up: of `count` strings of the pool from `first` on, as it is or reversed. */
static inline scree__string scree__string_next(uint64_t *random, uint64_t seed, uint64_t first, uint64_t count,
                                               uint64_t *index, bool *reversed) {
  const uint64_t draw = *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  *index = first + ((draw >> 32) * count >> 32);
  *reversed = draw >> 31 & 1;
  scree__string s = scree__string_of(seed, *index);
  if (*reversed) scree__string_reverse(&s);
  return s;
}

#endif
