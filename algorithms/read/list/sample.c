/* sample.c - the size of an edge list by a sample of its lines: of a large file chunks at equal distances, of a packed
 * one its beginning, of a small one all.
 *
 * Edges: by the lines of a chunk. Vertices: ids of one chunk are alike, so chunks count as occasions at which an id is
 * seen or not; of ids that are never seen there are at least once^2 / (2 twice), where `once` and `twice` are the
 * numbers of ids seen at so many (Chao 1987). There are no more than numbers between the smallest and the largest, nor
 * than ends of edges. */
#include "read/list/sample.h"

#include <scree/memory.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "build/weights.h"
#include "graph/consensus.h"
#include "read/list/edge_list.h"

enum { CHUNKS = 64, CHUNK = 1 << 16, WHOLE = CHUNKS * CHUNK /* bytes that are read */ };

/* Two standard deviations of a sum over CHUNKS, as a part of the sum of the distances from the mean, which is 4/5 of
 * the deviation for each. */
#define DEVIATIONS (2 * 1.25 / 8)

typedef struct {
  uint64_t id;
  uint32_t chunk;
} seen;

typedef struct {
  scree__edge_list list;
  uint64_t edges[CHUNKS], bytes[CHUNKS]; /* of the chunks */
  uint32_t chunks;
  bool whole;      /* the file has nothing else */
  double unpacked; /* bytes of the file, once unpacked, as far as is known */
} sample;

/* ---- lines ---- */

static scree_status read_chunk(sample *s, uint64_t from, uint64_t to) {
  scree__reader *reader = s->list.edges.reader;
  char why[128];
  scree__lines lines;
  const uint64_t before = s->list.edges.count;
  if (!scree__lines_open(&lines, &reader->file, from, to, why, sizeof why))
    return scree__why(reader->graphs, SCREE_EINVAL, "%s: rank %u: %s", reader->file.path,
                      (unsigned)reader->graphs->worker->rank, why);
  scree_status status = from ? SCREE_OK : scree__edge_list_skip(reader, &lines);
  if (!status) status = scree__edge_list_read(&s->list, &lines);
  s->edges[s->chunks] = s->list.edges.count - before;
  s->bytes[s->chunks++] = lines.next > lines.from ? lines.next - lines.from : 0;
  if (lines.decompressor) {
    const uint64_t packed = reader->file.compression->consumed(lines.decompressor);
    s->whole = lines.end && lines.at == lines.have;
    s->unpacked = (double)lines.next * (double)reader->file.size / (double)(packed ? packed : 1);
  }
  scree__lines_close(&lines);
  return status;
}

static scree_status read_chunks(sample *s) {
  const scree__reader *reader = s->list.edges.reader;
  const uint64_t size = reader->file.size;
  s->whole = size <= WHOLE;
  s->unpacked = (double)size;
  if (s->whole || reader->file.compression) return read_chunk(s, 0, WHOLE);
  scree_status status = SCREE_OK;
  for (uint64_t i = 0; i < CHUNKS && !status; i++) {
    const uint64_t from = (uint64_t)((double)(size - CHUNK) / (CHUNKS - 1) * (double)i);
    status = read_chunk(s, from, i == CHUNKS - 1 ? size : from + CHUNK);
  }
  return status;
}

/* ---- edges ---- */

static void find_edges(const sample *s, scree_size_estimate *o) {
  const uint64_t count = s->list.edges.count;
  double bytes = 0, spread = 0;
  for (uint32_t i = 0; i < s->chunks; i++) bytes += (double)s->bytes[i];
  const double each = bytes > 0 ? (double)count / bytes : 0;
  for (uint32_t i = 0; i < s->chunks; i++) {
    const double off = (double)s->edges[i] - each * (double)s->bytes[i];
    spread += off < 0 ? -off : off;
  }
  const double all = each * s->unpacked, error = bytes > 0 ? DEVIATIONS * spread / bytes * s->unpacked : 0;
  const bool packed = s->list.edges.reader->file.compression != NULL;
  o->edges = s->whole ? count : (uint64_t)all;
  o->edges_min =
      s->whole ? count : (uint64_t)(packed ? all / 2 : (all - error > (double)count ? all - error : (double)count));
  o->edges_max = s->whole ? count : (uint64_t)(packed ? all * 2 : all + error);
}

/* ---- vertices ---- */

