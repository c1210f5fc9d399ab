/* members.h - text as a compressed file of many members: of bgzip, which says where they begin, or frames of zstd.
 *
 * All helpers are inline functions. */
#ifndef MEMBERS_H
#define MEMBERS_H
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "harness.h"

/* A member as bgzip writes it: its length in a field of the header. */
static inline size_t members_one_gzip(const char *text, size_t size, unsigned char *packed, size_t room) {
  enum { HEADER = 18, TRAILER = 8 };
  static const unsigned char header[HEADER] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 'B', 'C', 2, 0};
  const uint32_t last[2] = {(uint32_t)crc32(0, (const unsigned char *)text, (unsigned)size), (uint32_t)size};
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                .avail_in = (unsigned)size,
                .next_out = packed + HEADER,
                .avail_out = (unsigned)(room - HEADER - TRAILER)};
  memcpy(packed, header, HEADER);
  check(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  check(deflate(&z, Z_FINISH) == Z_STREAM_END);
  deflateEnd(&z);
  const size_t bytes = HEADER + z.total_out + TRAILER;
  packed[16] = (unsigned char)((bytes - 1) & 255), packed[17] = (unsigned char)((bytes - 1) >> 8);
  for (int i = 0; i < TRAILER; i++)
    packed[HEADER + z.total_out + (size_t)i] = (unsigned char)(last[i / 4] >> i % 4 * 8);
  return bytes;
}

/* Members of `piece` bytes of text each; the second is empty. Returns their bytes. */
static inline size_t members_pack(const char *text, size_t size, size_t piece, bool zstd, unsigned char *packed,
                                  size_t room) {
  size_t used = 0;
  for (size_t at = 0, n = 0; at < size; n++) {
    const size_t many = n == 1 ? 0 : size - at < piece ? size - at : piece;
    const size_t more = zstd ? ZSTD_compress(packed + used, room - used, text + at, many, 1)
                             : members_one_gzip(text + at, many, packed + used, room - used);
    check(!ZSTD_isError(more));
    used += more;
    at += many;
  }
  return used;
}

#endif
