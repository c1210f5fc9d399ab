/* decompress_zstd.c - files made by zstd: one frame or several. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "file/decompress.h"

typedef struct {
  int fd;
  off_t at;
  ZSTD_DStream *stream;
  size_t due; /* 0: between frames */
  ZSTD_inBuffer in;
  char compressed[1 << 17];
} zstd;

static void stop(void *state) {
  zstd *z = state;
  ZSTD_freeDStream(z->stream);
  free(z);
}

static void *start(int fd, char *why, size_t size) {
  zstd *z = calloc(1, sizeof *z);
  if (z) z->stream = ZSTD_createDStream();
  if (z && z->stream) {
    z->fd = fd;
    z->in.src = z->compressed;
    return z;
  }
  if (z) stop(z);
  snprintf(why, size, "no memory for decompressing zstd; use more ranks");
  return NULL;
}

/* Reads more of the file. False on error; at the end z->in is empty. */
static bool fetch(zstd *z, char *why, size_t size) {
  ssize_t n;
  do n = pread(z->fd, z->compressed, sizeof z->compressed, z->at);
  while (n < 0 && errno == EINTR);
  if (n < 0) snprintf(why, size, "cannot read it: %s; check the file and its disk", strerror(errno));
  z->in.pos = 0;
  z->in.size = n > 0 ? (size_t)n : 0;
  z->at += n > 0 ? n : 0;
  return n >= 0;
}

static ssize_t take(void *state, char *to, size_t max, char *why, size_t size) {
  zstd *z = state;
  ZSTD_outBuffer out = {.dst = to, .size = max};
  while (!out.pos) {
    if (z->in.pos == z->in.size && !fetch(z, why, size)) return -1;
    bool end = !z->in.size;
    if (end && !z->due) return 0;
    size_t due = ZSTD_decompressStream(z->stream, &out, &z->in);
    if (ZSTD_isError(due)) {
      bool memory = ZSTD_getErrorCode(due) == ZSTD_error_memory_allocation;
      snprintf(why, size, memory ? "no memory for decompressing zstd; use more ranks" : "damaged zstd file: %s",
               ZSTD_getErrorName(due));
      errno = memory ? ENOMEM : EINVAL;
      return -1;
    }
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
  return (uint64_t)z->at - (z->in.size - z->in.pos);
}

const scree__compression scree__compression_zstd = {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, start, take, consumed, stop};
