/* u64_vector.h - a growing array of 64-bit numbers that can be made a set. */
#ifndef SCREE__U64_VECTOR_H
#define SCREE__U64_VECTOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. The owner frees `at`. */
typedef struct scree__u64_vector {
  uint64_t *at;
  size_t count, capacity;
} scree__u64_vector;
/* Appends; false when out of memory (the vector is as before). */
bool scree__u64_vector_append(scree__u64_vector *vector, const uint64_t *from, size_t count);
/* Sorts in ascending order and removes duplicates; false when out of memory. */
bool scree__u64_vector_sort_unique(scree__u64_vector *vector);
/* The same of n numbers, with as much memory in `spare`: *at becomes the one of the two that has them then. Returns how
 * many are left. */
size_t scree__u64_sort_unique(uint64_t **at, uint64_t *spare, size_t n);

#endif
