/* output_file.h - a file that gets its name when it is complete: until then its contents are in NAME.scree-part. */
#ifndef SCREE__OUTPUT_FILE_H
#define SCREE__OUTPUT_FILE_H
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct scree__output_file {
  char path[PATH_MAX]; /* of what is written */
  char name[PATH_MAX]; /* that it gets; of the file behind a symbolic link */
  bool in_place;       /* written under its name: it is no regular file, or its folder takes no new ones */
} scree__output_file;

/* Creates it, empty, for writing. Returns a descriptor of the caller's, or -1 with the reason in errno. Local. */
int scree__output_file_create(scree__output_file *out, const char *name);
/* After the last write and the close: gives the file its name if it is complete, else removes it. Returns 0, or an errno:
 * the file did not get its name, and was removed. What was written in place stays. Local. */
int scree__output_file_finish(const scree__output_file *out, bool complete);

/* The same for a stream; "-" is standard output, which has no file and stays open. Local. */
FILE *scree__output_open(scree__output_file *out, const char *name);             /* NULL: the reason is in errno */
int scree__output_flush(FILE *to);                                               /* 0, or an errno */
int scree__output_close(const scree__output_file *out, FILE *to, bool complete); /* the same */

#endif
