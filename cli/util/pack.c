/* pack.c - streams of gzip and zstd. */
#include "util/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "io/ending.h"

enum { CHUNK = 1 << 16 };

typedef struct {
  FILE *to;
  z_stream gzip;
  ZSTD_CCtx *zstd;
  char out[CHUNK];
} packer;

/* How a file is packed. `feed` takes all of the data, and writes the end if `last`. False: no memory, or it was not
 * written, with errno. */
typedef struct {
  const char *ending;
  bool (*begin)(packer *p);
  bool (*feed)(packer *p, const char *data, size_t bytes, bool last);
  void (*free)(packer *p);
} method;

static bool write_out(packer *p, size_t bytes) {
  errno = 0;
  if (fwrite(p->out, 1, bytes, p->to) == bytes) return true;
  if (!errno) errno = EIO;
  return false;
}

/* ---- gzip ---- */

static bool begin_gzip(packer *p) {
  enum { WINDOW = 15, GZIP = 16, MEMORY = 8 };
  return deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW + GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
}

static bool feed_gzip(packer *p, const char *data, size_t bytes, bool last) {
  p->gzip.next_in = (z_const Bytef *)data;
  p->gzip.avail_in = (uInt)bytes;
  do {
    p->gzip.next_out = (Bytef *)p->out;
    p->gzip.avail_out = CHUNK;
    deflate(&p->gzip, last ? Z_FINISH : Z_NO_FLUSH);
    if (!write_out(p, CHUNK - p->gzip.avail_out)) return false;
  } while (!p->gzip.avail_out);
  return true;
}

static void free_gzip(packer *p) {
  deflateEnd(&p->gzip);
}

/* ---- zstd ---- */

static bool begin_zstd(packer *p) {
  p->zstd = ZSTD_createCCtx();
  return p->zstd != NULL;
}

static bool feed_zstd(packer *p, const char *data, size_t bytes, bool last) {
  ZSTD_inBuffer in = {data, bytes, 0};
  size_t due = 0;
  do {
    ZSTD_outBuffer out = {p->out, CHUNK, 0};
    due = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(due)) return errno = ENOMEM, false;
    if (!write_out(p, out.pos)) return false;
  } while (in.pos < in.size || (last && due));
  return true;
}

static void free_zstd(packer *p) {
  ZSTD_freeCCtx(p->zstd);
}

/* ---- the streams ---- */

static const method gzip = {".gz", begin_gzip, feed_gzip, free_gzip}, zstd = {".zst", begin_zstd, feed_zstd, free_zstd};

typedef struct {
  packer state;
  const method *how;
} stream;

static ssize_t put(void *cookie, const char *data, size_t bytes) {
  stream *s = cookie;
  return s->how->feed(&s->state, data, bytes, false) ? (ssize_t)bytes : 0;
}

static int end(void *cookie) {
  stream *s = cookie;
  const bool good = s->how->feed(&s->state, "", 0, true);
  const int error = errno;
  s->how->free(&s->state);
  free(s);
  errno = error;
  return good ? 0 : EOF;
}

FILE *cli_pack(FILE *to, const char *name) {
  const method *how = scree__has_ending(name, gzip.ending)   ? &gzip
                      : scree__has_ending(name, zstd.ending) ? &zstd
                                                             : NULL;
  if (!how) return to;
  stream *s = calloc(1, sizeof *s);
  FILE *file = NULL;
  if (s) *s = (stream){.state = {.to = to}, .how = how};
  const bool begun = s && how->begin(&s->state);
  if (begun) file = fopencookie(s, "w", (cookie_io_functions_t){.write = put, .close = end});
  if (begun && !file) how->free(&s->state);
  if (!file) {
    free(s);
    errno = ENOMEM;
  }
  return file;
}
