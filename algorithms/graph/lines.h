/* lines.h - a file, or the part of it that belongs to a rank, as lines.
 *
 * Room: reading, plain or gzip, and line numbers. What stands in a line is parse.h's affair. */
#ifndef SCREE__LINES_H
#define SCREE__LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define SCREE__LINE_MAX 65536 /* bytes of the longest line */

typedef struct scree__file {
  const char *path;
  int fd;
  bool gzip; /* by its first two bytes */
  uint64_t size;
} scree__file;

/* Opens a regular file. False, with the reason in why[size], if it cannot. */
bool scree__file_open(scree__file *file, const char *path, char *why, size_t size);
void scree__file_close(scree__file *file);

typedef struct scree__lines {
  const scree__file *file;
  gzFile gz;            /* NULL: plain */
  uint64_t from, to;    /* offsets in the plain or unpacked text: of the first line; where the part ends */
  uint64_t start, next; /* the same: of the line that was returned last, of the one to come */
  uint64_t count;       /* lines returned so far */
  uint64_t read;        /* plain: offset of the next read */
  char *buffer;
  size_t at, have; /* of the buffer: consumed, filled */
  bool end;        /* the file has no more bytes */
} scree__lines;

typedef enum { SCREE__LINE_END, SCREE__LINE_OK, SCREE__LINE_ERROR } scree__line_result;

/* Lines that start at offsets from .. to-1, of the unpacked text if gzip: then from is 0. False, with the reason in
 * why[size], if it cannot. */
bool scree__lines_open(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                       size_t size);
void scree__lines_close(scree__lines *lines);

/* The next line, without its end (LF or CRLF), ended by NUL, until the next call. ERROR: the reason is in why[size];
 * then, too, scree__lines_number is its line. */
scree__line_result scree__lines_next(scree__lines *lines, char **line, char *why, size_t size);

/* Number in the file, from 1, of the line that was returned last: reads what lies before the part. */
uint64_t scree__lines_number(const scree__lines *lines);

#endif
