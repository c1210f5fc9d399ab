/* lines.c - a file, or the part of it that belongs to a rank, as lines. */
#include "file/lines.h"
#include "io/input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

static bool no_memory(char *why, size_t size, const char *what, size_t bytes) {
  snprintf(why, size, "no memory for %s (%zu bytes); use more ranks", what, bytes);
  errno = ENOMEM;
  return false;
}

static bool unreadable(char *why, size_t size) {
  snprintf(why, size, "cannot read it: %s; check the file and its disk", strerror(errno));
  return false;
}

bool scree__file_open(scree__file *file, const char *path, char *why, size_t size) {
  static const scree__compression *const known[] = {&scree__compression_gzip, &scree__compression_zstd};
  struct stat st;
  unsigned char magic[SCREE__MAGIC];
  const char *reason;
  *file = (scree__file){.path = path, .fd = scree__input_open(path, &reason)};
  if (file->fd < 0) {
    snprintf(why, size, "cannot open it: %s; name a file that every rank can read", reason);
    return false;
  }
  ssize_t n = fstat(file->fd, &st) ? -1 : pread(file->fd, magic, sizeof magic, 0);
  file->size = n < 0 ? 0 : (uint64_t)st.st_size;
  if (n < 0) {
    unreadable(why, size);
    scree__file_close(file);
    return false;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (n >= (ssize_t)known[i]->bytes && !memcmp(magic, known[i]->magic, known[i]->bytes)) file->compression = known[i];
  return true;
}

void scree__file_close(scree__file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

bool scree__file_is_ours(const scree__file *file) {
  struct stat is;
  return fstat(file->fd, &is) == 0 && (is.st_uid == 0 || is.st_uid == geteuid()) && !(is.st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- filling the buffer ---- */

static ssize_t read_plain(scree__lines *l, char *why, size_t size) {
  ssize_t n;
  do n = pread(l->file->fd, l->buffer + l->have, l->capacity - l->have, (off_t)l->read);
  while (n < 0 && errno == EINTR);
  if (n < 0) unreadable(why, size);
  if (n > 0) l->read += (uint64_t)n;
  return n;
}

/* Where the last complete line ends that begins within the part. */
static void find_whole(scree__lines *l) {
  const char *last = NULL, *text = l->buffer + l->at;
  size_t have = l->have - l->at;
  if (l->next + have >= l->to && l->to > l->next) { /* byte to - 1 is here: its line is the last */
    size_t first = (size_t)(l->to - 1 - l->next);
    last = memchr(text + first, '\n', have - first);
    if (!last && first) last = memrchr(text, '\n', first);
  } else if (l->to > l->next && have) {
    last = memrchr(text, '\n', have);
  }
  l->whole = last ? (size_t)(last + 1 - l->buffer) : l->at;
}

/* Doubles the buffer if it is full. */
static bool grow(scree__lines *l, char *why, size_t size) {
  if (l->have < l->capacity) return true;
  char *larger = realloc(l->buffer, 2 * l->capacity + SCREE__LINES_PADDING);
  if (!larger) return no_memory(why, size, "a long line", 2 * l->capacity);
  memset(larger + 2 * l->capacity, 0, SCREE__LINES_PADDING);
  l->buffer = larger;
  l->capacity *= 2;
  return true;
}

/* Skips the byte order mark of UTF-8 at the start of the file. The first line, which then begins after it, is still of
 * the first part. */
static void skip_mark(scree__lines *l) {
  static const char mark[] = {'\xef', '\xbb', '\xbf'};
  if (l->next || l->have < sizeof mark || memcmp(l->buffer, mark, sizeof mark)) return;
  l->at = l->next = sizeof mark;
  if (l->to <= sizeof mark) l->to = sizeof mark + 1;
}

/* Moves the unread bytes to the front and reads more after them. False on error. */
static bool fill(scree__lines *l, char *why, size_t size) {
  memmove(l->buffer, l->buffer + l->at, l->have - l->at);
  l->have -= l->at;
  l->at = l->whole = 0;
  if (!grow(l, why, size)) return false;
  const scree_phase phase = scree__progress_enter(l->file->progress, SCREE_PHASE_READ);
  ssize_t n = l->decompressor
                  ? l->file->compression->read(l->decompressor, l->buffer + l->have, l->capacity - l->have, why, size)
                  : read_plain(l, why, size);
  scree__progress_read(l->file->progress, n > 0 ? (uint64_t)n : 0, phase);
  if (n < 0) return false;
  l->end = n == 0;
  l->have += (size_t)n;
  skip_mark(l);
  const uint64_t end = l->to < l->file->size ? l->to : l->file->size;
  scree__progress_report(l->file->progress, l->decompressor ? l->next : l->read - l->from,
                         l->decompressor ? 0 : end - l->from);
  find_whole(l);
  return true;
}

/* ---- lines ---- */

/* Skips the line that began before the part: it belongs to the part before. */
static bool skip_first(scree__lines *l, char *why, size_t size) {
  l->read = l->from - 1;
  for (;;) {
    if (!fill(l, why, size)) return false;
    char *newline = memchr(l->buffer, '\n', l->have);
    l->at = newline ? (size_t)(newline + 1 - l->buffer) : l->have;
    if (newline || l->end) break;
  }
  l->from = l->next = l->read - (l->have - l->at);
  find_whole(l);
  return true;
}

bool scree__lines_open(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                       size_t size) {
  *lines = (scree__lines){
      .file = file, .from = from, .to = to, .next = from, .read = from, .capacity = BUFFER, .max = SCREE__LINE_MAX};
  lines->buffer = calloc(1, BUFFER + SCREE__LINES_PADDING);
  if (!lines->buffer) return no_memory(why, size, "a buffer of lines", BUFFER + SCREE__LINES_PADDING);
  if (file->compression && from < to && !(lines->decompressor = file->compression->open(file->fd, why, size))) {
    scree__lines_close(lines);
    return false;
  }
  if (from == 0 || from >= to || skip_first(lines, why, size)) return true;
  scree__lines_close(lines);
  return false;
}

void scree__lines_close(scree__lines *lines) {
  free(lines->buffer);
  lines->buffer = NULL;
  if (lines->decompressor) lines->file->compression->close(lines->decompressor);
  lines->decompressor = NULL;
}

/* Removes the line of `length` bytes from the front of the buffer, with its newline if it has one. */
static char *remove_line(scree__lines *l, size_t length, bool newline) {
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
  errno = EINVAL;
  l->count++;
  return SCREE__LINE_ERROR;
}

static scree__line_result too_long(scree__lines *l, char *why, size_t size) {
  char what[96];
  snprintf(what, sizeof what, "found a line of more than %zu bytes, expected %s", l->max,
           l->max == SCREE__LINE_MAX ? "an edge" : "the list of a vertex");
  return refuse(l, why, size, what);
}

scree__line_result scree__lines_next(scree__lines *l, char **line, char *why, size_t size) {
  if (l->next >= l->to) return SCREE__LINE_END;
  for (size_t searched = 0;;) {
    char *text = l->buffer + l->at;
    size_t have = l->have - l->at, length;
    char *newline = memchr(text + searched, '\n', have - searched);
    length = newline ? (size_t)(newline - text) : have;
    if (length > l->max) return too_long(l, why, size);
    if (newline || l->end) {
      if (!newline && !length) return SCREE__LINE_END;
      if (memchr(text, 0, length)) return refuse(l, why, size, "found a NUL byte, expected text");
      *line = remove_line(l, length, newline != NULL);
      return SCREE__LINE_OK;
    }
    searched = l->next ? have : 0; /* a mark at the start may yet be skipped */
    if (!fill(l, why, size)) {
      l->count++;
      return SCREE__LINE_ERROR;
    }
  }
}

uint64_t scree__lines_number(const scree__lines *l) {
  uint64_t number = l->count, at = 0;
  char *buffer = l->decompressor || !l->from ? NULL : malloc(BUFFER);
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
