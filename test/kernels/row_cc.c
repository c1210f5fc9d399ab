/* row_cc.c - connected components: the smallest vertex of each, found by lowering it along all arcs until none does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  (void)source;
  for (uint64_t v = 0; v < g->n; v++) value[v] = (double)v;
  for (bool more = true; more;) {
    more = false;
    for (uint64_t u = 0; u < g->n; u++)
      for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
        double *a = &value[u], *b = &value[g->targets[e]];
        more |= *a != *b;
        if (*a < *b)
          *b = *a;
        else
          *a = *b;
      }
  }
  return true;
}

static void check(const kernel_found *f) {
  const uint64_t n = f->t->graph->vertices.n;
  uint64_t components = 0, largest = 0, *size = calloc(n, sizeof *size);
  for (uint64_t v = 0; size && f->expected && v < n; v++) {
    const uint64_t c = (uint64_t)f->expected[v];
    components += c == v;
    if (++size[c] > largest) largest = size[c];
  }
  free(size);
  /* Also where the paths to the roots are as long as the graph. */
  if (strcmp(f->answer->algorithm, "afforest") == 0 && f->answer->work.epochs >= 30)
    case_wrong(f->t->verdict, "%s: %" PRIu64 " epochs", f->who, f->answer->work.epochs);
  const double *figure = f->answer->figure;
  if (f->expected && (figure[0] != (double)components || figure[1] != (double)largest))
    case_wrong(f->t->verdict, "%s: %g components, the largest of %g; expected %" PRIu64 " and %" PRIu64, f->who,
               figure[0], figure[1], components, largest);
}

const kernel_row row_cc = {
    .name = "cc",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE | SPLIT | CLUTTER,
    .check = check,
};
