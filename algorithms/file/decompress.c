/* decompress.c - how decompressors read their files. */
#include "file/decompress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_at(int fd, uint64_t at, void *to, size_t bytes) {
  ssize_t n;
  do n = pread(fd, to, bytes, (off_t)at);
  while (n < 0 && errno == EINTR);
  return n;
}

bool scree__packed_fetch(scree__packed *p, char *why, size_t size) {
  if (p->used < p->have) return true;
  const uint64_t left = p->to - p->at;
  const ssize_t n = read_at(p->fd, p->at, p->bytes, left < sizeof p->bytes ? left : sizeof p->bytes);
  if (n < 0) snprintf(why, size, "cannot read it: %s; check the file and its disk", strerror(errno));
  p->used = 0;
  p->have = n > 0 ? (size_t)n : 0;
  p->at += p->have;
  return n >= 0;
}

bool scree__packed_peek(int fd, uint64_t at, void *to, size_t bytes) {
  return read_at(fd, at, to, bytes) == (ssize_t)bytes;
}
