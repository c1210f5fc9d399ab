/* replace.h - which files may be overwritten. */
#ifndef STUDY_REPLACE_H
#define STUDY_REPLACE_H
#include <stdbool.h>

/* May the file be written over: there is none, it is empty, it begins with `first`, of at most 64 letters, or is no
 * regular file? */
bool study_replaceable(const char *name, const char *first);

#endif
