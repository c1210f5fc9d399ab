/* nearest.h - the nearest of some names.
 *
 * Room: for messages on a name that is unknown. */
#ifndef STUDY_NEAREST_H
#define STUDY_NEAREST_H
#include <stddef.h>

/* The one of names[count] with the least edits from `name`; NULL if there is none. */
const char *study_nearest(const char *name, const char *const *names, size_t count);

#endif
