/* nearest.h - the name that may have been meant.
 *
 * Room: one function, for messages. */
#ifndef STUDY_NEAREST_H
#define STUDY_NEAREST_H
#include <stddef.h>

/* The nearest of `count` names; NULL if there are none. */
const char *study_nearest(const char *name, const char *const *names, size_t count);

#endif
