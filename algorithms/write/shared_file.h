/* shared_file.h - a file of which each rank writes its part at offsets that it knows. */
#ifndef SCREE__SHARED_FILE_H
#define SCREE__SHARED_FILE_H
#include <scree/graph.h>

typedef struct scree__shared_file {
  const char *path;
  int fd;
} scree__shared_file;

/* Creates the file, empty, on rank 0, and opens it on all. Collective; the caller closes it in any case. */
scree_status scree__shared_file_open(scree_graphs *graphs, const char *path, scree__shared_file *out);
/* Writes `bytes` at the offset `at`. graphs->why is set on failure. Local. */
scree_status scree__shared_file_write(scree_graphs *graphs, const scree__shared_file *out, uint64_t at,
                                      const void *data, uint64_t bytes);
/* Closes it; returns the worst status of all ranks. Collective. */
scree_status scree__shared_file_close(scree_graphs *graphs, scree__shared_file *out, scree_status status);

#endif
