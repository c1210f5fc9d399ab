/* address.h - addresses of global memory, and what translates them; include scree/global.h. */
#ifndef SCREE_GLOBAL_ADDRESS_H
#define SCREE_GLOBAL_ADDRESS_H
#include <scree/distribution.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* An address has 64 bits and is of one of two kinds.
 *   2-D, top bit 1: 23 bits of rank, 40 of byte: arithmetic stays on that rank.
 *   linear, top bit 0: the parts of all ranks as one sequence of stripes, on the ranks in turn, so that arithmetic
 *   passes from rank to rank: stripe s is stripe s / ranks of the part of rank s % ranks.
 * So if o and n are multiples of the stripe, the linear bytes from o * ranks to (o + n) * ranks are the bytes from o
 * to o + n of every rank. 0 is not an address. The functions of this part are local and legal in any thread at any
 * time. */
typedef uint64_t scree_address;
#define SCREE_NO_ADDRESS       UINT64_C(0)
#define SCREE_GLOBAL_RANKS_MAX (UINT32_C(1) << 23) /* maximum number of ranks, and bytes of a rank's part */
#define SCREE_GLOBAL_HEAP_MAX  (UINT64_C(1) << 40)

/* What translates addresses of a world: a value, the same on all ranks but for `area`. Fields are private. */
typedef struct scree_global_map {
  uint64_t heap, inverse; /* bytes of a part; reciprocal of ranks: see scree__quotient */
  uint32_t ranks, shift;  /* shift: a stripe has 1 << shift bytes */
  int32_t ranks_shift;    /* ranks are 1 << ranks_shift; -1: no power of two */
  char *const *area;      /* by rank: its part, where it is mapped here, else NULL; NULL: no part is */
} scree_global_map;

/* Of `ranks` parts of `heap` bytes in stripes of `stripe` bytes, none of them mapped. 1 <= ranks <=
 * SCREE_GLOBAL_RANKS_MAX; stripe: a power of two; heap: a multiple of it, up to SCREE_GLOBAL_HEAP_MAX. */
static inline void scree_global_map_init(scree_global_map *map, uint32_t ranks, uint64_t heap, uint64_t stripe) {
  const uint32_t shift = (uint32_t)__builtin_ctzll(stripe);
  map->heap = heap;
  map->ranks = ranks;
  map->shift = shift;
  map->ranks_shift = ranks & (ranks - 1) ? -1 : __builtin_ctz(ranks);
  /* The quotient is right for stripes s with s * ranks < 2^64. */
  map->inverse = (heap >> shift) < UINT64_MAX / ranks / ranks && ranks > 1 ? UINT64_MAX / ranks + 1 : 0;
  map->area = NULL;
}

static inline bool scree_global_is_linear(scree_address a) {
  return a >> 63 == 0;
}

/* The byte at that offset of a rank's part, as a 2-D address. */
static inline scree_address scree_global_address(uint32_t rank, uint64_t offset) {
  return UINT64_C(1) << 63 | (scree_address)rank << 40 | offset;
}

/* The address `bytes` later, or earlier, of the same kind. Undefined: past the end of the part, or of all parts. */
static inline scree_address scree_global_add(scree_address a, int64_t bytes) {
  return a + (uint64_t)bytes;
}

/* The rank that owns a byte, and the byte's offset in its part. */
static inline uint64_t scree__global_round(const scree_global_map *map, uint64_t stripe) {
  return map->ranks_shift >= 0 ? stripe >> map->ranks_shift : scree__quotient(stripe, map->ranks, map->inverse);
}
static inline uint32_t scree_global_owner(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return (uint32_t)(a >> 40 & (SCREE_GLOBAL_RANKS_MAX - 1));
  const uint64_t stripe = a >> map->shift;
  return (uint32_t)(stripe - scree__global_round(map, stripe) * map->ranks);
}
static inline uint64_t scree_global_offset(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return a & (SCREE_GLOBAL_HEAP_MAX - 1);
  const uint64_t within = a & ((UINT64_C(1) << map->shift) - 1);
  return scree__global_round(map, a >> map->shift) << map->shift | within;
}

/* The linear address of the byte at that offset of a rank's part. */
static inline scree_address scree_global_linear(const scree_global_map *map, uint32_t rank, uint64_t offset) {
  const uint64_t within = offset & ((UINT64_C(1) << map->shift) - 1);
  return ((offset >> map->shift) * map->ranks + rank) << map->shift | within;
}

/* How many bytes from the address on are contiguous on its owner; of a 2-D address, to the end of the part. */
static inline uint64_t scree_global_span(const scree_global_map *map, scree_address a) {
  if (!scree_global_is_linear(a)) return map->heap - (a & (SCREE_GLOBAL_HEAP_MAX - 1));
  return (UINT64_C(1) << map->shift) - (a & ((UINT64_C(1) << map->shift) - 1));
}

/* How many bytes of a rank's part have linear addresses below that one: so those of `n` bytes from `a` on are the bytes
 * from scree_global_below(map, a, rank) to scree_global_below(map, a + n, rank) of its part, contiguous. */
static inline uint64_t scree_global_below(const scree_global_map *map, scree_address a, uint32_t rank) {
  const uint64_t stripe = a >> map->shift, round = scree__global_round(map, stripe);
  const uint32_t at = (uint32_t)(stripe - round * map->ranks);
  const uint64_t last = rank < at ? UINT64_C(1) << map->shift : rank > at ? 0 : a & ((UINT64_C(1) << map->shift) - 1);
  return (round << map->shift) + last;
}

/* A pointer to the byte, NULL where it is not mapped: that of a rank on another node, or without shared memory; or
 * after the heap (scree_global_export, scree_global_stack). */
static inline void *scree_global_local(const scree_global_map *map, scree_address a) {
  char *area = map->area ? map->area[scree_global_owner(map, a)] : NULL;
  const uint64_t offset = scree_global_offset(map, a);
  return area && offset < map->heap ? area + offset : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
