/* scatter.c - pieces of text from the rank that decompresses a file to those that parse it. */
#include "read/scatter.h"

#include <stdlib.h>
#include <string.h>

#include "graph/consensus.h"

enum { PIECES = 4 /* that a rank may have and not have parsed yet: so much memory, and no more, is in use */ };

struct scree__piece {
  struct scree__piece *next;
  char *text; /* and SCREE__LINES_PADDING */
  size_t bytes;
  uint64_t number;
};

/* From a rank that has parsed a piece. */
typedef struct {
  uint32_t rank, failed;
} parsed;

/* ---- receiving ---- */

static void take_parsed(scree__scattering *d, const parsed *from) {
  if (d->due) d->due[from->rank]--; /* else rank 0 has reached the end */
  d->stop |= from->failed;
}

/* A piece has its lines and then its number; the last message only the number of pieces. */
static void take_piece(scree__scattering *d, const char *data, size_t bytes) {
  uint64_t number;
  bytes -= sizeof number;
  memcpy(&number, data + bytes, sizeof number);
  if (!bytes) {
    d->all = number + 1;
    return;
  }
  scree__piece *p = malloc(sizeof *p);
  char *text = malloc(bytes + SCREE__LINES_PADDING);
  if (!p || !text) {
    free(p);
    free(text);
    d->status = scree__no_memory(d->graphs, "lines of text", bytes);
    d->taken++;
    return;
  }
  memcpy(text, data, bytes);
  memset(text + bytes, 0, SCREE__LINES_PADDING);
  *p = (scree__piece){NULL, text, bytes, number};
  if (!d->first) d->last = &d->first;
  *d->last = p;
  d->last = &p->next;
}

void scree__scatter_receive(scree_graphs *graphs, const void *data, size_t bytes, void *arg) {
  if (graphs->worker->rank)
    take_piece(arg, data, bytes);
  else
    take_parsed(arg, data);
}

/* ---- the ranks that parse ---- */

static scree__piece *remove_first(scree__scattering *d) {
  scree__piece *p = d->first;
  d->first = p->next;
  d->taken++;
  return p;
}

static void parse_first(scree__scattering *d) {
  const scree_worker *w = d->graphs->worker;
  scree__piece *p = remove_first(d);
  scree__lines_take(d->lines, p->text, p->bytes);
  if (!d->status) d->status = d->parse(d->arg, d->lines, p->number);
  free(p);
  const parsed message = {w->rank, d->status != SCREE_OK};
  graph_bytes_send(d->graphs->worker, d->graphs->bytes, 0, &message, sizeof message);
  scree_flush_lane(d->graphs->worker, d->graphs->bytes.id, 0);
}

static void parse_all(scree__scattering *d) {
  scree_graphs *graphs = d->graphs;
  while ((!d->all || d->taken + 1 < d->all) && !scree_error(graphs->world))
    if (d->first)
      parse_first(d);
    else if (!scree_progress(graphs->worker))
      scree_flush(graphs->worker, SCREE_ALL);
  while (d->first) { /* the world has failed */
    scree__piece *p = remove_first(d);
    free(p->text);
    free(p);
  }
}

/* ---- the rank that decompresses ---- */

/* The next rank that can take a piece; 0: none. */
static uint32_t next_free(const scree__scattering *d) {
  const uint32_t ranks = d->graphs->worker->ranks;
  uint32_t to = d->to;
  for (uint32_t i = 1; i < ranks && d->due; i++) {
    to = to + 1 < ranks ? to + 1 : 1;
    if (d->due[to] < PIECES) return to;
  }
  return 0;
}

bool scree__scatter_ready(scree__scattering *d, bool poll) {
  scree__lines *l = d->lines;
  const char *end;
  if (poll && !next_free(d)) scree_progress(d->graphs->worker);
  if (d->stop) l->to = l->whole = 0; /* no more lines */
  return scree__lines_buffered(l, &end) && next_free(d);
}

/* The number replaces for a moment what follows the lines in the buffer, which saves a copy of them. */
bool scree__scatter(scree__scattering *d, uint64_t number) {
  scree__lines *l = d->lines;
  const char *end;
  if (!scree__scatter_ready(d, true)) return false;
  scree__lines_buffered(l, &end);
  char *text = l->buffer + l->at, kept[sizeof number];
  const size_t bytes = (size_t)(end - text);
  d->to = next_free(d);
  memcpy(kept, end, sizeof kept);
  memcpy(text + bytes, &number, sizeof kept);
  graph_bytes_send(d->graphs->worker, d->graphs->bytes, d->to, text, bytes + sizeof kept);
  memcpy(text + bytes, kept, sizeof kept);
  d->sent[d->to]++;
  d->due[d->to]++;
  scree__lines_consume(l, bytes, 0);
  return true;
}

static void scatter_all(scree__scattering *d) {
  const uint32_t ranks = d->graphs->worker->ranks;
  d->sent = calloc(ranks, sizeof *d->sent);
  d->due = calloc(ranks, sizeof *d->due);
  d->status = d->sent && d->due ? d->parse(d->arg, d->lines, 0)
                                : scree__no_memory(d->graphs, "the pieces of a text", ranks * 12);
  for (uint32_t i = 1; i < ranks; i++) {
    const uint64_t sent = d->sent ? d->sent[i] : 0;
    graph_bytes_send(d->graphs->worker, d->graphs->bytes, i, &sent, sizeof sent);
  }
  free(d->sent);
  free(d->due);
  d->sent = NULL;
  d->due = NULL;
}

scree_status scree__scatter_lines(scree__scattering *d) {
  if (d->graphs->worker->rank)
    parse_all(d);
  else
    scatter_all(d);
  return d->status;
}
