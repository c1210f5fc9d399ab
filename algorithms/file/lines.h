/* lines.h - a file, or the part of it that belongs to a rank, as lines: reading, plain or compressed, and line numbers.
 * What a line holds is for others to parse. */
#ifndef SCREE__LINES_H
#define SCREE__LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/decompress.h"
#include "graph/progress.h"

#define SCREE__LINE_MAX  65536     /* bytes of the longest line of most formats */
#define SCREE__LINE_LIST (1 << 30) /* of a METIS file: the neighbours of a vertex */

typedef struct scree__file {
  const char *path;
  int fd;
  const scree__compression *compression; /* NULL: none */
  uint64_t size;                         /* on the disk */
  const char *comment;                   /* how comments begin beside # % ~ and a lone c; NULL: no other way */
  scree__progress *progress;             /* notified of what is read; or NULL */
} scree__file;

/* Opens a regular file. False, with the reason in why[size], if it cannot. Here and below errno is then ENOMEM if
 * memory is short, something else if not. */
bool scree__file_open(scree__file *file, const char *path, char *why, size_t size);
void scree__file_close(scree__file *file);
/* Reads the first bytes of the text, as many of `bytes` as it has or, packed, can be read. Returns how many; -1, with
 * the reason in why[size], if none can be read. */
ssize_t scree__file_head(const scree__file *file, char *to, size_t bytes, char *why, size_t size);
/* True if only the user and root can write it, so that it may be mapped: another user could change it after it was
 * checked, or cut it, which ends a process by SIGBUS. */
bool scree__file_is_ours(const scree__file *file);

typedef struct scree__lines {
  const scree__file *file;
  void *decompressor; /* state of file->compression; NULL: plain */
  uint64_t from, to;  /* offsets in the plain or decompressed text: of the first line; where the part ends */
  uint64_t packed_from, packed_to; /* compressed: bytes of the file whose members are the part */
  uint64_t start, next;            /* the same: of the line that was returned last, of the next one */
  uint64_t count;                  /* lines returned so far */
  uint64_t read;                   /* plain: offset of the next read */
  char *buffer;                    /* SCREE__LINES_PADDING bytes after its capacity may be read */
  size_t at, have, capacity;       /* bytes of the buffer: consumed, filled, all */
  size_t whole;                    /* the same: where the last line ends that is complete and begins within the part */
  size_t max;                      /* bytes of the longest line; may be raised, up to SCREE__LINE_LIST */
  char comment[64];                /* the start of a comment that is longer, and returned in its place */
  bool skip;                       /* the line that began before the part is yet to be skipped */
  bool end;                        /* the file has no more bytes */
  bool scattered;                  /* compressed: rank 0 alone decompresses it, and may scatter lines to others */
} scree__lines;

enum { SCREE__LINES_PADDING = 64 };

typedef enum { SCREE__LINE_END, SCREE__LINE_OK, SCREE__LINE_ERROR } scree__line_result;

/* Lines that start at offsets from .. to-1, of the decompressed text if compressed: then from is 0. False, with the
 * reason in why[size], if it cannot. */
bool scree__lines_open(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                       size_t size);
/* The lines of the members of a compressed file that are its bytes from .. to-1: those that begin after an end of a
 * line there, or at the start of the file. Offsets in the text then increase from part to part, but with gaps. */
bool scree__lines_open_members(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                               size_t size);
/* Replaces the lines of a scattered file by these, whose numbers and offsets begin anew. `text`, which has
 * SCREE__LINES_PADDING bytes more, is freed with them. */
void scree__lines_take(scree__lines *lines, char *text, size_t bytes);
void scree__lines_close(scree__lines *lines);

/* Returns true if the line, after blanks, begins as a comment of some text format does. */
bool scree__line_is_comment(const char *line, const char *other);

/* The next line, without its end (LF or CRLF), ended by NUL, until the next call. A comment may be longer than `max`:
 * then the line is its start. ERROR: the reason is in why[size];
 * then, too, scree__lines_number is its line. */
scree__line_result scree__lines_next(scree__lines *lines, char **line, char *why, size_t size);

/* The complete lines that are in memory, as one text up to *end, whose last byte is '\n'. NULL if there is none: then
 * scree__lines_next reads on. scree__lines_consume removes lines from the front. */
static inline const char *scree__lines_buffered(const scree__lines *l, const char **end) {
  *end = l->buffer + l->whole;
  return l->at < l->whole ? l->buffer + l->at : NULL;
}
static inline void scree__lines_consume(scree__lines *l, size_t bytes, uint64_t lines) {
  l->at += bytes;
  l->next += bytes;
  l->count += lines;
}

/* Number in the file, from 1, of the line that was returned or taken last: reads the file up to the part. */
uint64_t scree__lines_number(const scree__lines *lines);

#endif
