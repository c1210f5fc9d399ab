/* reader.c - what the readers of files share. */
#include "read/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "build/builder.h"
#include "build/plan.h"
#include "build/weights.h"
#include "file/parse.h"
#include "graph/consensus.h"

/* Of a file operation that has failed: those that are not a matter of memory are one of the input. */
static scree_status failure(void) {
  return errno == ENOMEM ? SCREE_ENOMEM : SCREE_EINVAL;
}

scree_status scree__reader_open(scree__reader *reader, const char *path) {
  char why[128];
  scree_graphs *graphs = reader->graphs;
  unsigned rank = (unsigned)graphs->worker->rank;
  bool opened = scree__file_open(&reader->file, path, why, sizeof why);
  if (reader->name) path = reader->file.path = reader->name;
  reader->file.progress = &graphs->progress;
  reader->file.comment = reader->options->comment;
  scree_status status =
      scree__consensus(graphs, opened ? SCREE_OK : scree__why(graphs, failure(), "%s: rank %u: %s", path, rank, why));
  scree_reduce r = {.max = reader->file.size, .min = reader->file.size};
  if (!status) status = scree_graphs_reduce(graphs, &r);
  if (status) return status;
  if (r.max != r.min)
    scree__why(graphs, SCREE_EINVAL, "%s: found files of different size on the ranks, expected one", path);
  else if (!r.max)
    scree__why(graphs, SCREE_EINVAL, "%s: found an empty file, expected a graph", path);
  return scree__consensus(graphs, r.max != r.min || !r.max ? SCREE_EINVAL : SCREE_OK);
}

static scree_status cannot_open(scree__reader *reader, const char *why) {
  return scree__why(reader->graphs, failure(), "%s: rank %u: %s", reader->file.path,
                    (unsigned)reader->graphs->worker->rank, why);
}

static scree_status open_lines(scree__reader *reader, uint64_t from, uint64_t to, scree__lines *lines) {
  char why[128];
  return scree__lines_open(lines, &reader->file, from, to, why, sizeof why) ? SCREE_OK : cannot_open(reader, why);
}

scree_status scree__reader_first_lines(scree__reader *reader, scree__lines *lines) {
  return open_lines(reader, 0, UINT64_MAX, lines);
}

/* ---- parts of a compressed file ---- */

/* Takes the lines before offset `from` of the text, which were read before without an error. */
static void skip_to(scree__lines *lines, uint64_t from) {
  char why[128], *line;
  while (lines->next < from && scree__lines_next(lines, &line, why, sizeof why) == SCREE__LINE_OK) continue;
}

/* Where the first member begins from byte `from` of the file on, as far as that is known; else the file's size. */
static uint64_t member_from(const scree__file *file, uint64_t from) {
  uint64_t at = 0;
  while (at < from) {
    const uint64_t end = file->compression->member_end(file->fd, at);
    at = end > at && end < file->size ? end : file->size;
  }
  return at;
}

/* Opens this rank's members: of those after what rank 0, which has `lines` open, has decompressed for the lines before
 * offset `from` of the text. */
