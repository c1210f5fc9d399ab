/* kron.c - the Kronecker generator of the Graph500 specification (version 2.0, "Generating the edge list").
 *
 * Each level of recursion picks a quadrant with probability .57, .19, .19, .05; vertices are then permuted. Edges are
 * independent draws, so that their order needs no permutation. */
#include "generate/kron.h"

#include <stdio.h>

#include "base/hash.h"
#include "file/parse.h"

/* Of 2^32: quadrants A, A or B, A or B or C. */
static const uint32_t below_a = 2448131359u, below_b = 3264175145u, below_c = 4080218931u;

enum { SCALE_MAX = 40, EDGE_FACTOR_MAX = 1 << 20, DEFAULT_EDGE_FACTOR = 16 };
enum { STREAM_ORDER, STREAM_WEIGHTS, STREAM_EDGES };

/* One number of a comma-separated list, at *p; *p moves past the comma. */
static bool take_number(const char **p, uint64_t min, uint64_t max, uint64_t *value) {
  char word[24];
  size_t n = 0;
  while ((*p)[n] && (*p)[n] != ',' && n < sizeof word - 1) word[n] = (*p)[n], n++;
  word[n] = 0;
  const char *at = word;
  if (n == 0 || scree__parse_number(&at, min, max, value) || *at) return false;
  *p += n;
  if (**p == ',' && (*p)[1]) ++*p;
  return true;
}

bool scree__kron_parse(scree__kron *kron, const char *text, char *why, size_t size) {
  uint64_t scale = 0, factor = DEFAULT_EDGE_FACTOR, seed = 1;
  const char *p = text;
  bool good = take_number(&p, 1, SCALE_MAX, &scale);
  if (good && *p) good = take_number(&p, 1, EDGE_FACTOR_MAX, &factor);
  if (good && *p) good = take_number(&p, 0, UINT64_MAX - 1, &seed);
  if (!good || *p) {
    snprintf(why, size, "SCALE of 1 .. %d, EDGEFACTOR of 1 .. %d", SCALE_MAX, EDGE_FACTOR_MAX);
    return false;
  }
  *kron = (scree__kron){.scale = (uint32_t)scale, .edge_factor = factor, .seed = seed};
  kron->edges = scree__hash_draw(seed, STREAM_EDGES);
  kron->weights = scree__hash_draw(seed, STREAM_WEIGHTS);
  scree_bijection_init(&kron->order, UINT64_C(1) << scale, scree__hash_draw(seed, STREAM_ORDER));
  return true;
}

/* One level: the quadrant that a draw picks adds a bit to row and column. It has no branches, which could not be
 * predicted; the column is odd in quadrants B and D. */
static inline void add_level(uint32_t draw, uint64_t *row, uint64_t *column) {
  uint64_t beyond_a = draw >= below_a, beyond_b = draw >= below_b, beyond_c = draw >= below_c;
  *row = *row << 1 | beyond_b;
  *column = *column << 1 | (beyond_a ^ beyond_b ^ beyond_c);
}

void scree__kron_edge(const scree__kron *kron, uint64_t i, uint64_t *u, uint64_t *v, float *weight) {
  uint64_t key = scree__hash_draw(kron->edges, i), row = 0, column = 0;
  for (uint32_t level = 0; level < kron->scale; level += 2) { /* 64 bits are two draws */
    uint64_t bits = scree__hash(key + (level + 1) * UINT64_C(0x9e3779b97f4a7c15));
    add_level((uint32_t)bits, &row, &column);
    if (level + 1 < kron->scale) add_level((uint32_t)(bits >> 32), &row, &column);
  }
  *u = scree_bijection_apply(&kron->order, row);
  *v = scree_bijection_apply(&kron->order, column);
  *weight = scree__unit_float(scree__hash_draw(kron->weights, i));
}
