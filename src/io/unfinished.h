/* unfinished.h - the files of this process that are removed if it ends before they are complete. A program whose signal
 * handlers call scree__unfinished_remove leaves none of them behind. */
#ifndef SCREE__UNFINISHED_H
#define SCREE__UNFINISHED_H

/* Adds a file, before it is created under a name that no other file can have, or after. Beyond UNFINISHED_MAX files at
 * a time it does nothing. Any thread. */
void scree__unfinished_add(const char *path);
/* Takes it off, after it has been renamed or removed. Any thread. */
void scree__unfinished_drop(const char *path);
/* Removes all of them. Async-signal-safe; the process is about to end. */
void scree__unfinished_remove(void);

enum { UNFINISHED_MAX = 8 };

#endif
