/* distribution.h - the rank that owns a vertex, and the vertex's local index there.
 *
 * Arithmetic on vertex ids that algorithms inline: the bijection, the three distributions and the location. All
 * functions are local, and legal in any thread at any time; none sends or waits. C11 and C++. */
#ifndef SCREE_DISTRIBUTION_H
#define SCREE_DISTRIBUTION_H
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SCREE_VERTICES_MAX (UINT64_C(1) << 40) /* maximum number of vertices of a graph */
#define SCREE_NO_VERTEX    UINT64_MAX          /* instead of a vertex id: none */

/* ---- a keyed bijection of 0 .. n-1 ---------------------------------------------------------------------------- */

#define SCREE__ROUNDS 3

/* Rounds of add, multiply by an odd number, fold the upper half into the lower, on the smallest power of two that holds
 * n; values of n and more are mapped again until they fall below n (cycle walking). Fields are private. */
typedef struct scree_bijection {
  uint64_t n, mask;
  uint32_t shift;
  uint64_t add[SCREE__ROUNDS], mul[SCREE__ROUNDS], inv[SCREE__ROUNDS];
} scree_bijection;

/* The bijection of 0 .. n-1 that `key` determines; 1 <= n <= 2^63. */
void scree_bijection_init(scree_bijection *b, uint64_t n, uint64_t key);

/* Image of v, and of the inverse; v < n. Undefined: v >= n. */
static inline uint64_t scree_bijection_apply(const scree_bijection *b, uint64_t v) {
  do {
    for (int i = 0; i < SCREE__ROUNDS; i++) {
      v = ((v + b->add[i]) * b->mul[i]) & b->mask;
      v ^= v >> b->shift;
    }
  } while (v >= b->n);
  return v;
}
static inline uint64_t scree_bijection_invert(const scree_bijection *b, uint64_t v) {
  do {
    for (int i = SCREE__ROUNDS - 1; i >= 0; i--) {
      v ^= v >> b->shift;
      v = (v * b->inv[i] - b->add[i]) & b->mask;
    }
  } while (v >= b->n);
  return v;
}

/* ---- locations -------------------------------------------------------------------------------------------------- */

/* Owner in the upper 24 bits, local index on the owner in the lower 40; a traversal thus needs no division. */
typedef uint64_t scree_location;

static inline scree_location scree_location_make(uint32_t owner, uint64_t local) {
  return (scree_location)owner << 40 | local;
}
static inline uint32_t scree_location_owner(scree_location p) {
  return (uint32_t)(p >> 40);
}
static inline uint64_t scree_location_local(scree_location p) {
  return p & (SCREE_VERTICES_MAX - 1);
}

/* ---- distributions ---------------------------------------------------------------------------------------------- */

typedef enum {
  SCREE_DISTRIBUTION_BLOCK,  /* contiguous blocks of n / ranks vertices; the first n % ranks have one more */
  SCREE_DISTRIBUTION_CYCLIC, /* vertex v is on rank v % ranks */
  SCREE_DISTRIBUTION_HASH    /* cyclic over a bijection of the ids: independent of any order in the ids */
} scree_distribution_kind;

typedef struct scree_distribution {
  uint64_t n;                   /* vertices, 0 .. n-1 */
  uint32_t ranks;               /* parts */
  scree_distribution_kind kind; /* how */
  uint64_t min, extra, cut;     /* private: n / ranks, n % ranks, first vertex of the smaller blocks */
  uint64_t inverse[2];          /* private: reciprocals of the divisors; see scree__quotient */
  scree_bijection hash;         /* private */
} scree_distribution;

/* Vertices 0 .. n-1 over `ranks` parts; n <= SCREE_VERTICES_MAX, 1 <= ranks <= 2^24; 0 counts as 1. */
void scree_distribution_init(scree_distribution *d, scree_distribution_kind kind, uint64_t n, uint32_t ranks);

/* Number of vertices of a rank. */
static inline uint64_t scree_distribution_count(const scree_distribution *d, uint32_t rank) {
  return d->min + (rank < d->extra);
}

/* v / d as a product, where `inverse` is 2^64 / d rounded up and v * d < 2^64 (Granlund & Montgomery, PLDI 1994); it is
 * 0 where this does not hold. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 scree__product;
#endif
static inline uint64_t scree__quotient(uint64_t v, uint64_t d, uint64_t inverse) {
#ifdef __SIZEOF_INT128__
  if (__builtin_expect(inverse != 0, 1)) return (uint64_t)((scree__product)v * inverse >> 64);
#endif
  return v / d;
}

/* The largest owner and the largest local index of any vertex: those of two different vertices, perhaps. */
static inline scree_location scree_distribution_last(const scree_distribution *d) {
  const uint64_t count = scree_distribution_count(d, 0);
  return scree_location_make(d->ranks - 1, count ? count - 1 : 0);
}

/* Location of vertex v, v < n. */
static inline scree_location scree_distribution_location(const scree_distribution *d, uint64_t v) {
  if (d->kind == SCREE_DISTRIBUTION_BLOCK) {
    bool larger = v < d->cut;
    uint64_t each = d->min + larger, from = larger ? 0 : d->cut;
    uint64_t owner = scree__quotient(v - from, each, d->inverse[larger]);
    return scree_location_make((uint32_t)(owner + (larger ? 0 : d->extra)), v - from - owner * each);
  }
  if (d->kind == SCREE_DISTRIBUTION_HASH) v = scree_bijection_apply(&d->hash, v);
  uint64_t local = scree__quotient(v, d->ranks, d->inverse[0]);
  return scree_location_make((uint32_t)(v - local * d->ranks), local);
}
static inline uint32_t scree_distribution_owner(const scree_distribution *d, uint64_t v) {
  return scree_location_owner(scree_distribution_location(d, v));
}
static inline uint64_t scree_distribution_local(const scree_distribution *d, uint64_t v) {
  return scree_location_local(scree_distribution_location(d, v));
}

/* The vertex at index `local` of `rank`; local < count(rank). */
static inline uint64_t scree_distribution_global(const scree_distribution *d, uint32_t rank, uint64_t local) {
  if (d->kind == SCREE_DISTRIBUTION_BLOCK) return rank * d->min + (rank < d->extra ? rank : d->extra) + local;
  uint64_t v = local * d->ranks + rank;
  return d->kind == SCREE_DISTRIBUTION_HASH ? scree_bijection_invert(&d->hash, v) : v;
}

/* The contiguous part from .. to-1 of 0 .. total-1 that is a rank's, of sizes that differ by one at most: as
 * SCREE_DISTRIBUTION_BLOCK, for any 64-bit total. */
static inline void scree_distribution_block_range(uint64_t total, uint32_t rank, uint32_t ranks, uint64_t *from,
                                                  uint64_t *to) {
  uint64_t each = total / ranks, rest = total % ranks;
  *from = rank * each + (rank < rest ? rank : rest);
  *to = *from + each + (rank < rest);
}

#ifdef __cplusplus
}
#endif
#endif
