/* members.h - text as a compressed file of many members: of bgzip, which says where they begin, of gzip, which does
 * not, or frames of zstd. For tests and fuzzers.
 *
 * All helpers are inline functions. */
#ifndef MEMBERS_H
#define MEMBERS_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

typedef enum { MEMBERS_BGZIP, MEMBERS_GZIP, MEMBERS_ZSTD, MEMBERS_KINDS } members_kind;

/* A member as bgzip writes it: its length in a field of the header; unless it is `known`, the field has another name.
 * 0: it failed. */
static inline size_t members_one_gzip(const char *text, size_t size, bool known, unsigned char *packed, size_t room) {
  enum { HEADER = 18, TRAILER = 8 };
  static const unsigned char header[HEADER] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 'B', 'C', 2, 0};
  const uint32_t last[2] = {(uint32_t)crc32(0, (const unsigned char *)text, (unsigned)size), (uint32_t)size};
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                .avail_in = (unsigned)size,
                .next_out = packed + HEADER,
                .avail_out = (unsigned)(room - HEADER - TRAILER)};
  memcpy(packed, header, HEADER);
  if (!known) packed[12] = 'X';
  if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  const bool whole = deflate(&z, Z_FINISH) == Z_STREAM_END;
  deflateEnd(&z);
  if (!whole) return 0;
  const size_t bytes = HEADER + z.total_out + TRAILER;
  packed[16] = (unsigned char)((bytes - 1) & 255), packed[17] = (unsigned char)((bytes - 1) >> 8);
  for (int i = 0; i < TRAILER; i++)
    packed[HEADER + z.total_out + (size_t)i] = (unsigned char)(last[i / 4] >> i % 4 * 8);
  return bytes;
}

/* Members of `piece` bytes of text each; the second is empty. Returns their bytes; 0: they do not fit. */
static inline size_t members_pack(const char *text, size_t size, size_t piece, members_kind kind, unsigned char *packed,
                                  size_t room) {
  size_t used = 0;
  for (size_t at = 0, n = 0; at < size; n++) {
    const size_t many = n == 1 ? 0 : size - at < piece ? size - at : piece;
    const size_t more = kind == MEMBERS_ZSTD
                            ? ZSTD_compress(packed + used, room - used, text + at, many, 1)
                            : members_one_gzip(text + at, many, kind == MEMBERS_BGZIP, packed + used, room - used);
    if (!more || ZSTD_isError(more)) return 0;
    used += more;
    at += many;
  }
  return used;
}

#endif
