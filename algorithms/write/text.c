/* text.c - a graph as text, plain or gzip. Each rank's part of a .gz file is a gzip member of its own; readers take them
 * for one file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/consensus.h"
#include "graph/structure.h"
#include "write/shared_file.h"
#include "write/text.h"

static void flush(scree__sink *s) {
  if (s->used && !s->failed) s->failed = gzwrite(s->file, s->text, (unsigned)s->used) != (int)s->used;
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
    s->used += (size_t)snprintf(reserve(s, 32), 32, "%.17g", w);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

/* The sink takes over rank 0's descriptor; the others open the file in their turn. */
static scree_status open_sink(const scree_graph *g, scree__shared_file *out, scree__sink *s) {
  const int fd = out->fd >= 0 ? out->fd : open(out->file.path, O_WRONLY | O_CLOEXEC | O_APPEND);
  if (fd < 0) return scree__cannot_write(g->graphs, out->name, errno);
  s->file = gzdopen(fd, ends_with(out->name, ".gz") ? "wb" : "wbT");
  if (s->file) {
    out->fd = -1;
    return SCREE_OK;
  }
  if (out->fd < 0) close(fd);
  return scree__no_memory(g->graphs, "zlib", 1 << 18);
}

static void put_row(const scree_graph *g, const scree__text_format *t, uint64_t u, scree__sink *s) {
  const uint64_t tail = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
  if (t->begin) t->begin(g, tail, s);
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t head = scree_graph_vertex(g, scree_graph_target(g, e));
    if (!t->once || scree__represents_edge(g, tail, head)) t->arc(g, tail, head, e, s);
  }
  if (t->end) t->end(s);
}

/* This rank's turn. */
static scree_status write_part(const scree_graph *g, const scree__text_format *t, scree__shared_file *out,
                               scree__sink *s) {
  scree_status status = open_sink(g, out, s);
  if (status) return status;
  errno = 0;
  if (!scree_graph_rank(g) && t->header) t->header(g, s);
  for (uint64_t u = 0; u < g->locals && !s->failed; u++) put_row(g, t, u, s);
  flush(s);
  int error = s->failed ? errno : 0;
  bool bad = s->failed;
  if (gzclose(s->file) != Z_OK && !bad) bad = true, error = errno;
  return bad ? scree__not_in_full(g->graphs, out->name, error) : SCREE_OK;
}

scree_status scree__text_format_write(const scree_graph *g, const scree__text_format *text, const char *path) {
  scree__shared_file out;
  scree__sink *sink = calloc(1, sizeof *sink);
  scree_status status =
      scree__consensus(g->graphs, sink ? SCREE_OK : scree__no_memory(g->graphs, "the text to write", sizeof *sink));
  if (!status) {
    status = scree__shared_file_create(g->graphs, path, &out);
    for (uint32_t turn = 0; turn < g->vertices.ranks && !status; turn++) {
      bool mine = scree_graph_rank(g) == turn;
      status = scree__consensus(g->graphs, mine ? write_part(g, text, &out, sink) : SCREE_OK);
    }
    if (out.fd >= 0) close(out.fd);
    status = scree__shared_file_finish(g->graphs, &out, status);
  }
  free(sink);
  return status;
}
