/* input_file.c - a file is opened without blocking, then examined: what it is cannot change in between. */
#include "io/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"

/* Files that a shell has redirected are already open, so opening them again does not wait. */
static bool never_waits(const char *name) {
  return strcmp(name, "/dev/null") == 0 || strcmp(name, "/dev/stdin") == 0 || strncmp(name, "/dev/fd/", 8) == 0 ||
         strncmp(name, "/proc/self/fd/", 14) == 0;
}

/* NULL: it is a regular file. */
static const char *kind_of(mode_t mode) {
  if (S_ISREG(mode)) return NULL;
  if (S_ISDIR(mode)) return strerror(EISDIR);
  return S_ISFIFO(mode) ? "found a FIFO, expected a regular file" : "found a device, expected a regular file";
}

static int open_file(const char *name, bool any, const char **why) {
  struct stat is;
  const int fd = scree__keep_descriptor(open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  /* without O_NONBLOCK again: reading may wait */
  if (fd < 0 || fstat(fd, &is) || fcntl(fd, F_SETFL, 0)) {
    const int error = errno;
    *why = strerror(error);
    if (fd >= 0) close(fd);
    return errno = error, -1;
  }
  *why = any && !S_ISDIR(is.st_mode) ? NULL : kind_of(is.st_mode);
  if (!*why) return fd;
  close(fd);
  return errno = EINVAL, -1;
}

int scree__input_open(const char *name, const char **why) {
  return open_file(name, false, why);
}

/* Reads past a byte order mark of UTF-8, which editors put before a text. */
static void skip_mark(FILE *file) {
  static const int mark[] = {0xef, 0xbb, 0xbf};
  int n = 0, c = 0;
  while (n < 3 && (c = getc(file)) == mark[n]) n++;
  if (n == 3) return;
  if (c != EOF) ungetc(c, file);
  while (n) ungetc(mark[--n], file); /* the C library takes back what is in its buffer */
}

FILE *scree__input_open_text(const char *name, const char **why) {
  const int fd = open_file(name, never_waits(name), why);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
  if (fd >= 0 && !file) {
    *why = strerror(errno);
    close(fd);
  }
  if (file) skip_mark(file);
  return file;
}
