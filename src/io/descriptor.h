/* descriptor.h - descriptors that the library keeps are 3 or larger: where standard input, output or error is closed, a
 * file would get its number, and what the program prints would go into that file. */
#ifndef SCREE__DESCRIPTOR_H
#define SCREE__DESCRIPTOR_H
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns `fd`, or a duplicate of it if it is below 3, and closes the original. Returns -1 with errno if `fd` is
 * negative, or if there is no descriptor left. The duplicate is closed on exec. */
static inline int scree__keep_descriptor(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int kept = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  close(fd);
  errno = error;
  return kept;
}
#endif
