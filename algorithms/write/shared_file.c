/* shared_file.c - a file of which each rank writes its part: each step, so that all know of a failure. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "write/shared_file.h"

#include "graph/consensus.h"

scree_status scree__cannot_write(scree_graphs *graphs, const char *name, int error) {
  return scree__why(graphs, SCREE_EINVAL, "%s: rank %u: cannot be written: %s; name a file in a directory that can",
                    name, (unsigned)graphs->worker->rank, strerror(error));
}

scree_status scree__not_in_full(scree_graphs *graphs, const char *name, int error) {
  return scree__why(graphs, SCREE_ESTATE,
                    "%s: rank %u: was not written in full: %s; free space there, or name another file", name,
                    (unsigned)graphs->worker->rank, strerror(error ? error : EIO));
}

static void receive_file(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  (void)graphs;
  scree__shared_file *out = arg;
  memcpy(&out->file, data, bytes);
}

static scree_status share_file(scree_graphs *graphs, scree__shared_file *out) {
  scree_status status = scree__exchange_begin(graphs, (scree__receivers){.bytes = receive_file}, out);
  if (status) return status;
  for (uint32_t i = 1; i < graphs->worker->ranks && graphs->worker->rank == 0; i++)
    graph_bytes_send(graphs->worker, graphs->bytes, i, &out->file, sizeof out->file);
  return scree__exchange_end(graphs, NULL);
}

scree_status scree__shared_file_create(scree_graphs *graphs, const char *name, scree__shared_file *out) {
  const bool first = graphs->worker->rank == 0;
  *out = (scree__shared_file){.name = name, .fd = -1};
  if (first) out->fd = scree__output_file_create(&out->file, name);
  bool bad = first && out->fd < 0;
  scree_status status = scree__consensus(graphs, bad ? scree__cannot_write(graphs, name, errno) : SCREE_OK);
  return status ? status : share_file(graphs, out);
}

scree_status scree__shared_file_open(scree_graphs *graphs, const char *name, scree__shared_file *out) {
  scree_status status = scree__shared_file_create(graphs, name, out);
  if (status) return status;
  if (out->fd < 0) out->fd = scree__output_file_join(&out->file, 0);
  return scree__consensus(graphs, out->fd < 0 ? scree__cannot_write(graphs, name, errno) : SCREE_OK);
}

scree_status scree__shared_file_write(scree_graphs *graphs, const scree__shared_file *out, uint64_t at,
                                      const void *data, uint64_t bytes) {
  const char *from = data;
  while (bytes) {
    ssize_t n = pwrite(out->fd, from, bytes < 1 << 30 ? bytes : 1 << 30, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return scree__not_in_full(graphs, out->name, n ? errno : ENOSPC);
    at += (uint64_t)n;
    from += n;
    bytes -= (uint64_t)n;
  }
  return SCREE_OK;
}

scree_status scree__shared_file_close(scree_graphs *graphs, scree__shared_file *out, scree_status status) {
  if (out->fd >= 0 && close(out->fd) && !status) status = scree__not_in_full(graphs, out->name, errno);
  out->fd = -1;
  return scree__consensus(graphs, status);
}

scree_status scree__shared_file_finish(scree_graphs *graphs, const scree__shared_file *out, scree_status status) {
  const bool first = graphs->worker->rank == 0;
  int error = first ? scree__output_file_finish(&out->file, !status) : 0;
  if (status) return status;
  return scree__consensus(graphs, error ? scree__not_in_full(graphs, out->name, error) : SCREE_OK);
}
