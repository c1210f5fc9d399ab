/* decompress_zstd.c - files made by zstd: one frame or several. (RFC 8878, section 3.1.) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "file/decompress.h"

typedef struct {
  ZSTD_DStream *stream;
  size_t due; /* 0: between frames */
  scree__packed in;
} zstd;

static void stop(void *state) {
  zstd *z = state;
  ZSTD_freeDStream(z->stream);
  free(z);
}

static void *start(int fd, uint64_t from, uint64_t to, char *why, size_t size) {
  zstd *z = calloc(1, sizeof *z);
  if (z) z->stream = ZSTD_createDStream();
  if (z && z->stream) {
    z->in.fd = fd, z->in.at = from, z->in.to = to;
    return z;
  }
  if (z) stop(z);
  snprintf(why, size, "no memory for decompressing zstd; use more ranks");
  errno = ENOMEM;
  return NULL;
}

/* A block that does not fit is named by how much room there was, of which the file says nothing. */
static ssize_t refuse(ZSTD_ErrorCode code, char *why, size_t size) {
  const bool memory = code == ZSTD_error_memory_allocation;
  if (code == ZSTD_error_dstSize_tooSmall) code = ZSTD_error_corruption_detected;
  snprintf(why, size, memory ? "no memory for decompressing zstd; use more ranks" : "damaged zstd file: %s",
           ZSTD_getErrorString(code));
  errno = memory ? ENOMEM : EINVAL;
  return -1;
}

static ssize_t take(void *state, char *to, size_t max, char *why, size_t size) {
  zstd *z = state;
  ZSTD_outBuffer out = {.dst = to, .size = max};
  while (!out.pos) {
    if (!scree__packed_fetch(&z->in, why, size)) return -1;
    const bool end = !z->in.have;
    if (end && !z->due) return 0;
    ZSTD_inBuffer in = {.src = z->in.bytes, .size = z->in.have, .pos = z->in.used};
    size_t due = ZSTD_decompressStream(z->stream, &out, &in);
    z->in.used = in.pos;
    if (ZSTD_isError(due)) return refuse(ZSTD_getErrorCode(due), why, size);
    z->due = due;
    if (end && due && !out.pos) {
      snprintf(why, size, "truncated zstd file: unexpected end of file");
      errno = EINVAL;
      return -1;
    }
  }
  return (ssize_t)out.pos;
}

static uint64_t consumed(void *state) {
  const zstd *z = state;
  return z->in.at - (z->in.have - z->in.used);
}

static uint32_t little_endian(const unsigned char *bytes, int count) {
  uint32_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/* A frame without text, as pzstd writes in front of each other one. */
static bool is_skippable(const unsigned char *frame) {
  return little_endian(frame, 4) >> 4 == 0x184d2a5;
}

static bool known(const unsigned char magic[SCREE__MAGIC]) {
  return little_endian(magic, 4) == ZSTD_MAGICNUMBER || is_skippable(magic);
}

/* Its length is in front of a skippable frame; any other is a header and blocks, of which each has its length. */
static uint64_t frame_end(int fd, uint64_t at) {
  enum { RUN = 1 };
  static const unsigned char size_bytes[] = {0, 2, 4, 8}, dictionary_bytes[] = {0, 1, 2, 4};
  unsigned char b[8];
  if (!scree__packed_peek(fd, at, b, sizeof b)) return 0;
  if (is_skippable(b)) return at + 8 + little_endian(b + 4, 4);
  if (little_endian(b, 4) != ZSTD_MAGICNUMBER) return 0;
  const unsigned how = b[4], single = how >> 5 & 1, checksum = how >> 2 & 1;
  at += 6 - single + dictionary_bytes[how & 3] + (single && how < 64 ? 1 : size_bytes[how >> 6]);
  for (uint32_t block = 0; !(block & 1);) {
    if (!scree__packed_peek(fd, at, b, 3)) return 0;
    block = little_endian(b, 3);
    at += 3 + ((block >> 1 & 3) == RUN ? 1 : block >> 3);
  }
  return at + 4 * checksum;
}

const scree__compression scree__compression_zstd = {"zstd", known, start, take, consumed, stop, frame_end};
