/* lines.c - a file, or the part of it that belongs to a rank, as lines.
 *
 * Room: see lines.h. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

static bool fail(char *why, size_t size, const char *what, const char *reason) {
  snprintf(why, size, "%s: %s", what, reason);
  return false;
}

bool scree__file_open(scree__file *file, const char *path, char *why, size_t size) {
  struct stat st;
  unsigned char magic[2];
  *file = (scree__file){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
  if (file->fd < 0) return fail(why, size, "cannot open it", strerror(errno));
  if (fstat(file->fd, &st) || !S_ISREG(st.st_mode)) {
    scree__file_close(file);
    return fail(why, size, "cannot read it", "found no regular file, expected a graph file");
  }
  file->size = (uint64_t)st.st_size;
  file->gzip = pread(file->fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  return true;
}

void scree__file_close(scree__file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

/* ---- filling the buffer ----------------------------------------------------------------------------------------- */

static ssize_t read_gzip(scree__lines *l, char *why, size_t size) {
  int code, n = gzread(l->gz, l->buffer + l->have, (unsigned)(BUFFER - l->have));
  const char *text = gzerror(l->gz, &code);
  if (n >= 0 && code == Z_OK) return n;
  if (n >= 0 && code == Z_STREAM_END) return n;
  fail(why, size, code == Z_BUF_ERROR ? "truncated gzip file" : "damaged gzip file", text);
  return -1;
}

static ssize_t read_plain(scree__lines *l, char *why, size_t size) {
  ssize_t n;
  do n = pread(l->file->fd, l->buffer + l->have, BUFFER - l->have, (off_t)l->read);
  while (n < 0 && errno == EINTR);
  if (n < 0) fail(why, size, "cannot read it", strerror(errno));
  if (n > 0) l->read += (uint64_t)n;
  return n;
}

/* Moves what is left to the front and reads behind it. False on error. */
static bool fill(scree__lines *l, char *why, size_t size) {
  memmove(l->buffer, l->buffer + l->at, l->have - l->at);
  l->have -= l->at;
  l->at = 0;
  ssize_t n = l->gz ? read_gzip(l, why, size) : read_plain(l, why, size);
  if (n < 0) return false;
  l->end = n == 0;
  l->have += (size_t)n;
  return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* Steps over the line that began before the part: it belongs to the part before. */
static bool skip_first(scree__lines *l, char *why, size_t size) {
  l->read = l->from - 1;
  for (;;) {
    if (!fill(l, why, size)) return false;
    char *newline = memchr(l->buffer, '\n', l->have);
    l->at = newline ? (size_t)(newline + 1 - l->buffer) : l->have;
    if (newline || l->end) break;
  }
  l->from = l->next = l->read - (l->have - l->at);
  return true;
}

bool scree__lines_open(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                       size_t size) {
  *lines = (scree__lines){.file = file, .from = from, .to = to, .next = from, .read = from};
  lines->buffer = malloc(BUFFER + 1);
  if (!lines->buffer) return fail(why, size, "out of memory", "1 MiB was asked for");
  if (file->gzip) {
    int fd = dup(file->fd);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0 || !(lines->gz = gzdopen(fd, "rb"))) {
      if (fd >= 0) close(fd);
      scree__lines_close(lines);
      return fail(why, size, "cannot read it", strerror(errno));
    }
    gzbuffer(lines->gz, 1 << 17);
  }
  if (from == 0 || from >= to || skip_first(lines, why, size)) return true;
  scree__lines_close(lines);
  return false;
}

void scree__lines_close(scree__lines *lines) {
  free(lines->buffer);
  lines->buffer = NULL;
  if (lines->gz) gzclose(lines->gz);
  lines->gz = NULL;
}

/* Cuts the line of `length` bytes off the buffer; its end, if it has one, too. */
static char *cut(scree__lines *l, size_t length, bool newline) {
  char *text = l->buffer + l->at;
  l->at += length + newline;
  l->start = l->next;
  l->next += length + newline;
  l->count++;
  if (length && text[length - 1] == '\r') length--;
  text[length] = 0;
  return text;
}

static scree__line_result refuse(scree__lines *l, char *why, size_t size, const char *what) {
  snprintf(why, size, "%s", what);
  l->count++;
  return SCREE__LINE_ERROR;
}

scree__line_result scree__lines_next(scree__lines *l, char **line, char *why, size_t size) {
  if (l->next >= l->to) return SCREE__LINE_END;
  for (size_t looked = 0;;) {
    char *text = l->buffer + l->at;
    size_t have = l->have - l->at, length;
    char *newline = memchr(text + looked, '\n', have - looked);
    length = newline ? (size_t)(newline - text) : have;
    if (length > SCREE__LINE_MAX)
      return refuse(l, why, size, "found a line of more than 65536 bytes, expected an edge");
    if (newline || l->end) {
      if (!newline && !length) return SCREE__LINE_END;
      if (memchr(text, 0, length)) return refuse(l, why, size, "found a NUL byte, expected text");
      *line = cut(l, length, newline != NULL);
      return SCREE__LINE_OK;
    }
    looked = have;
    if (!fill(l, why, size)) {
      l->count++;
      return SCREE__LINE_ERROR;
    }
  }
}

uint64_t scree__lines_number(const scree__lines *l) {
  uint64_t number = l->count, at = 0;
  char *buffer = l->gz || !l->from ? NULL : malloc(BUFFER);
  while (buffer && at < l->from) {
    size_t want = l->from - at < BUFFER ? (size_t)(l->from - at) : BUFFER;
    ssize_t n = pread(l->file->fd, buffer, want, (off_t)at);
    if (n <= 0) break;
    at += (uint64_t)n;
    for (char *p = buffer; (p = memchr(p, '\n', (size_t)(buffer + n - p))); p++) number++;
  }
  free(buffer);
  return number;
}
