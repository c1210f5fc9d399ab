/* decompress.h - compressed files, or some of their members, as a stream of bytes. A compression is found by a file's
 * first bytes. A file is a sequence of members (of zstd: frames), each compressed by itself. */
#ifndef SCREE__DECOMPRESS_H
#define SCREE__DECOMPRESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SCREE__MAGIC = 4 }; /* first bytes of a file that are examined */

typedef struct scree__compression {
  const char *name;
  bool (*known)(const unsigned char magic[SCREE__MAGIC]);
  /* Starts at byte `from` of the file, where a member begins, and ends at byte `to`, where another one does, or at the
   * end of the file, which stays the caller's and open. NULL, with the reason in why[size], if it cannot. */
  void *(*open)(int fd, uint64_t from, uint64_t to, char *why, size_t size);
  /* At most `max` bytes; 0 at the end; -1, with the reason in why[size], if the file is truncated or damaged. */
  ssize_t (*read)(void *state, char *to, size_t max, char *why, size_t size);
  uint64_t (*consumed)(void *state); /* where the first byte of the file is that is not decompressed yet */
  void (*close)(void *state);
  /* Where the member ends that begins at byte `from`; 0: unknown until it is decompressed, or it is damaged. */
  uint64_t (*member_end)(int fd, uint64_t from);
} scree__compression;

extern const scree__compression scree__compression_gzip, scree__compression_zstd;

/* Input of a decompressor. */
typedef struct scree__packed {
  int fd;
  uint64_t at, to; /* of the next read; where to end */
  size_t used, have;
  unsigned char bytes[1 << 17];
} scree__packed;

/* Reads more once all is used; at the end nothing. False, with the reason in why[size], if it cannot. */
bool scree__packed_fetch(scree__packed *packed, char *why, size_t size);
/* Reads at byte `at` of a file. False if it has not so many bytes there. */
bool scree__packed_peek(int fd, uint64_t at, void *to, size_t bytes);

#endif
