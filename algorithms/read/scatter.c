/* scatter.c - pieces of text from the rank that decompresses a file to those that parse it. */
#include "read/scatter.h"

#include <string.h>

#include "graph/consensus.h"

/* A piece has its lines, and then their offset in the text. */
void scree__scatter_receive(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  scree__scattering *d = arg;
  uint64_t offset;
  if (d->status) return;
  bytes -= sizeof offset;
  memcpy(&offset, (const char *)data + bytes, sizeof offset);
  d->status = scree__lines_take(d->lines, data, bytes, offset) ? d->parse(d->arg, d->lines)
                                                               : scree__no_memory(graphs, "a buffer of lines", bytes);
}

/* The offset replaces for a moment what follows the lines in the buffer, which saves a copy of them. */
bool scree__scatter(scree__scattering *d) {
  scree__lines *l = d->lines;
  const scree_worker *w = d->graphs->worker;
  const char *end;
  char *text = l->buffer + l->at, kept[sizeof l->next];
  if (!scree__lines_buffered(l, &end)) return false;
  const size_t bytes = (size_t)(end - text);
  memcpy(kept, end, sizeof kept);
  memcpy(text + bytes, &l->next, sizeof kept);
  d->to = d->to + 1 < w->ranks ? d->to + 1 : 1;
  graph_bytes_send(d->graphs->worker, d->graphs->bytes, d->to, text, bytes + sizeof kept);
  memcpy(text + bytes, kept, sizeof kept);
  scree__lines_consume(l, bytes, 0);
  l->from = l->next;
  l->count = 0;
  return true;
}
