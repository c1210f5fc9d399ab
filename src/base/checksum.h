/* checksum.h - the checksum of bytes in files: XXH3 with 64 bits, of xxHash. Only libscree-graph includes it, so that
 * messages need no xxHash. */
#ifndef SCREE__CHECKSUM_H
#define SCREE__CHECKSUM_H
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "scree needs xxHash 0.8 or later: before, the values of XXH3 were not fixed"
#endif

/* A number of the machine's byte order; the same for the same bytes on every machine. */
static inline uint64_t scree__checksum(const void *data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

#endif
