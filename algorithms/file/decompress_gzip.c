/* decompress_gzip.c - files made by gzip: one member or several. (RFC 1952.) */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "file/decompress.h"

enum { FIRST = 0x1f, SECOND = 0x8b };

static bool known(const unsigned char magic[SCREE__MAGIC]) {
  return magic[0] == FIRST && magic[1] == SECOND;
}

typedef struct {
  z_stream z;
  bool within, before; /* within a member; one has ended before */
  bool padding;        /* zero bytes follow the last member */
  int wrong;           /* what zlib says after the bytes that were returned; or Z_OK */
  scree__packed in;
} gzip;

static void stop(void *state) {
  gzip *g = state;
  inflateEnd(&g->z);
  free(g);
}

static void *start(int fd, uint64_t from, uint64_t to, char *why, size_t size) {
  enum { GZIP = 16 /* and not zlib's own header */ };
  gzip *g = calloc(1, sizeof *g);
  if (g && inflateInit2(&g->z, MAX_WBITS + GZIP) == Z_OK) {
    g->in.fd = fd, g->in.at = from, g->in.to = to;
    return g;
  }
  free(g);
  snprintf(why, size, "no memory for decompressing gzip; use more ranks");
  errno = ENOMEM;
  return NULL;
}

static uint64_t consumed(void *state) {
  const gzip *g = state;
  return g->in.at - (g->in.have - g->in.used);
}

static ssize_t refuse(gzip *g, char *why, size_t size) {
  errno = g->wrong == Z_MEM_ERROR ? ENOMEM : EINVAL;
  if (g->wrong == Z_MEM_ERROR)
    snprintf(why, size, "no memory for decompressing gzip; use more ranks");
  else if (g->wrong == Z_BUF_ERROR)
    snprintf(why, size, "truncated gzip file: unexpected end of file");
  else
    snprintf(why, size, "damaged gzip file: %s before byte %" PRIu64, g->z.msg ? g->z.msg : "it needs a dictionary",
             consumed(g));
  return -1;
}

/* Decompresses some of the input, of which there is none at the end of the file. */
static void step(gzip *g) {
  g->z.next_in = g->in.bytes + g->in.used;
  g->z.avail_in = (uInt)(g->in.have - g->in.used);
  const int code = inflate(&g->z, Z_NO_FLUSH);
  g->in.used = g->in.have - g->z.avail_in;
  g->within = code != Z_STREAM_END;
  g->before |= !g->within;
  if (g->within)
    g->wrong = code;
  else
    inflateReset(&g->z);
}

/* Between members: skips zero bytes, which pad the file after its last member. Returns false, with the reason in
 * why[size], if other bytes follow: to ignore them would drop what a damaged member holds. */
static bool at_member(gzip *g, char *why, size_t size) {
  while (g->in.have && (g->padding || (g->before && g->in.bytes[g->in.used] != FIRST))) {
    const unsigned char *from = g->in.bytes + g->in.used, *end = g->in.bytes + g->in.have;
    while (from < end && !*from) from++;
    g->padding = true;
    g->in.used = (size_t)(from - g->in.bytes);
    if (from < end) {
      snprintf(why, size, "damaged gzip file: found 0x%02x at byte %" PRIu64 ", expected a member, or zeros to the end",
               *from, consumed(g));
      errno = EINVAL;
      return false;
    }
    if (!scree__packed_fetch(&g->in, why, size)) return false;
  }
  return true;
}

static ssize_t take(void *state, char *to, size_t max, char *why, size_t size) {
  gzip *g = state;
  const uInt room = max < 1 << 30 ? (uInt)max : 1 << 30;
  do {
    if (g->wrong) return refuse(g, why, size);
    if (!scree__packed_fetch(&g->in, why, size)) return -1;
    if (!g->within && !at_member(g, why, size)) return -1;
    if (!g->within && !g->in.have) return 0;
    g->z.next_out = (unsigned char *)to;
    g->z.avail_out = room;
    step(g);
  } while (g->z.avail_out == room);
  return (ssize_t)(room - g->z.avail_out);
}

/* A member of bgzip has its length in front. */
static uint64_t member_end(int fd, uint64_t from) {
  static const unsigned char field[] = {6, 0, 'B', 'C', 2, 0}; /* of the header, after its fixed 10 bytes */
  unsigned char b[18];
  if (!scree__packed_peek(fd, from, b, sizeof b) || memcmp(b, "\x1f\x8b\b\4", 4) || memcmp(b + 10, field, 6)) return 0;
  return from + (uint64_t)(b[16] | b[17] << 8) + 1;
}

const scree__compression scree__compression_gzip = {"gzip", known, start, take, consumed, stop, member_end};
