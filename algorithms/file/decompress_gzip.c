/* decompress_gzip.c - files made by gzip: one member or several. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "file/decompress.h"

static void *start(int fd, char *why, size_t size) {
  int own = dup(fd);
  gzFile gz = own < 0 || lseek(own, 0, SEEK_SET) < 0 ? NULL : gzdopen(own, "rb");
  if (!gz) {
    snprintf(why, size, "cannot read it: %s; check the file and the memory of this host", strerror(errno));
    if (own >= 0) close(own);
    return NULL;
  }
  gzbuffer(gz, 1 << 17);
  return gz;
}

/* The reason without the name that zlib puts in front of it: "<fd:N>: ". */
static const char *reason(const char *text) {
  const char *name = strncmp(text, "<fd:", 4) ? NULL : strstr(text, ">: ");
  return name ? name + 3 : text;
}

static ssize_t take(void *state, char *to, size_t max, char *why, size_t size) {
  int code, n = gzread(state, to, max < 1 << 30 ? (unsigned)max : 1 << 30);
  const char *text = gzerror(state, &code);
  if (n >= 0 && (code == Z_OK || code == Z_STREAM_END)) return n;
  if (code != Z_ERRNO) errno = code == Z_MEM_ERROR ? ENOMEM : EINVAL;
  if (code == Z_MEM_ERROR)
    snprintf(why, size, "no memory for decompressing gzip; use more ranks");
  else if (code == Z_ERRNO)
    snprintf(why, size, "cannot read it: %s; check the file and its disk", reason(text));
  else
    snprintf(why, size, "%s gzip file: %s", code == Z_BUF_ERROR ? "truncated" : "damaged", reason(text));
  return -1;
}

static uint64_t consumed(void *state) {
  const z_off_t at = gzoffset(state);
  return at > 0 ? (uint64_t)at : 0;
}

static void stop(void *state) {
  gzclose(state);
}

const scree__compression scree__compression_gzip = {"gzip", {0x1f, 0x8b}, 2, start, take, consumed, stop};
