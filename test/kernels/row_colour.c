/* row_colour.c - colourings against a serial loop in the same order: by degree, or by rounds of removal. Of speculative
 * ones the validator alone decides. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { PIECE = 1024 };

/* Vertices in descending order of their number, then by pieces, then by vertex. */
typedef struct {
  uint64_t number, at;
  uint32_t vertex;
} place;

static int compare(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? 1 : -1;
  return x->at < y->at ? -1 : 1;
}

static void sort(uint64_t n, const uint32_t *number, place *order) {
  uint64_t pieces = 1;
  while (pieces * PIECE < n) pieces *= 2;
  const uint64_t step = pieces * 5 / 8 | 1;
  for (uint64_t v = 0; v < n; v++)
    order[v] = (place){number[v], v / PIECE * step % pieces * PIECE + v % PIECE, (uint32_t)v};
  qsort(order, n, sizeof *order, compare);
}

/* The round in which each vertex is removed: all of at most k remaining neighbours at once. */
static void remove_all(const serial_csr *g, uint32_t *round) {
  uint32_t now = 1, k = 0;
  for (uint64_t gone = 0; gone < g->n; now++) {
    uint32_t lowest = UINT32_MAX;
    const uint64_t before = gone;
    for (uint32_t v = 0; v < g->n; v++) {
      uint32_t degree = 0;
      if (round[v] && round[v] < now) continue;
      for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
        degree += g->targets[e] != v && (!round[g->targets[e]] || round[g->targets[e]] == now);
      if (degree <= k) round[v] = now, gone++;
      if (degree < lowest) lowest = degree;
    }
    if (gone == before) k = lowest;
    if (gone == before) now--;
  }
}

static bool colour(const serial_csr *g, bool by_removal, double *value) {
  uint32_t *number = calloc(g->n + 1, sizeof *number), *mark = calloc(g->n + 2, sizeof *mark);
  place *order = malloc((g->n + 1) * sizeof *order);
  const bool ok = number && mark && order;
  for (uint64_t v = 0; ok && v < g->n; v++) number[v] = (uint32_t)(g->offsets[v + 1] - g->offsets[v]);
  if (ok && by_removal) memset(number, 0, g->n * sizeof *number);
  if (ok && by_removal) remove_all(g, number);
  if (ok) sort(g->n, number, order);
  for (uint64_t v = 0; ok && v < g->n; v++) value[v] = -1;
  for (uint64_t i = 0; ok && i < g->n; i++) {
    const uint32_t u = order[i].vertex;
    uint64_t free_one = 0;
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      if (value[g->targets[e]] >= 0) mark[(uint64_t)value[g->targets[e]]] = u + 1;
    while (mark[free_one] == u + 1) free_one++;
    value[u] = (double)free_one;
  }
  free(number);
  free(mark);
  free(order);
  return ok;
}

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  (void)source;
  for (uint64_t v = 0; v < g->n; v++) value[v] = 0;
  return !kernel_has_edges(g) || colour(g, false, value);
}

static bool differs(const char *variant) {
  return strcmp(variant, "largest-first") != 0;
}

static bool build(const case_graph *c, serial_csr *csr) {
  scree_edge *arcs = malloc((2 * c->m + 1) * sizeof *arcs);
  uint64_t m = 0;
  for (uint64_t i = 0; arcs && i < c->m; i++) {
    const scree_edge *e = &c->edges[i];
    arcs[m++] = *e;
    if (e->u != e->v) arcs[m++] = (scree_edge){e->v, e->u, e->weight};
  }
  const bool ok = arcs && serial_csr_build(csr, c->shape.n, m, arcs, c->shape.weight);
  free(arcs);
  return ok;
}

static void check_smallest_last(const kernel_found *f) {
  const scree_graph *g = f->t->graph;
  serial_csr csr;
  if (!build(f->t->given, &csr)) return;
  double *value = malloc(csr.n * sizeof *value);
  const bool ok = value && colour(&csr, true, value);
  for (uint64_t u = 0; ok && u < g->locals; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    if (kernel_value(f, u) != value[v])
      case_wrong(f->t->verdict, "%s: vertex %llu: found %g, expected %g", f->who, (unsigned long long)v,
                 kernel_value(f, u), value[v]);
  }
  free(value);
  serial_csr_free(&csr);
}

static void check(const kernel_found *f) {
  const uint64_t locals = f->t->graph->locals;
  for (uint64_t u = 0; u < locals; u++)
    if (kernel_value(f, u) >= f->answer->figure[0])
      case_wrong(f->t->verdict, "%s: colour %g of %g", f->who, kernel_value(f, u), f->answer->figure[0]);
  if (f->t->given && !f->t->given->shape.directed && strcmp(f->answer->algorithm, "smallest-last") == 0)
    check_smallest_last(f);
}

/* That of a neighbour, or one that is too high. */
static double wrong(const kernel_found *f, uint64_t v, uint64_t *state) {
  const case_graph *c = f->t->given;
  const uint64_t first = c->m ? case_draw(state, c->m) : 0;
  for (uint64_t i = 0; i < c->m; i++) {
    const scree_edge *e = &c->edges[(first + i) % c->m];
    if (e->u != e->v && (e->u == v || e->v == v)) return f->expected[e->u == v ? e->v : e->u];
  }
  return (double)(2 * c->m + 1);
}

const kernel_row row_colour = {
    .name = "colour",
    .solve = solve,
    .laws = ORDER | REVERSE | SCALE,
    .differs = differs,
    .refuses = kernel_needs_edges,
    .check = check,
    .wrong = wrong,
};
