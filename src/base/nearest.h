/* nearest.h - the known name that a user may have meant, for messages. */
#ifndef SCREE__NEAREST_H
#define SCREE__NEAREST_H
#include <stddef.h>

/* Letters to add, drop or change between two names; of `b` only the first 48 count. */
size_t scree__edit_distance(const char *a, const char *b);

/* The one of `count` names that was probably meant: the only one that begins with `name`, else the nearest, with at
 * most one wrong letter in three. NULL: none is near. */
const char *scree__nearest(const char *name, const char *const *names, size_t count);

#endif
