/* lines.c - a file, or the part of it that belongs to a rank, as lines. */
#include "file/lines.h"
#include "file/parse.h"
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
  unsigned char magic[SCREE__MAGIC] = {0};
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
    if (known[i]->known(magic)) file->compression = known[i];
  return true;
}

void scree__file_close(scree__file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

static ssize_t packed_head(const scree__file *file, char *to, size_t bytes, char *why, size_t size) {
  const scree__compression *c = file->compression;
  void *state = c->open(file->fd, 0, file->size, why, size);
  size_t have = 0;
  ssize_t n = state ? 1 : -1;
  while (n > 0 && have < bytes) {
    n = c->read(state, to + have, bytes - have, why, size);
    if (n > 0) have += (size_t)n;
  }
  if (state) c->close(state);
  return n < 0 && !have ? -1 : (ssize_t)have;
}

ssize_t scree__file_head(const scree__file *file, char *to, size_t bytes, char *why, size_t size) {
  if (file->compression) return packed_head(file, to, bytes, why, size);
  const ssize_t n = pread(file->fd, to, bytes, 0);
  if (n < 0) unreadable(why, size);
  return n;
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

/* Where the members end that belong to this part, its last line ends in those that follow. */
static ssize_t read_packed(scree__lines *l, char *why, size_t size) {
  const scree__compression *c = l->file->compression;
  const ssize_t n = c->read(l->decompressor, l->buffer + l->have, l->capacity - l->have, why, size);
  if (n || l->packed_to >= l->file->size) return n;
  c->close(l->decompressor);
  l->decompressor = c->open(l->file->fd, l->packed_to, l->file->size, why, size);
  if (!l->decompressor) return -1;
  l->packed_to = l->file->size;
  l->to = l->next + (l->have - l->at) + 1;
  return c->read(l->decompressor, l->buffer + l->have, l->capacity - l->have, why, size);
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
  if (l->from || l->next || l->have < sizeof mark || memcmp(l->buffer, mark, sizeof mark)) return;
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
  ssize_t n = l->decompressor ? read_packed(l, why, size) : read_plain(l, why, size);
  scree__progress_read(l->file->progress, n > 0 ? (uint64_t)n : 0, phase);
  if (n < 0) return false;
  l->end = n == 0;
  l->have += (size_t)n;
  skip_mark(l);
  const uint64_t end = l->to < l->file->size ? l->to : l->file->size;
  scree__progress_report(l->file->progress, (l->decompressor ? l->next : l->read) - l->from,
                         l->decompressor ? 0 : end - l->from);
  find_whole(l);
  return true;
}

/* ---- lines ---- */

/* Skips the line that began before the part: it belongs to the part before. */
static bool skip_first(scree__lines *l, char *why, size_t size) {
  bool found = false;
  l->skip = false;
  while (!found && !l->end) {
    if (!fill(l, why, size)) return false;
    char *newline = memchr(l->buffer, '\n', l->have);
    found = newline;
    l->at = found ? (size_t)(newline + 1 - l->buffer) : l->have;
    l->next += l->at;
  }
  l->from = l->next;
  find_whole(l);
  return true;
}

static bool begin(scree__lines *l, bool any, char *why, size_t size) {
  const scree__compression *c = any ? l->file->compression : NULL;
  l->capacity = BUFFER;
  l->max = SCREE__LINE_MAX;
  l->buffer = calloc(1, BUFFER + SCREE__LINES_PADDING);
  if (!l->buffer) return no_memory(why, size, "a buffer of lines", BUFFER + SCREE__LINES_PADDING);
  if (c) l->decompressor = c->open(l->file->fd, l->packed_from, l->packed_to, why, size);
  if (!c || l->decompressor) return true;
  scree__lines_close(l);
  return false;
}

bool scree__lines_open(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                       size_t size) {
  const bool any = from < to, skip = any && from;
  *lines = (scree__lines){.file = file, .from = from, .to = to, .skip = skip, .packed_to = file->size};
  lines->next = lines->read = skip ? from - 1 : from;
  return begin(lines, any, why, size);
}

bool scree__lines_open_members(scree__lines *lines, const scree__file *file, uint64_t from, uint64_t to, char *why,
                               size_t size) {
  enum { RATIO_SHIFT = 16 /* of text to what is packed: less than 2^15 */ };
  *lines = (scree__lines){.file = file, .to = UINT64_MAX, .skip = from > 0, .packed_from = from, .packed_to = to};
  lines->from = lines->next = from << RATIO_SHIFT;
  return begin(lines, true, why, size);
}

void scree__lines_take(scree__lines *l, char *text, size_t bytes) {
  free(l->buffer);
  l->buffer = text;
  l->capacity = l->have = l->whole = bytes;
  l->at = l->from = l->next = l->count = 0;
  l->to = UINT64_MAX;
  l->end = true;
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

/* `next` is then within the line, as it is after a line that is returned: the ranks compare where they failed. */
static scree__line_result failed(scree__lines *l) {
  l->count++;
  l->next++;
  return SCREE__LINE_ERROR;
}

static scree__line_result refuse(scree__lines *l, char *why, size_t size, const char *what) {
  snprintf(why, size, "%s", what);
  errno = EINVAL;
  return failed(l);
}

static scree__line_result too_long(scree__lines *l, char *why, size_t size) {
  char what[96];
  snprintf(what, sizeof what, "found a line of more than %zu bytes, expected %s", l->max,
           l->max == SCREE__LINE_MAX ? "an edge" : "the list of a vertex");
  return refuse(l, why, size, what);
}

bool scree__line_is_comment(const char *line, const char *other) {
  const char *p = scree__skip_blanks(line);
  if (*p == '#' || *p == '%' || *p == '~') return true;
  if (other && !strncmp(p, other, strlen(other))) return true;
  return *p == 'c' && scree__word_end(p) == p + 1;
}

/* Reads past the comment at the front of the buffer, without memory for its length. */
static scree__line_result pass_comment(scree__lines *l, char **line, char *why, size_t size) {
  const uint64_t start = l->next;
  snprintf(l->comment, sizeof l->comment, "%.*s", (int)sizeof l->comment - 1, scree__skip_blanks(l->buffer + l->at));
  for (bool found = false; !found;) {
    const char *text = l->buffer + l->at, *newline = memchr(text, '\n', l->have - l->at);
    const size_t length = newline ? (size_t)(newline + 1 - text) : l->have - l->at;
    l->at += length;
    l->next += length;
    found = newline || l->end;
    if (!found && !fill(l, why, size)) return failed(l);
  }
  l->start = start;
  l->count++;
  *line = l->comment;
  return SCREE__LINE_OK;
}

scree__line_result scree__lines_next(scree__lines *l, char **line, char *why, size_t size) {
  if (l->skip && !skip_first(l, why, size)) return failed(l);
  if (l->next >= l->to) return SCREE__LINE_END;
  for (size_t searched = 0;;) {
    char *text = l->buffer + l->at;
    size_t have = l->have - l->at, length;
    char *newline = memchr(text + searched, '\n', have - searched);
    length = newline ? (size_t)(newline - text) : have;
    if (length > l->max && scree__line_is_comment(text, l->file->comment)) return pass_comment(l, line, why, size);
    if (length > l->max) return too_long(l, why, size);
    if (newline || l->end) {
      if (!newline && !length) return SCREE__LINE_END;
      if (memchr(text, 0, length)) return refuse(l, why, size, "found a NUL byte, expected text");
      *line = remove_line(l, length, newline != NULL);
      return SCREE__LINE_OK;
    }
    searched = l->next ? have : 0; /* a mark at the start may yet be skipped */
    if (!fill(l, why, size)) return failed(l);
  }
}

/* Bytes of text before the part; 0: there are no more. `at`: those read so far. */
static ssize_t read_before(const scree__lines *l, void *decompressor, uint64_t at, char *to) {
  char why[128];
  const uint64_t left = l->from - at;
  if (decompressor) return l->file->compression->read(decompressor, to, BUFFER, why, sizeof why);
  return pread(l->file->fd, to, left < BUFFER ? (size_t)left : BUFFER, (off_t)at);
}

uint64_t scree__lines_number(const scree__lines *l) {
  const scree__compression *c = l->file->compression;
  char why[128], *buffer = l->from ? malloc(BUFFER) : NULL;
  void *before = c && buffer ? c->open(l->file->fd, 0, l->packed_from, why, sizeof why) : NULL;
  uint64_t number = l->count + (l->packed_from != 0); /* of the line that was skipped only a part is before */
  ssize_t n;
  for (uint64_t at = 0; buffer && (before || !c) && (n = read_before(l, before, at, buffer)) > 0; at += (uint64_t)n)
    for (char *p = buffer; (p = memchr(p, '\n', (size_t)(buffer + n - p))); p++) number++;
  if (before) c->close(before);
  free(buffer);
  return number;
}