static int by_id(const void *a, const void *b) {
  const seen *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

static uint64_t at_most(double x, uint64_t max) {
  return x < (double)max ? (uint64_t)x : max;
}

/* The vertices of a packed file, of which only the beginning is known, with `span` numbers between its ids: as many as
 * that if its second half brings none that are much larger; else they grow with the edges. */
static double extrapolate(const sample *s, const scree_size_estimate *o, uint64_t first, uint64_t span) {
  const size_t count = s->list.edges.count;
  uint64_t half = first;
  for (size_t i = 0; i < count; i++) {
    const uint64_t id = scree__staging_end(&s->list.edges, i);
    if (id > half) half = id;
  }
  const bool grows = (double)span > 1.1 * (double)(half - first + 1);
  return grows ? (double)span * (double)o->edges / (double)(count ? count : 1) : (double)span;
}

/* How many ids there are, and how many of them are seen in one chunk and in two. */
static uint64_t count_seen(const seen *ids, size_t n, uint64_t *once, uint64_t *twice) {
  uint64_t known = 0;
  *once = *twice = 0;
  for (size_t i = 0, next; i < n; i = next, known++) {
    uint64_t occasions = 1;
    for (next = i + 1; next < n && ids[next].id == ids[i].id; next++)
      occasions += ids[next].chunk != ids[next - 1].chunk;
    *once += occasions == 1;
    *twice += occasions == 2;
  }
  return known;
}

static void count_ids(const sample *s, const seen *ids, scree_size_estimate *o) {
  const size_t n = 2 * s->list.edges.count;
  const bool packed = s->list.edges.reader->file.compression != NULL;
  const bool based = s->list.edges.reader->options->base;
  uint64_t once, twice;
  const uint64_t known = count_seen(ids, n, &once, &twice), ends = 2 * o->edges_max;
  const uint64_t first = based ? s->list.edges.min : n ? ids[0].id : 0, span = n ? ids[n - 1].id - first + 1 : 1;
  const double unseen = (double)once * (double)once / (2 * (double)twice + 1);
  const double all = packed ? extrapolate(s, o, first, span) : (double)known + unseen;
  o->labels = !based && !(s->whole && known == span);
  o->vertices_min = based ? span : known ? known : 1;
  o->vertices_max = s->whole ? o->vertices_min
                    : packed ? ends
                             : at_most(1.05 * (double)span, based ? UINT64_MAX : ends);
  o->shape.n = s->whole || based ? o->vertices_min : at_most(all, o->vertices_max);
}

static scree_status find_vertices(const sample *s, scree_size_estimate *o) {
  const size_t n = 2 * s->list.edges.count, bytes = (n + 1) * sizeof(seen);
  scree_graphs *graphs = s->list.edges.reader->graphs;
  seen *ids = scree_graphs_alloc(graphs, bytes);
  if (!ids) return scree__no_memory(graphs, "the ids of a sample", bytes);
  size_t at = 0;
  for (uint32_t i = 0; i < s->chunks; i++)
    for (size_t end = at + 2 * s->edges[i]; at < end; at++) ids[at] = (seen){scree__staging_end(&s->list.edges, at), i};
  qsort(ids, n, sizeof *ids, by_id);
  count_ids(s, ids, o);
  scree_huge_free(ids);
  return SCREE_OK;
}

/* A file of vertices may name more, each in two bytes or more; what is compressed, in fewer. */
static void add_named(const char *path, scree_size_estimate *o) {
  struct stat file;
  o->kind = SCREE_ESTIMATE_SAMPLE;
  if (stat(path, &file) == 0) o->vertices_max += (uint64_t)file.st_size / 2;
}

scree_status scree__list_estimate(scree__reader *reader, scree_size_estimate *o) {
  const scree_graph_options *how = reader->options;
  sample *s = calloc(1, sizeof *s);
  if (!s) return scree__no_memory(reader->graphs, "a sample of lines", sizeof *s);
  scree__edge_list_begin(&s->list, reader);
  scree_status status = read_chunks(s);
  if (!status) {
    find_edges(s, o);
    status = find_vertices(s, o);
  }
  o->kind = s->whole ? SCREE_ESTIMATE_EXACT : SCREE_ESTIMATE_SAMPLE;
  if (how->vertices) add_named(how->vertices, o);
  if (o->shape.n > SCREE_VERTICES_MAX) o->shape.n = SCREE_VERTICES_MAX;
  o->shape.directed = how->direction == SCREE_DIRECTED;
  const scree_weight_kind given = s->list.edges.notes.decimals || !s->whole ? SCREE_WEIGHT_DOUBLE : SCREE_WEIGHT_UINT32;
  o->shape.weight = scree__weight_kind(how, how->columns[2] ? given : SCREE_WEIGHT_NONE);
  scree__staging_free(&s->list.edges);
  free(s);
  return status;
}
