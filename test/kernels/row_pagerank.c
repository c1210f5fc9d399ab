/* row_pagerank.c - PageRank, against a serial loop of as many iterations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  const double n = (double)g->n;
  double *next = malloc(g->n * sizeof *next);
  (void)source;
  for (uint64_t v = 0; v < g->n; v++) value[v] = 1 / n;
  for (int k = 0; next && k < 7; k++) {
    double kept = 0;
    for (uint64_t v = 0; v < g->n; v++) kept += g->offsets[v] < g->offsets[v + 1] ? 0 : value[v];
    for (uint64_t v = 0; v < g->n; v++) next[v] = (0.15 + 0.85 * kept) / n;
    for (uint64_t u = 0; u < g->n; u++)
      for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
        next[g->targets[e]] += 0.85 * value[u] / (double)(g->offsets[u + 1] - g->offsets[u]);
    memcpy(value, next, g->n * sizeof *next);
  }
  free(next);
  return next != NULL;
}

static double within(const char *variant) {
  return strcmp(variant, "pull-float") == 0 ? 1e-6 : 1e-12;
}

static const char *refuses(const scree_graph *graph, const char *variant) {
  return graph->directed && strncmp(variant, "pull", 4) == 0 ? "this graph is directed; use push" : NULL;
}

static void check(const kernel_found *f) {
  if (f->t->given && f->answer->figure[0] != 7)
    case_wrong(f->t->verdict, "%s: %g iterations", f->who, f->answer->figure[0]);
}

const kernel_row row_pagerank = {
    .name = "pagerank",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE,
    .choices = {{"iterations", "7"}, {"sums", "- table cache off"}},
    .within = within,
    .refuses = refuses,
    .check = check,
    .refused = {{"push", "damping", 1, "option 'damping': '1' is out of range; legal: above 0 and below 1"},
                {"push", "damping", (double)NAN, "legal: above 0 and below 1"},
                {"push", "tolerance", -2, "option 'tolerance': '-2' is out of range; legal: 1e-15 to 2"},
                {"push", "tolerance", 0, "option 'tolerance': '0' is out of range"},
                {"push", "iterations", 0, "option 'iterations': '0' is out of range; legal: 1 to 1000000"}},
};
