/* rows.c - the rows of a serialized graph as they are in the file. Where vertices are distributed in blocks, a rank's
 * rows are one piece of it: the rank reads offsets and arcs to where they stay, and translates the arcs, part by part,
 * while these are in a near cache. No arc is sent, or is in memory twice. Where nothing has to be translated, arcs are
 * checked where the file is mapped, and stay there: most of the time of reading is that of clearing pages and of
 * copying. */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build/memory_check.h"
#include "build/weights.h"
#include "graph/consensus.h"
#include "graph/structure.h"
#include "read/serialized/serialized.h"

enum { PART = SCREE__SYMMETRY_ROW /* arcs */, FEW = 16 /* ranks */ };

typedef struct {
  scree__serialized_offsets *file;
  scree_graph *g;
  uint64_t first;           /* this rank's first vertex */
  uint64_t base;            /* number of its first arc in the file */
  uint64_t *offsets;        /* those of g, as heads and weights are */
  scree__head32 *heads;     /* in memory, or mapped */
  uint32_t *weights;        /* NULL: there are none */
  bool given;               /* the weights are those of the file */
  uint32_t words[2 * PART]; /* arcs with weights as they are in the file, then their weights alone */
  scree__symmetry symmetry;
} rows;

/* Heads of a graph of so many vertices have 4 bytes, over any number of ranks. */
#define NARROW (UINT64_C(1) << 30)

bool scree__serialized_has_rows(const scree__reader *reader, const scree__serialized *h) {
  const scree_graph_options *o = reader->options;
  return h->n <= NARROW && o->distribution == SCREE_DISTRIBUTION_BLOCK &&
         !(h->directed && o->direction == SCREE_UNDIRECTED);
}

/* ---- a part of the arcs: heads are vertices until they are packed ---- */

/* Makes heads, and weights, of what was read. */
static void split(rows *r, scree__head32 *heads, uint64_t count) {
  if (!r->file->h.weighted)
    for (uint64_t i = 0; i < count; i++) heads[i] = le32toh(heads[i]);
  for (uint64_t i = 0; r->file->h.weighted && i < count; i++) {
    heads[i] = le32toh(r->words[2 * i]);
    r->words[i] = le32toh(r->words[2 * i + 1]);
  }
}

static bool are_legal(const rows *r, const scree__head32 *heads, uint64_t count) {
  const uint32_t last = (uint32_t)r->g->vertices.n - 1; /* below 2^31, so a difference below 0 has the sign bit */
  uint32_t bad = 0;
  for (uint64_t i = 0; i < count; i++) bad |= heads[i] | (last - heads[i]);
  for (uint64_t i = 0; r->given && i < count; i++) bad |= r->words[i];
  return !(bad >> 31);
}

