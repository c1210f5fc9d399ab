/* unpack.h - compressed files as a stream of bytes.
 *
 * Room: the record of a compression, found by a file's first bytes. One compression, one file. */
#ifndef SCREE__UNPACK_H
#define SCREE__UNPACK_H
#include <stddef.h>
#include <sys/types.h>

enum { SCREE__MAGIC = 4 }; /* first bytes of a file that are looked at */

typedef struct scree__unpack {
  const char *name;
  unsigned char magic[SCREE__MAGIC];
  size_t bytes; /* of the magic */
  /* Starts at the front of the file, which stays the caller's and open. NULL, with the reason in why[size], if it
   * cannot. */
  void *(*open)(int fd, char *why, size_t size);
  /* At most `room` bytes; 0 at the end; -1, with the reason in why[size], if the file is truncated or damaged. */
  ssize_t (*read)(void *state, char *to, size_t room, char *why, size_t size);
  void (*close)(void *state);
} scree__unpack;

extern const scree__unpack scree__unpack_gzip, scree__unpack_zstd;

#endif
