/* sized.h - structs of options and of results that begin with `size_t size`, as a program of another release passes
 * them.
 *
 * All their fields are 8 bytes or begin at a multiple of 8, so that the size of an older release's struct ends between
 * two fields of this one. Local; any thread. */
#ifndef SCREE__SIZED_H
#define SCREE__SIZED_H
#include <stdbool.h>
#include <stddef.h>

/* Names of a struct and of its initialiser, for messages, and its size in this release. */
typedef struct {
  const char *name, *init;
  size_t size;
} scree__sized;

/* Checks the size that `given` states, and that fields unknown to this release are unset. Returns 0, or -1 with one
 * line in why[size]. */
int scree__sized_check(const scree__sized *type, const void *given, char *why, size_t size);

/* Copies the fields of `given` that it has over those of `own`, a struct of this release, which keeps its own size; all
 * others stay as they are. `given` may be NULL: nothing is copied. Returns as scree__sized_check does; own is unchanged
 * on failure. */
int scree__sized_copy(const scree__sized *type, void *own, const void *given, char *why, size_t size);

/* Fills `given`, a struct of results whose size the program has set, from `own`, of `known` bytes: what it has beyond
 * is 0. Returns false if `given` is NULL, or has a size that no release has, as of a struct that was not initialised;
 * *given is then unchanged. */
bool scree__sized_fill(void *given, const void *own, size_t known);

#endif
