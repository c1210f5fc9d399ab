/* shared_file.h - a file of which each rank writes its part. It gets its name when all ranks have written theirs. */
#ifndef SCREE__SHARED_FILE_H
#define SCREE__SHARED_FILE_H
#include <scree/graph.h>

#include "io/output_file.h"

typedef struct scree__shared_file {
  const char *name;
  scree__output_file file; /* of rank 0, which alone finishes it */
  int fd;
} scree__shared_file;

/* Creates the file, empty, on rank 0, which has it open; all ranks learn its path. Collective; the caller finishes it
 * in any case. */
scree_status scree__shared_file_create(scree_graphs *graphs, const char *name, scree__shared_file *out);
/* The same, and opens it on all, for writing at offsets; the caller also closes it in any case. */
scree_status scree__shared_file_open(scree_graphs *graphs, const char *name, scree__shared_file *out);
/* Writes `bytes` at the offset `at`. graphs->why is set on failure. Local. */
scree_status scree__shared_file_write(scree_graphs *graphs, const scree__shared_file *out, uint64_t at,
                                      const void *data, uint64_t bytes);
/* Closes it; returns the worst status of all ranks. Collective. */
scree_status scree__shared_file_close(scree_graphs *graphs, scree__shared_file *out, scree_status status);
/* Gives it its name if the status, which all ranks have agreed on, is SCREE_OK; else removes it. Collective; returns
 * the status, or the reason why it did not get its name. */
scree_status scree__shared_file_finish(scree_graphs *graphs, const scree__shared_file *out, scree_status status);

/* graphs->why = "NAME: rank R: cannot be written: ERROR; ...", "... was not written in full: ...". Local. */
scree_status scree__cannot_write(scree_graphs *graphs, const char *name, int error);
scree_status scree__not_in_full(scree_graphs *graphs, const char *name, int error);

#endif