static scree_status open_members(scree__reader *reader, uint64_t from, scree__lines *lines) {
  const scree_worker *w = reader->graphs->worker;
  const scree__file *file = &reader->file;
  char why[128];
  uint64_t first, last;
  skip_to(lines, from);
  scree_reduce r = {.max = from && !w->rank ? file->compression->consumed(lines->decompressor) : 0, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(reader->graphs, &r);
  if (status) return status;
  scree_distribution_block_range(file->size - r.max, w->rank, w->ranks, &first, &last);
  first = w->rank ? member_from(file, r.max + first) : 0;
  last = w->rank + 1 < w->ranks ? member_from(file, r.max + last) : file->size;
  scree_reduce others = {.sum = {w->rank && first < last}, .min = UINT64_MAX};
  status = scree_graphs_reduce(reader->graphs, &others);
  lines->scattered = !others.sum[0] && w->ranks > 1;
  if (status || first >= last || (!w->rank && last == file->size)) return status; /* as it is open */
  scree__lines_close(lines);
  if (!scree__lines_open_members(lines, file, first, last, why, sizeof why)) return cannot_open(reader, why);
  skip_to(lines, from);
  return SCREE_OK;
}

scree_status scree__reader_lines(scree__reader *reader, uint64_t from, bool alone, scree__lines *lines) {
  scree_worker *w = reader->graphs->worker;
  uint64_t first = 0, last = w->rank ? 0 : UINT64_MAX, size = reader->file.size;
  if (!reader->file.compression && !alone) {
    scree_distribution_block_range(size > from ? size - from : 0, w->rank, w->ranks, &first, &last);
    first += from;
    last += from;
  }
  scree_status status = scree__consensus(reader->graphs, open_lines(reader, first, last, lines));
  if (!status && reader->file.compression && !alone)
    status = scree__consensus(reader->graphs, open_members(reader, from, lines));
  else if (!status && reader->file.compression)
    skip_to(lines, from);
  if (status) scree__lines_close(lines);
  return status;
}

scree_status scree__reader_parse_error(scree__reader *reader, const scree__lines *lines, const char *at,
                                       const char *expected) {
  char found[64];
  return scree__why(reader->graphs, SCREE_EINVAL, "%s:%" PRIu64 ": found %s, expected %s", reader->file.path,
                    scree__lines_number(lines), scree__quote_word(at, found, sizeof found), expected);
}

bool scree__accept_word(const char **p, const char *word) {
  const char *at = *p = scree__skip_blanks(*p);
  while (*word && *at == *word) at++, word++;
  if (*word || at != scree__word_end(*p)) return false;
  *p = scree__skip_blanks(at);
  return true;
}

scree_status scree__reader_read_error(scree__reader *reader, const scree__lines *lines, const char *why) {
  scree_status status = failure();
  return scree__why(reader->graphs, status, "%s:%" PRIu64 ": %s", reader->file.path, scree__lines_number(lines), why);
}

scree_status scree__reader_consensus(scree__reader *reader, scree_status status, const scree__lines *lines) {
  return scree__consensus_by_key(reader->graphs, status, lines->scattered ? reader->graphs->worker->rank : lines->next,
                                 NULL);
}

scree_status scree__reader_bytes(scree__reader *reader, const scree__file *file, void *to, uint64_t bytes,
                                 uint64_t at) {
  char *p = to;
  scree__progress *progress = &reader->graphs->progress;
  const scree_phase phase = scree__progress_enter(progress, SCREE_PHASE_READ);
  const uint64_t first = at;
  while (bytes) {
    ssize_t n = pread(file->fd, p, bytes, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      scree__why(reader->graphs, SCREE_EINVAL,
                 "%s: cannot read it at byte %" PRIu64 ": %s; check the file and its disk", file->path, at,
                 n ? strerror(errno) : "found the end of the file");
      break;
    }
    p += n;
    at += (uint64_t)n;
    bytes -= (uint64_t)n;
  }
  scree__progress_read(progress, at - first, phase);
  return bytes ? SCREE_EINVAL : SCREE_OK;
}

/* ---- the builder ---- */

scree_status scree__reader_builder(scree__reader *reader, uint64_t n, uint64_t edges, bool directed,
                                   scree_weight_kind given, scree_graph_builder **builder) {
  scree_graph_shape shape = {.n = n,
                             .distribution = reader->options->distribution,
                             .weight = scree__weight_kind(reader->options, given),
                             .directed = directed};
  const bool narrow = scree__weights_are_read(reader->options);
  scree_status status = scree__memory_check_graph(reader->graphs, &shape, edges, narrow);
  if (!status) status = scree_graph_builder_begin(reader->graphs, &shape, builder);
  if (!status && narrow) scree__builder_narrow(*builder);
  return status;
}