/* The weight that the options give to an arc in place of the file's. */
static uint32_t weight_of(const rows *r, uint64_t u, uint64_t v) {
  const double w = scree__weight(r->file->reader->options, r->g->directed, u, v, 1);
  if (r->g->weight == SCREE_WEIGHT_UINT32) return (uint32_t)w;
  const float f = (float)w;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* The arcs from .. to-1, all of vertex u. */
static void take_row(rows *r, uint64_t u, uint64_t from, uint64_t to, const uint32_t *weights) {
  const scree__head32 *heads = r->heads;
  if (!r->g->directed) scree__symmetry_add_row(&r->symmetry, (uint32_t)u, heads + from, weights, (uint32_t)(to - from));
  if (r->weights && !r->given)
    for (uint64_t e = from; e < to; e++) r->weights[e] = weight_of(r, u, heads[e]);
}

/* Their rows; *u is the vertex of the arc before them, and then of the last one. */
static void take_part(rows *r, uint64_t from, uint64_t to, uint64_t *u) {
  const uint32_t *weights = r->given ? r->words : NULL;
  for (uint64_t end; from < to; from = end) {
    while (r->offsets[*u + 1] <= from) ++*u;
    end = r->offsets[*u + 1] < to ? r->offsets[*u + 1] : to;
    take_row(r, r->first + *u, from, end, weights);
    if (weights) weights += end - from;
  }
}

/* From vertices to packed locations. A block begins at the vertex that is `from` once those before it are where they
 * should be. */
static void pack(const scree_graph *g, scree__head32 *heads, uint64_t count) {
  const uint64_t block = UINT64_C(1) << g->local_bits;
  if (g->vertices.ranks > FEW) {
    for (uint64_t i = 0; i < count; i++)
      heads[i] = (uint32_t)scree_graph_pack(g, scree_distribution_location(&g->vertices, heads[i]));
    return;
  }
  for (uint32_t rank = 1; rank < g->vertices.ranks; rank++) {
    const uint64_t before = scree_distribution_count(&g->vertices, rank - 1);
    const uint32_t from = (uint32_t)((rank - 1) * block + before), gap = (uint32_t)(block - before);
    for (uint64_t i = 0; gap && i < count; i++) heads[i] += heads[i] >= from ? gap : 0;
  }
}

/* The first arc that is wrong, `from` being that of the first head. */
static scree_status refuse(const rows *r, const scree__head32 *heads, uint64_t from) {
  const scree__serialized *h = &r->file->h;
  uint64_t i = 0, u = 0;
  while (heads[i] < h->n && !(r->given && r->words[i] >> 31)) i++;
  while (r->offsets[u + 1] <= from + i) u++;
  const bool weight = heads[i] < h->n;
  return scree__serialized_wrong_arc(r->file, r->base + from + i, r->first + u,
                                     (int32_t)(weight ? r->words[i] : heads[i]), weight);
}

/* The arcs from .. to-1 of this rank; *u as above. */
static scree_status read_part(rows *r, uint64_t from, uint64_t to, uint64_t *u) {
  const scree__serialized *h = &r->file->h;
  const uint64_t count = to - from, bytes = count * scree__serialized_arc_bytes(h);
  scree__head32 *heads = r->heads + from;
  r->file->byte = scree__serialized_arc_at(h, SCREE__SERIALIZED_HEADER, r->base + from);
  scree_status status = SCREE_OK;
  if (!r->g->mapping)
    status = scree__reader_bytes(r->file->reader, &r->file->reader->file, h->weighted ? (void *)r->words : heads, bytes,
                                 r->file->byte);
  if (status) return status;
  if (!r->g->mapping) split(r, heads, count);
  if (!are_legal(r, heads, count)) return refuse(r, heads, from);
  if (r->given) memcpy(r->weights + from, r->words, count * sizeof *r->weights);
  take_part(r, from, to, u);
  if (!r->g->mapping) pack(r->g, heads, count);
  return SCREE_OK;
}

static scree_status take_arcs(rows *r, uint64_t count) {
  scree_status status = SCREE_OK;
  uint64_t u = 0;
  for (uint64_t from = 0, to; from < count && !status; from = to) {
    to = count - from < PART ? count : from + PART;
    status = read_part(r, from, to, &u);
    scree__progress_report(&r->g->graphs->progress, to, count);
  }
  return status;
}

/* ---- arcs that stay in the file ---- */

/* Whether heads are packed locations already: blocks of a power of two. */
static bool are_packed(const scree_graph *g) {
  uint32_t rank = 1;
  while (rank < g->vertices.ranks && scree_distribution_global(&g->vertices, rank, 0) == (uint64_t)rank
                                                                                             << g->local_bits)
    rank++;
  return rank >= g->vertices.ranks;
}

/* Maps `count` heads, all pages at once, which takes less than a fault for each few of them; false: they are to be
 * read. */
static bool map_heads(rows *r, uint64_t count) {
  const scree__serialized *h = &r->file->h;
  const scree__file *file = &r->file->reader->file;
  if (!count || h->weighted || le32toh(1) != 1 || !are_packed(r->g) || !scree__file_is_ours(file)) return false;
  const uint64_t at = scree__serialized_arc_at(h, SCREE__SERIALIZED_HEADER, r->base);
  const uint64_t skipped = at % (uint64_t)sysconf(_SC_PAGESIZE), bytes = skipped + count * sizeof *r->heads;
  void *mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file->fd, (off_t)(at - skipped));
  if (mapping == MAP_FAILED) return false;
  r->g->mapping = mapping;
  r->g->mapping_bytes = bytes;
  r->g->mapping_heads = true;
  r->g->targets = r->heads = (void *)((char *)mapping + skipped);
  return true;
}

/* ---- offsets ---- */

static scree_status no_memory(const rows *r, uint64_t bytes) {
  return scree__no_memory(r->g->graphs, "the rows of a graph", bytes);
}

