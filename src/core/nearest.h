/* nearest.h - how far two names are apart.
 *
 * Room: for messages that name the nearest known name. */
#ifndef SCREE__NEAREST_H
#define SCREE__NEAREST_H
#include <stddef.h>

/* Letters to add, drop or change between them; of `b` only the first 48 count. */
size_t scree__edit_distance(const char *a, const char *b);

#endif
