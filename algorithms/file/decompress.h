/* decompress.h - compressed files as a stream of bytes. A compression is found by a file's first bytes. */
#ifndef SCREE__DECOMPRESS_H
#define SCREE__DECOMPRESS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SCREE__MAGIC = 4 }; /* first bytes of a file that are examined */

typedef struct scree__compression {
  const char *name;
  unsigned char magic[SCREE__MAGIC];
  size_t bytes; /* of the magic */
  /* Starts at the front of the file, which stays the caller's and open. NULL, with the reason in why[size], if it
   * cannot. */
  void *(*open)(int fd, char *why, size_t size);
  /* At most `max` bytes; 0 at the end; -1, with the reason in why[size], if the file is truncated or damaged. */
  ssize_t (*read)(void *state, char *to, size_t max, char *why, size_t size);
  uint64_t (*consumed)(void *state); /* bytes of the file that are decompressed so far */
  void (*close)(void *state);
} scree__compression;

extern const scree__compression scree__compression_gzip, scree__compression_zstd;

#endif
