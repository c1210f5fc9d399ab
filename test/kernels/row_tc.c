/* row_tc.c - triangles of each vertex, against a serial search of the neighbours' neighbours. Published are clustering
 * coefficients. Directed graphs are refused. */
#include <stdlib.h>

#include "kernels.h"

/* Vertices that were seen last in a round of that number. */
typedef struct {
  uint32_t *neighbour, *second, *third, round;
} stamps;

/* Neighbours of v that are neighbours of u, each once. */
static uint64_t common(const serial_csr *g, uint32_t u, uint32_t of_u, uint32_t v, stamps *s) {
  uint64_t count = 0;
  s->round++;
  for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
    const uint32_t w = g->targets[e];
    count += w != u && w != v && s->neighbour[w] == of_u && s->third[w] != s->round;
    s->third[w] = s->round;
  }
  return count;
}

static uint64_t triangles(const serial_csr *g, uint32_t u, stamps *s) {
  const uint32_t of_u = ++s->round;
  uint64_t twice = 0;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) s->neighbour[g->targets[e]] = of_u;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint32_t v = g->targets[e];
    if (v == u || s->second[v] == of_u) continue;
    s->second[v] = of_u;
    twice += common(g, u, of_u, v, s);
  }
  return twice / 2;
}

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  uint32_t *memory = calloc(3 * g->n + 1, sizeof *memory);
  stamps s = {memory, memory + g->n, memory + 2 * g->n, 0};
  const bool has_edges = kernel_has_edges(g);
  (void)source;
  for (uint32_t u = 0; memory && u < g->n; u++) value[u] = has_edges ? (double)triangles(g, u, &s) : 0;
  free(memory);
  return memory != NULL;
}

static void check(const kernel_found *f) {
  double sum = 0;
  for (uint64_t v = 0; f->expected && v < f->t->graph->vertices.n; v++) sum += f->expected[v];
  if (f->expected && !f->t->array && f->answer->figure[0] != sum / 3)
    case_wrong(f->t->verdict, "%s: %g triangles, expected %g", f->who, f->answer->figure[0], sum / 3);
}

const kernel_row row_tc = {
    .name = "tc",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE,
    .refuses = kernel_needs_edges,
    .check = check,
};
