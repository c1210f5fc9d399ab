/* nearest.h - the known name that a user may have meant, and lists of known names, for messages. */
#ifndef SCREE__NEAREST_H
#define SCREE__NEAREST_H
#include <stddef.h>

/* Letters to add, drop or change between two names; of `b` only the first 48 count. */
size_t scree__edit_distance(const char *a, const char *b);

/* The one of `count` names that was probably meant: the only one that begins with `name`, else the nearest, with at
 * most one wrong letter in three. NULL: none is near. */
const char *scree__nearest(const char *name, const char *const *names, size_t count);

/* Appends a name to the list in text[size], behind a comma unless it is the first. Once a name does not fit, the list
 * ends with "...": a list that grows is never cut without a sign. */
void scree__names_add(char *text, size_t size, const char *name);

#endif
