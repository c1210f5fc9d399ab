/* scatter.h - the text of a compressed file that one rank decompresses: it scatters complete lines to the others, which
 * parse them meanwhile. */
#ifndef SCREE__SCATTER_H
#define SCREE__SCATTER_H
#include "read/reader.h"

/* A rank's part of it. `parse` takes all lines, and is called again for more; lines->next is then where it failed. */
typedef struct scree__scattering {
  scree_graphs *graphs;
  scree__lines *lines; /* as scree__reader_lines opened them: scattered */
  scree_status (*parse)(void *arg, scree__lines *lines);
  void *arg;
  scree_status status; /* of parsing on this rank; the first failure */
  uint32_t to;         /* the rank that got lines last */
} scree__scattering;

/* Receiver of an exchange, of which `arg` is a scree__scattering. */
void scree__scatter_receive(scree_graphs *graphs, const void *data, size_t bytes, void *arg);
/* Sends the next rank the complete lines that are in memory. False: there are none. Local, in such an exchange. */
bool scree__scatter(scree__scattering *scattering);

#endif
