/* input_file.h - opens files that users name, without waiting for the writer of a FIFO. */
#ifndef SCREE__INPUT_FILE_H
#define SCREE__INPUT_FILE_H
#include <stdio.h>

/* Opens a regular file to read. -1, with the reason in *why until the next call of strerror, if it cannot; a FIFO, a
 * device or a directory is refused at once. Local. */
int scree__input_open(const char *name, const char **why);

/* Opens a text that is read once, from front to end: a regular file, /dev/null, or what is open already, as /dev/stdin
 * or /dev/fd/N, which may be a pipe. A byte order mark of UTF-8 is passed over. NULL, with the reason as above.
 * Local. */
FILE *scree__input_open_text(const char *name, const char **why);

#endif
