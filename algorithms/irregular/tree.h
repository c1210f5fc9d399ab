/* tree.h - the sample trees of UTS (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006): a vertex is a
 * SHA-1, and that of a child the SHA-1 of its parent's and its number. */
#ifndef SCREE__IRREGULAR_TREE_H
#define SCREE__IRREGULAR_TREE_H
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "irregular/sha1.h"

enum { SCREE__TREE_CHILDREN = 100 /* at most */ };

/* Geometric: `branch` children on average, down to a depth; binomial: `branch` at the root, elsewhere `many` with a
 * probability, else none. The numbers of T1 to T3L are those that UTS publishes; the short trees are for tests, and are
 * walked serially instead. */
typedef struct {
  bool binomial;
  double branch, probability;
  uint32_t many, depth, seed;
  uint64_t vertices, leaves, deepest;
} scree__tree;
static const scree__tree scree__trees[] = {
    {false, 4, 0, 0, 10, 19, 4130071, 3305118, 10},
    {true, 2000, 0.124875, 8, 0, 42, 4112897, 3599034, 1572},
    {false, 4, 0, 0, 13, 29, 102181082, 81746377, 13},
    {true, 2000, 0.200014, 5, 0, 7, 111345631, 89076904, 17844},
    {false, 4, 0, 0, 4, 19, 0, 0, 0},
    {true, 30, 0.19, 5, 0, 42, 0, 0, 0},
};

typedef struct {
  uint8_t state[SHA1_DIGEST_SIZE];
  uint32_t depth, children;
} scree__vertex;

/* The numbers that UTS hashes and draws have their highest byte first. */
static inline uint32_t scree__tree_read(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline void scree__tree_write(uint8_t *at, uint32_t x) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(x >> (24 - 8 * i));
}

static inline uint32_t scree__tree_children(const scree__tree *t, const scree__vertex *v) {
  const double u = (scree__tree_read(v->state + SHA1_DIGEST_SIZE - 4) & 0x7fffffff) / 2147483648.0;
  if (t->binomial) return v->depth == 0 ? (uint32_t)t->branch : u < t->probability ? t->many : 0;
  if (v->depth >= t->depth) return 0;
  const double n = floor(log(1 - u) / log(1 - 1 / (1 + t->branch)));
  return n < SCREE__TREE_CHILDREN ? (uint32_t)n : SCREE__TREE_CHILDREN;
}

static inline scree__vertex scree__tree_root(const scree__tree *t) {
  uint8_t seed[SHA1_DIGEST_SIZE] = {0};
  scree__vertex root = {.depth = 0};
  scree__tree_write(seed + SHA1_DIGEST_SIZE - 4, t->seed);
  scree__sha1(root.state, seed, sizeof seed);
  root.children = scree__tree_children(t, &root);
  return root;
}

static inline scree__vertex scree__tree_child(const scree__tree *t, const scree__vertex *v, uint32_t i) {
  uint8_t text[SHA1_DIGEST_SIZE + 4];
  scree__vertex child = {.depth = v->depth + 1};
  memcpy(text, v->state, sizeof v->state);
  scree__tree_write(text + SHA1_DIGEST_SIZE, i);
  scree__sha1(child.state, text, sizeof text);
  child.children = scree__tree_children(t, &child);
  return child;
}

#endif
