/* replace.h - which files may be overwritten. */
#ifndef STUDY_REPLACE_H
#define STUDY_REPLACE_H
#include <stdbool.h>

/* True if writing to the file loses nothing: it does not exist, is empty, begins with `first` (at most 64 bytes), or is
 * not a regular file. */
bool study_replaceable(const char *name, const char *first);

#endif
