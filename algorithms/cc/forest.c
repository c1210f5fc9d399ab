/* forest.c - union-find over the vertices of one rank. A vertex points up, to a smaller one or, at a root, to
 * itself. */
#include "cc/forest.h"

#include "graph/structure.h"

enum {
  JOINED = 2,    /* arcs of a vertex that are followed at first */
  EXAMINED = 12, /* arcs that are examined for them: many lead to other ranks */
  AHEAD = 16,    /* vertices between prefetching a row and reading it */
  SAMPLE = 128
};

/* Joins the trees of a and b. Rem's algorithm: both paths up are walked at once, and the vertices on them are moved to
 * the smaller of the two parents. */
static inline void join(uint32_t *up, uint32_t a, uint32_t b) {
  while (up[a] != up[b]) {
    if (up[a] < up[b]) {
      uint32_t swap = a;
      a = b;
      b = swap;
    }
    uint32_t above = up[a];
    up[a] = up[b];
    if (above == a) return;
    a = above;
  }
}

/* Makes each vertex point to its root: those before it do already. */
static void flatten(uint32_t *up, uint64_t n) {
  for (uint64_t u = 0; u < n; u++) up[u] = up[up[u]];
}

/* Joins u with the heads of arcs from .. end-1 that are here, but stops after `max` of them. Inlined for both widths
 * of heads. */
static inline uint64_t join_row(const scree_graph *g, uint32_t *up, uint64_t u, uint64_t end, uint64_t max) {
  const uint64_t first = (uint64_t)scree_graph_rank(g) << g->local_bits;
  uint64_t e = g->offsets[u];
  for (; e < end && max; e++) {
    uint64_t v = scree_graph_packed_target(g, e) - first; /* wraps below */
    if (v >= g->locals) continue;
    join(up, (uint32_t)u, (uint32_t)v);
    max--;
  }
  return e - g->offsets[u];
}

static inline void prefetch_row(const scree_graph *g, uint64_t u) {
  uint64_t e = g->offsets[u + AHEAD < g->locals ? u + AHEAD : u];
  __builtin_prefetch((const char *)g->targets + e * scree__head_bytes(g->wide));
}

static uint64_t join_few(const scree_graph *g, uint32_t *up) {
  uint64_t examined = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t end = g->offsets[u + 1];
    prefetch_row(g, u);
    if (end > g->offsets[u] + EXAMINED) end = g->offsets[u] + EXAMINED;
    examined += join_row(g, up, u, end, JOINED);
  }
  return examined;
}

/* Finds the giant part by a sample of the vertices with arcs. */
static uint32_t find_giant(const scree_graph *g, const uint32_t *up, uint64_t *weight) {
  uint32_t sample[SAMPLE], best = 0;
  uint64_t count = 0, max = 0;
  for (uint64_t i = 0; i < 4 * SAMPLE && count < SAMPLE && g->locals; i++) {
    uint64_t u = (i * UINT64_C(0x9e3779b97f4a7c15) >> 24) % g->locals; /* all over */
    if (scree_graph_degree(g, u)) sample[count++] = up[u];
  }
  for (uint64_t i = 0; i < count; i++) {
    uint64_t same = 0;
    for (uint64_t k = i; k < count; k++) same += sample[k] == sample[i];
    if (same <= max) continue;
    max = same;
    best = sample[i];
  }
  *weight = count ? (g->locals * max + count - 1) / count : 0;
  return best;
}

/* The vertices outside the part of `giant` that have arcs. It has no branches, as a third of the vertices of a
 * Kronecker graph has no arcs, at random. */
static uint64_t list_rest(const scree_graph *g, const uint32_t *up, uint32_t giant, uint32_t *rest) {
  uint64_t count = 0;
  for (uint64_t u = 0; u < g->locals; u++) {
    rest[count] = (uint32_t)u;
    count += (uint64_t)((up[u] != giant) & (g->offsets[u] != g->offsets[u + 1]));
  }
  return count;
}

uint64_t scree__cc_forest(const scree_graph *g, uint32_t *up, uint32_t *rest, uint64_t *count, uint32_t *giant,
                          uint64_t *weight) {
  uint64_t examined = 0;
  *giant = UINT32_MAX; /* no vertex: an arc of a directed graph is stored at its tail alone, and is not skipped */
  for (uint64_t u = 0; u < g->locals; u++) up[u] = (uint32_t)u;
  if (!g->directed) {
    examined = join_few(g, up);
    flatten(up, g->locals);
    *giant = find_giant(g, up, weight);
  }
  *count = list_rest(g, up, *giant, rest);
  for (uint64_t i = 0; i < *count; i++) examined += join_row(g, up, rest[i], g->offsets[rest[i] + 1], UINT64_MAX);
  flatten(up, g->locals);
  *giant = find_giant(g, up, weight);
  if (!g->directed) *count = list_rest(g, up, *giant, rest);
  return examined;
}
