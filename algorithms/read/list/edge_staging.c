/* edge_staging.c - edges in coordinate form between ids of any size. */
#include "read/list/edge_staging.h"

#include <scree/memory.h>
#include <stdlib.h>
#include <string.h>

#include "build/weights.h"
#include "file/parse.h"
#include "graph/consensus.h"

void scree__staging_init(scree__edge_staging *g, scree__reader *reader) {
  *g = (scree__edge_staging){.reader = reader,
                             .weighted = reader->options->columns[2] && scree__weights_are_read(reader->options),
                             .min = reader->options->base == SCREE_BASE_1 ? 1 : 0};
}

void scree__staging_free(scree__edge_staging *g) {
  scree_huge_free(g->ends);
  scree_huge_free(g->weights);
  free(g->vertices.at);
}

/* ---- adding ---- */

enum { ROUND = 1 << 21 };

/* A larger array with the same content, on huge pages of 2 MiB to its end: page faults of small pages are a third of
 * the time of parsing. To end on one of 512 MiB would cost too much memory. */
static bool enlarge(const scree__edge_staging *g, void **at, size_t bytes, size_t used) {
  if (bytes >= ROUND) bytes = (bytes + ROUND - 1) / ROUND * ROUND;
  void *larger = scree_graphs_alloc(g->reader->graphs, bytes);
  if (!larger) return false;
  if (used) memcpy(larger, *at, used);
  scree_huge_free(*at);
  *at = larger;
  return true;
}

static size_t end_bytes(const scree__edge_staging *g) {
  return 2 * (g->wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

static size_t weight_bytes(const scree__edge_staging *g) {
  return g->exact ? sizeof(double) : sizeof(uint32_t);
}

static bool grow(scree__edge_staging *g, size_t count) {
  if (g->count + count <= g->capacity) return true;
  size_t capacity = 2 * g->capacity > g->count + count ? 2 * g->capacity : g->count + count + 1024;
  bool good = enlarge(g, &g->ends, capacity * end_bytes(g), g->count * end_bytes(g));
  if (good && g->weighted) good = enlarge(g, &g->weights, capacity * weight_bytes(g), g->count * weight_bytes(g));
  if (good) g->capacity = capacity;
  return good;
}

static bool widen_ends(scree__edge_staging *g) {
  uint64_t *wide = scree_graphs_alloc(g->reader->graphs, g->capacity * 2 * sizeof *wide);
  if (!wide) return false;
  for (size_t i = 0; i < 2 * g->count; i++) wide[i] = scree__staging_end(g, i);
  scree_huge_free(g->ends);
  g->ends = wide;
  return g->wide = true;
}

static bool widen_weights(scree__edge_staging *g) {
  double *wide = scree_graphs_alloc(g->reader->graphs, g->capacity * sizeof *wide);
  if (!wide) return false;
  for (size_t i = 0; i < g->count; i++) wide[i] = scree__staging_weight(g, i);
  scree_huge_free(g->weights);
  g->weights = wide;
  return g->exact = true;
}

void scree__staging_reserve(scree__edge_staging *g, const scree__lines *lines, size_t count) {
  uint64_t end = lines->to < lines->file->size ? lines->to : lines->file->size;
  if (lines->file->compression || lines->next <= lines->from || end <= lines->next) return;
  double each = (double)(lines->next - lines->from) / (double)count;
  grow(g, (size_t)((double)(end - lines->from) / each * 1.02) + 1024);
}

static void put_ends(scree__edge_staging *g, const scree_edge *edges, size_t count) {
  if (g->wide) {
    uint64_t *ends = (uint64_t *)g->ends + 2 * g->count;
    for (size_t i = 0; i < count; i++) ends[2 * i] = edges[i].u, ends[2 * i + 1] = edges[i].v;
  } else {
    uint32_t *ends = (uint32_t *)g->ends + 2 * g->count;
    for (size_t i = 0; i < count; i++) ends[2 * i] = (uint32_t)edges[i].u, ends[2 * i + 1] = (uint32_t)edges[i].v;
  }
}

static void put_weights(scree__edge_staging *g, const scree_edge *edges, size_t count) {
  if (g->exact) {
    double *weights = (double *)g->weights + g->count;
    for (size_t i = 0; i < count; i++) weights[i] = edges[i].weight;
  } else {
    uint32_t *weights = (uint32_t *)g->weights + g->count;
    for (size_t i = 0; i < count; i++) weights[i] = (uint32_t)(int64_t)edges[i].weight;
  }
}

scree_status scree__staging_append(scree__edge_staging *g, const scree_edge *edges, size_t count) {
  uint64_t max = g->max;
  for (size_t i = 0; i < count; i++) {
    uint64_t larger = edges[i].u > edges[i].v ? edges[i].u : edges[i].v;
    max = larger > max ? larger : max;
  }
  g->max = max;
  bool good = grow(g, count);
  if (good && !g->wide && max > UINT32_MAX) good = widen_ends(g);
  if (good && g->weighted && !g->exact && g->notes.decimals) good = widen_weights(g);
  if (!good)
    return scree__no_memory(g->reader->graphs, "the edges of a list", (g->count + count) * 3 * sizeof(uint64_t));
  put_ends(g, edges, count);
  if (g->weighted) put_weights(g, edges, count);
  g->count += count;
  return SCREE_OK;
}

scree_status scree__staging_append_vertex(scree__edge_staging *g, uint64_t id) {
  if (id > g->max) g->max = id;
  if (scree__u64_vector_append(&g->vertices, &id, 1)) return SCREE_OK;
  return scree__no_memory(g->reader->graphs, "the vertices of a list", g->vertices.count * 16);
}

/* 001 may be a name, beside 1. */
const char *scree__staging_parse_id(const scree__edge_staging *g, const char *p, const char *end, uint64_t *id) {
  const bool zeros = end - p > 1 && *p == '0', parsed = !scree__parse_digits(p, end, g->min, INT64_MAX, id);
  if (parsed && !zeros) return NULL;
  if (parsed) return "a vertex id without leading zeros";
  return g->min ? "a vertex id of 1 .. 9223372036854775807" : "a vertex id of 0 .. 9223372036854775807";
}
