/* patient.c - standard output that waits. O_NONBLOCK belongs to the open file, which processes share, so this program
 * leaves it as it is. */
#include "util/patient.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Waits until a write can succeed or fail for another reason. Returns false if polling is impossible. */
static bool wait_writable(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, -1) > 0 || errno == EINTR;
}

/* Writes all bytes, or returns their number up to an error, which is in errno. */
static ssize_t put(void *cookie, const char *data, size_t bytes) {
  size_t done = 0;
  (void)cookie;
  while (done < bytes) {
    const ssize_t n = write(STDOUT_FILENO, data + done, bytes - done);
    if (n > 0)
      done += (size_t)n;
    else if (errno != EINTR && (errno != EAGAIN || !wait_writable()))
      break;
  }
  return (ssize_t)done;
}

void cli_wait_for_stdout(void) {
  FILE *waits = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
  if (!waits) return;
  setvbuf(waits, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = waits;
}