/* Reads them, checks them, and counts from this rank's first arc. */
static scree_status take_offsets(rows *r) {
  scree__serialized_offsets *s = r->file;
  const uint64_t locals = r->g->locals, bytes = (locals + 1) * sizeof *r->offsets;
  r->g->offsets = r->offsets = scree_graphs_alloc(r->g->graphs, bytes);
  if (!r->offsets) return no_memory(r, bytes);
  s->byte = scree__serialized_offset_at(SCREE__SERIALIZED_HEADER, r->first);
  scree_status status = scree__reader_bytes(s->reader, &s->reader->file, r->offsets, bytes, s->byte);
  uint64_t before = 0;
  if (!status && r->first) status = scree__serialized_offset(s, r->first - 1, &before);
  r->base = status ? 0 : le64toh(r->offsets[0]);
  for (uint64_t u = 0; u <= locals && !status; u++) {
    const uint64_t offset = le64toh(r->offsets[u]);
    status = scree__serialized_check_offset(s, r->first + u, offset, before);
    before = offset;
    r->offsets[u] = offset - r->base;
  }
  return status;
}

static scree_status take_rows(rows *r) {
  scree_graph *g = r->g;
  scree_status status = take_offsets(r);
  if (status) return status;
  const uint64_t count = r->offsets[g->locals], bytes = (count + 1) * sizeof *r->heads;
  if (map_heads(r, count))
    scree__progress_read(&g->graphs->progress, count * sizeof *r->heads, g->graphs->progress.phase);
  else
    g->targets = r->heads = scree_graphs_alloc(g->graphs, bytes);
  if (g->weight) g->weights = r->weights = scree_graphs_alloc(g->graphs, bytes);
  r->given = r->file->h.weighted && scree__weights_are_read(r->file->reader->options);
  if (!r->heads || (g->weight && !r->weights)) return no_memory(r, g->weight ? 2 * bytes : bytes);
  return take_arcs(r, count);
}

/* ---- the graph ---- */

/* Bits of weights of 4 bytes, which are not negative, are ordered like them. */
static double weight_max(const rows *r) {
  uint32_t max = 0;
  float f;
  for (uint64_t e = 0; r->weights && e < r->offsets[r->g->locals]; e++) max = r->weights[e] > max ? r->weights[e] : max;
  memcpy(&f, &max, sizeof f);
  return !r->weights ? 1 : r->g->weight == SCREE_WEIGHT_FLOAT ? (double)f : max;
}

/* What all ranks know of it. Collective. */
static scree_status sum_up(rows *r) {
  scree_graph *g = r->g;
  const double max = weight_max(r);
  scree_reduce all = {.sum = {g->offsets[g->locals]}, .min = UINT64_MAX};
  memcpy(&all.max, &max, sizeof all.max); /* the bits of numbers that are not negative are ordered like them */
  scree_status status = scree_graphs_reduce(g->graphs, &all);
  g->arcs = g->edges = all.sum[0];
  memcpy(&g->weight_max, &all.max, sizeof all.max);
  return status || g->directed ? status : scree__serialized_check_symmetry(r->file, &r->symmetry, g);
}

static scree_status make(rows *r) {
  const scree__reader *reader = r->file->reader;
  const scree_graph_shape shape = scree__serialized_shape(reader, &r->file->h);
  scree_graph *g = r->g = scree__graph_new(reader->graphs);
  if (!g) return scree__no_memory(reader->graphs, "a graph", sizeof *g);
  g->weight = shape.weight;
  g->directed = shape.directed;
  scree_distribution_init(&g->vertices, shape.distribution, shape.n, reader->graphs->worker->ranks);
  scree__graph_set_width(g, shape.wide);
  g->locals = scree_distribution_count(&g->vertices, reader->graphs->worker->rank);
  r->first = scree_distribution_global(&g->vertices, reader->graphs->worker->rank, 0);
  const uint64_t bytes = scree_graph_plan(&shape, scree__serialized_edges(&r->file->h), g->vertices.ranks).graph;
  char what[96];
  snprintf(what, sizeof what, "a graph of %" PRIu64 " vertices and %" PRIu64 " edges", shape.n,
           scree__serialized_edges(&r->file->h));
  return scree__memory_check(reader->graphs, bytes, what);
}

scree_status scree__serialized_rows(scree__serialized_offsets *s, scree_graph **graph) {
  scree_graphs *graphs = s->reader->graphs;
  rows *r = calloc(1, sizeof *r);
  scree_status status = r ? SCREE_OK : scree__no_memory(graphs, "the arcs to read", sizeof *r);
  if (r) r->file = s;
  if (!status) status = make(r);
  status = scree__consensus(graphs, status);
  if (!status) {
    status = take_rows(r);
    status = scree__consensus_by_key(graphs, status, s->byte, NULL);
  }
  if (!status) status = sum_up(r);
  if (status)
    scree_graph_free(r ? r->g : NULL);
  else
    *graph = r->g;
  free(r);
  return status;
}
