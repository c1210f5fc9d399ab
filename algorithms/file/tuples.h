/* tuples.h - the binary edge tuples of the Graph500 reference code, for reader and writer: 12 bytes an edge,
 * undirected; weights are floats in a file of their own, in the same order. Both in the byte order of x86. */
#ifndef SCREE__TUPLES_H
#define SCREE__TUPLES_H
#include <stdint.h>

#define SCREE__TUPLE_ID_MAX ((UINT64_C(1) << 48) - 1)

typedef struct scree__tuple {
  uint32_t v0_low, v1_low;
  uint32_t high; /* upper 16 bits of v0 in the lower half, of v1 in the upper */
} scree__tuple;

_Static_assert(sizeof(scree__tuple) == 12, "a tuple has 12 bytes");

static inline scree__tuple scree__tuple_pack(uint64_t u, uint64_t v) {
  return (scree__tuple){(uint32_t)u, (uint32_t)v, (uint32_t)(u >> 32 & 0xffff) | (uint32_t)(v >> 32 & 0xffff) << 16};
}
static inline uint64_t scree__tuple_u(const scree__tuple *t) {
  return t->v0_low | (uint64_t)(t->high & 0xffff) << 32;
}
static inline uint64_t scree__tuple_v(const scree__tuple *t) {
  return t->v1_low | (uint64_t)(t->high >> 16) << 32;
}

#endif
