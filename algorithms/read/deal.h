/* deal.h - the text of a compressed file that one rank decompresses: it deals complete lines to the others, which parse
 * them meanwhile. */
#ifndef SCREE__DEAL_H
#define SCREE__DEAL_H
#include "read/reader.h"

/* A rank's part of it. `parse` takes all lines, and is called again for more; lines->next is then where it failed. */
typedef struct scree__dealing {
  scree_graphs *graphs;
  scree__lines *lines; /* as scree__reader_lines opened them: dealt */
  scree_status (*parse)(void *arg, scree__lines *lines);
  void *arg;
  scree_status status; /* of parsing on this rank; the first failure */
  uint32_t to;         /* the rank that was last dealt lines */
} scree__dealing;

/* Receiver of an exchange, of which `arg` is a scree__dealing. */
void scree__deal_receive(scree_graphs *graphs, const void *data, size_t bytes, void *arg);
/* Sends the next rank the complete lines that are in memory. False: there are none. Local, in such an exchange. */
bool scree__deal(scree__dealing *dealing);

#endif
