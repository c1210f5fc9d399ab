/* text.c - a graph as text, plain or gzip. Each rank's part of a .gz file is a gzip member of its own; readers take
 * them for one file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <scree/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/real.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "io/ending.h"
#include "write/shared_file.h"
#include "write/text.h"

static void flush(scree__sink *s) {
  if (s->used && !s->failed) {
    errno = 0;
    s->failed = gzwrite(s->file, s->text, (unsigned)s->used) != (int)s->used;
    s->error = s->failed ? errno : 0;
  }
  s->used = 0;
}

/* Space for `bytes` more in the buffer, which is flushed if need be. */
static char *reserve(scree__sink *s, size_t bytes) {
  if (sizeof s->text - s->used < bytes) flush(s);
  return s->text + s->used;
}

void scree__put_text(scree__sink *s, const char *text) {
  size_t n = strlen(text);
  memcpy(reserve(s, n), text, n);
  s->used += n;
}

void scree__put_number(scree__sink *s, uint64_t number) {
  char digits[20];
  size_t n = sizeof digits;
  do digits[--n] = (char)('0' + number % 10);
  while (number /= 10);
  memcpy(reserve(s, sizeof digits), digits + n, sizeof digits - n);
  s->used += sizeof digits - n;
}

void scree__put_weight(scree__sink *s, const scree_graph *g, uint64_t e) {
  double w = scree_graph_weight(g, e);
  if (g->weight == SCREE_WEIGHT_UINT32)
    scree__put_number(s, (uint64_t)w);
  else
    s->used += (size_t)scree__real_print_shortest(reserve(s, 32), 32, w);
}

/* The sink takes over rank 0's descriptor; the others open the file when they write. */
static scree_status open_sink(const scree_graph *g, scree__shared_file *out, scree__sink *s) {
  const int fd = out->fd >= 0 ? out->fd : scree__output_file_join(&out->file, O_APPEND);
  if (fd < 0) return scree__cannot_write(g->graphs, out->name, errno);
  s->file = gzdopen(fd, scree__has_ending(out->name, ".gz") ? "wb" : "wbT");
  if (s->file) {
    out->fd = -1;
    return SCREE_OK;
  }
  if (out->fd < 0) close(fd);
  return scree__no_memory(g->graphs, "zlib", 1 << 18);
}

/* ---- rows ---- */

/* `heads`: labels of the heads of the row's arcs; NULL: they can be computed, or are not needed. */
static void put_row(const scree_graph *g, const scree__text_format *t, uint64_t u, const uint64_t *heads,
                    scree__sink *s) {
  const uint64_t vertex = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
  const uint64_t tail = t->labels ? scree_graph_label(g, vertex) : vertex, first = g->offsets[u];
  for (uint64_t e = first; e < g->offsets[u + 1]; e++) {
    const uint64_t at = scree_graph_vertex(g, scree_graph_target(g, e));
    if (t->once && !scree__represents_edge(g, vertex, at)) continue;
    t->arc(g, tail, heads ? heads[e - first] : t->labels ? scree_graph_label(g, at) : at, e, s);
  }
  if (t->end) t->end(s);
}

static void put_rows(const scree_graph *g, const scree__text_format *t, uint64_t from, uint64_t to,
                     const uint64_t *heads, scree__sink *s) {
  const uint64_t first = g->offsets[from];
  for (uint64_t u = from; u < to && !s->failed; u++)
    put_row(g, t, u, heads ? heads + (g->offsets[u] - first) : NULL, s);
}

/* ---- labels of heads: requested for some rows at a time, which are a piece ---- */

enum { PIECE = 1 << 16 }; /* arcs of a piece, but for a longer row */

static uint64_t piece_end(const scree_graph *g, uint64_t from) {
  uint64_t to = from + 1;
  while (to < g->locals && g->offsets[to + 1] - g->offsets[from] <= PIECE) to++;
  return to;
}

