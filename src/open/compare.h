/* compare.h - what the ranks of a world must have in common: the build of scree, and the options. */
#ifndef SCREE__COMPARE_H
#define SCREE__COMPARE_H
#include "transport/meeting.h"

/* Of the build and the options, the largest value of each word and the complement of the smallest. The size is the same
 * in every release: records of different sizes could not be compared. */
enum { SCREE__BUILD_WORDS = 16, SCREE__COMPARED_WORDS = 128 };
typedef struct {
  uint64_t status, max[SCREE__COMPARED_WORDS], min[SCREE__COMPARED_WORDS];
} scree__compared;

/* Compares, in one reduction; collective. `mine`: what this rank has found so far, as it completed its options; if not
 * SCREE_OK, *options is not read. Returns the worst of them, or SCREE_EINVAL where ranks differ, after rank 0 has
 * printed in what; the same on all ranks. */
scree_status scree__compare(scree__meeting *meeting, scree_status mine, const scree__options *options);
#endif
