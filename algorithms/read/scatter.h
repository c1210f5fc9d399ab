/* scatter.h - the text of a compressed file that one rank decompresses: it scatters complete lines to the others, which
 * parse them meanwhile. Rank 0 parses what no other rank can take now. So lines are not parsed in order: if one is
 * wrong, the caller has rank 0 read the file again, alone, to name the first. */
#ifndef SCREE__SCATTER_H
#define SCREE__SCATTER_H
#include "read/reader.h"

typedef struct scree__piece scree__piece;

/* A rank's part of it; the fields after `arg` begin as 0. */
typedef struct scree__scattering {
  scree_graphs *graphs;
  scree__lines *lines; /* as scree__reader_lines opened them: scattered */
  /* Parses all lines, and is called again for more; on rank 0 it calls scree__scatter. `number`: that of the piece. */
  scree_status (*parse)(void *arg, scree__lines *lines, uint64_t number);
  void *arg;
  scree_status status; /* of this rank; the first failure */
  /* Rank 0: pieces sent to each rank, and of those the ones not parsed yet; the rank that got one last. */
  uint64_t *sent;
  uint32_t *due, to;
  bool stop; /* a rank has failed */
  /* Others: pieces that wait; how many came, and how many come, once that is known, and one. */
  scree__piece *first, **last;
  uint64_t taken, all;
} scree__scattering;

/* Receiver of an exchange, of which `arg` is a scree__scattering. */
void scree__scatter_receive(scree_graphs *graphs, const void *data, size_t bytes, void *arg);
/* All lines of the file, in such an exchange, on all ranks. Returns `status`; no consensus. */
scree_status scree__scatter_lines(scree__scattering *scattering);

/* ---- rank 0, while it parses ---- */

/* Whether there are complete lines in memory and a rank that can take them. `poll`: runs handlers if there is none. */
bool scree__scatter_ready(scree__scattering *scattering, bool poll);
/* If so, sends them, with a number that the caller gives them. False: parse a few lines here. */
bool scree__scatter(scree__scattering *scattering, uint64_t number);

#endif
