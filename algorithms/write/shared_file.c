/* shared_file.c - a file of which each rank writes its part: open, write, close, so that all know of a failure. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "write/shared_file.h"

#include "graph/consensus.h"

static scree_status refuse(scree_graphs *graphs, scree_status status, const char *path, const char *what, int error) {
  return scree__why(graphs, status, "%s: rank %u: %s: %s", path, (unsigned)scree_rank(graphs->worker), what,
                    strerror(error ? error : EIO));
}

scree_status scree__shared_file_open(scree_graphs *graphs, const char *path, scree__shared_file *out) {
  const bool first = scree_rank(graphs->worker) == 0;
  scree_status status = SCREE_OK;
  *out = (scree__shared_file){path, -1};
  for (int turn = 0; turn < 2 && !status; turn++) { /* rank 0 creates it, then the others open it */
    if (first == (turn == 0)) out->fd = open(path, O_WRONLY | O_CLOEXEC | (first ? O_CREAT | O_TRUNC : 0), 0666);
    bool bad = first == (turn == 0) && out->fd < 0;
    status = scree__consensus(graphs, bad ? refuse(graphs, SCREE_EINVAL, path,
                                                   "cannot be written; name a file in a directory that can", errno)
                                          : SCREE_OK);
  }
  return status;
}

scree_status scree__shared_file_write(scree_graphs *graphs, const scree__shared_file *out, uint64_t at,
                                      const void *data, uint64_t bytes) {
  const char *from = data;
  while (bytes) {
    ssize_t n = pwrite(out->fd, from, bytes < 1 << 30 ? bytes : 1 << 30, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return refuse(graphs, SCREE_ESTATE, out->path, "was not written in full", n ? errno : ENOSPC);
    at += (uint64_t)n;
    from += n;
    bytes -= (uint64_t)n;
  }
  return SCREE_OK;
}

scree_status scree__shared_file_close(scree_graphs *graphs, scree__shared_file *out, scree_status status) {
  if (out->fd >= 0 && close(out->fd) && !status)
    status = refuse(graphs, SCREE_ESTATE, out->path, "was not written in full", errno);
  out->fd = -1;
  return scree__consensus(graphs, status);
}
