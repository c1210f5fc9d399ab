/* patient.c - standard output and standard error that wait. O_NONBLOCK belongs to the open file, which processes share,
 * so this program leaves it as it is. */
#include "util/patient.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Waits until a write can succeed or fail for another reason. Returns false if polling is impossible. */
static bool wait_writable(int fd) {
  struct pollfd out = {.fd = fd, .events = POLLOUT};
  return poll(&out, 1, -1) > 0 || errno == EINTR;
}

/* Writes all bytes, or returns their number up to an error, which is in errno. The cookie is the descriptor. */
static ssize_t put(void *cookie, const char *data, size_t bytes) {
  const int fd = (int)(intptr_t)cookie;
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = write(fd, data + done, bytes - done);
    if (n > 0)
      done += (size_t)n;
    else if (errno != EINTR && (errno != EAGAIN || !wait_writable(fd)))
      break;
  }
  return (ssize_t)done;
}

static void replace(FILE **stream, int fd, int mode) {
  FILE *waits = fopencookie((void *)(intptr_t)fd, "w", (cookie_io_functions_t){.write = put});
  if (!waits) return;
  setvbuf(waits, NULL, mode, BUFSIZ);
  *stream = waits;
}

void cli_wait_for_readers(void) {
  replace(&stdout, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
  replace(&stderr, STDERR_FILENO, _IOLBF); /* a line is one write, that no other rank splits */
}