/* *longest: arcs of a piece at most. */
static uint64_t count_pieces(const scree_graph *g, uint64_t *longest) {
  uint64_t pieces = 0;
  *longest = 0;
  for (uint64_t from = 0, to; from < g->locals; from = to, pieces++) {
    to = piece_end(g, from);
    if (g->offsets[to] - g->offsets[from] > *longest) *longest = g->offsets[to] - g->offsets[from];
  }
  return pieces;
}

/* Rows whose heads have labels that other ranks know. Collective; one rank, `mine`, writes its rows. */
static scree_status put_labelled(const scree_graph *g, const scree__text_format *t, bool mine, scree__sink *s) {
  uint64_t longest = 0, from = 0;
  scree_reduce pieces = {.sum = {mine ? count_pieces(g, &longest) : 0}, .min = UINT64_MAX};
  const size_t bytes = (size_t)(longest + 1) * sizeof(uint64_t);
  uint64_t *vertices = scree_graphs_alloc(g->graphs, bytes), *labels = scree_graphs_alloc(g->graphs, bytes);
  bool ready = vertices && labels;
  scree_status status = scree__consensus(
      g->graphs, ready ? SCREE_OK : scree__no_memory(g->graphs, "the labels of neighbours", 2 * bytes));
  if (!status) status = scree_graphs_reduce(g->graphs, &pieces);
  for (uint64_t i = 0; i < pieces.sum[0] && !status; i++) {
    const uint64_t to = mine ? piece_end(g, from) : 0, first = g->offsets[from], end = g->offsets[mine ? to : from];
    for (uint64_t e = first; e < end; e++) vertices[e - first] = scree_graph_vertex(g, scree_graph_target(g, e));
    status = scree_graph_labels(g, end - first, vertices, labels);
    if (!status && mine) put_rows(g, t, from, to, labels, s);
    from = to;
  }
  scree_huge_free(vertices);
  scree_huge_free(labels);
  return status;
}

/* ---- the ranks, one after another ---- */

static scree_status begin_part(const scree_graph *g, const scree__text_format *t, scree__shared_file *out,
                               scree__sink *s) {
  scree_status status = open_sink(g, out, s);
  if (status) return status;
  if (!scree_graph_rank(g) && t->header) t->header(g, s);
  return SCREE_OK;
}

static scree_status end_part(const scree_graph *g, scree__shared_file *out, scree__sink *s) {
  flush(s);
  int error = s->failed ? s->error : 0;
  bool bad = s->failed;
  errno = 0;
  if (gzclose(s->file) != Z_OK && !bad) bad = true, error = errno;
  s->file = NULL;
  return bad ? scree__not_in_full(g->graphs, out->name, error) : SCREE_OK;
}

static scree_status write_part(const scree_graph *g, const scree__text_format *t, bool mine, scree__shared_file *out,
                               scree__sink *s) {
  const bool requests = t->labels && g->labels;
  scree_status status = mine ? begin_part(g, t, out, s) : SCREE_OK;
  if (requests) {
    status = scree__consensus(g->graphs, status);
    if (!status) status = put_labelled(g, t, mine, s);
  } else if (mine && !status) {
    put_rows(g, t, 0, g->locals, NULL, s);
  }
  if (s->file) {
    scree_status ended = end_part(g, out, s);
    if (!status) status = ended;
  }
  return scree__consensus(g->graphs, status);
}

scree_status scree__text_format_write(const scree_graph *g, const scree__text_format *text, const char *path) {
  scree__shared_file out;
  scree__sink *sink = calloc(1, sizeof *sink);
  scree_status status =
      scree__consensus(g->graphs, sink ? SCREE_OK : scree__no_memory(g->graphs, "the text to write", sizeof *sink));
  if (!status) {
    status = scree__shared_file_create(g->graphs, path, &out);
    for (uint32_t turn = 0; turn < g->vertices.ranks && !status; turn++)
      status = write_part(g, text, scree_graph_rank(g) == turn, &out, sink);
    if (out.fd >= 0) close(out.fd);
    status = scree__shared_file_finish(g->graphs, &out, status);
  }
  free(sink);
  return status;
}
