/* output_file.h - a file that gets its name when it is complete: until then its contents are in NAME.RANDOM.scree-part,
 * a new file that nobody else can have put there. Symbolic links are followed if they are the user's or root's. */
#ifndef SCREE__OUTPUT_FILE_H
#define SCREE__OUTPUT_FILE_H
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct scree__output_file {
  char path[PATH_MAX]; /* of what is written */
  char name[PATH_MAX]; /* that it gets; of the file behind symbolic links */
  uint64_t inode;      /* of what is written, if it is a regular file, else 0 */
  bool in_place;       /* written under its name: it is not a regular file, or its folder takes no new ones */
} scree__output_file;

/* Creates it, empty, for writing, with the mode that it keeps: that of the file it replaces, else as the umask says.
 * Returns a descriptor of the caller's, or -1 with the reason in errno; EACCES: another user's link or pipe. Local. */
int scree__output_file_create(scree__output_file *out, const char *name);
/* Opens, on another rank or once more, what was created, of which `path`, `inode` and `in_place` are known. `flags`: 0
 * or O_APPEND. Returns a descriptor, or -1; ESTALE: another file has the path. Local. */
int scree__output_file_join(const scree__output_file *out, int flags);
/* After the last write and the close: gives the file its name if it is complete, else removes it. Returns 0, or an
 * errno: the file did not get its name, and was removed. What was written in place stays. Local. */
int scree__output_file_finish(const scree__output_file *out, bool complete);
/* The same for a complete file that shall replace none: EEXIST if another has the name. Local. */
int scree__output_file_finish_new(const scree__output_file *out);
/* Opens a regular file that exists, for reading and writing where it is. Returns as scree__output_file_create.
 * Local. */
int scree__output_file_reopen(const char *name);

/* The same for a stream; "-" is standard output, which has no file and stays open. Local. */
FILE *scree__output_open(scree__output_file *out, const char *name);             /* NULL: the reason is in errno */
int scree__output_flush(FILE *to);                                               /* 0, or an errno */
int scree__output_close(const scree__output_file *out, FILE *to, bool complete); /* the same */

#endif
