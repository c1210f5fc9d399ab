/* tree.h - the sample trees of UTS (Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006): a vertex is a
 * SHA-1, and that of a child the SHA-1 of its parent's and its number. */
#ifndef SCREE__IRREGULAR_TREE_H
#define SCREE__IRREGULAR_TREE_H
#include <math.h>
#include <stdbool.h>

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
  uint32_t state[SCREE__SHA1_WORDS], depth, children;
} scree__vertex;

static inline uint32_t scree__tree_children(const scree__tree *t, const scree__vertex *v) {
  const double u = (v->state[SCREE__SHA1_WORDS - 1] & 0x7fffffff) / 2147483648.0;
  if (t->binomial) return v->depth == 0 ? (uint32_t)t->branch : u < t->probability ? t->many : 0;
  if (v->depth >= t->depth) return 0;
  const double n = floor(log(1 - u) / log(1 - 1 / (1 + t->branch)));
  return n < SCREE__TREE_CHILDREN ? (uint32_t)n : SCREE__TREE_CHILDREN;
}

static inline scree__vertex scree__tree_root(const scree__tree *t) {
  const uint32_t seed[SCREE__SHA1_WORDS] = {0, 0, 0, 0, t->seed};
  scree__vertex root = {.depth = 0};
  scree__sha1(root.state, seed, SCREE__SHA1_WORDS);
  root.children = scree__tree_children(t, &root);
  return root;
}

static inline scree__vertex scree__tree_child(const scree__tree *t, const scree__vertex *v, uint32_t i) {
  uint32_t words[SCREE__SHA1_WORDS + 1];
  scree__vertex child = {.depth = v->depth + 1};
  memcpy(words, v->state, sizeof v->state);
  words[SCREE__SHA1_WORDS] = i;
  scree__sha1(child.state, words, SCREE__SHA1_WORDS + 1);
  child.children = scree__tree_children(t, &child);
  return child;
}

#endif
