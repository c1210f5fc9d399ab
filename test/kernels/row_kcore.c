/* row_kcore.c - coreness, against serial buckets. Directed graphs are refused. */
#include <stdlib.h>

#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  serial_scratch scratch = {0};
  uint32_t *core = calloc(2 * g->n + 1, sizeof *core);
  bool ok = core && serial_scratch_open(&scratch, g);
  (void)source;
  if (ok && kernel_has_edges(g)) ok = serial_cores(g, &scratch, core, core + g->n);
  for (uint64_t v = 0; ok && v < g->n; v++) value[v] = (double)core[v];
  serial_scratch_close(&scratch);
  free(core);
  return ok;
}

static void check(const kernel_found *f) {
  double most = 0;
  for (uint64_t v = 0; f->expected && v < f->t->graph->vertices.n; v++)
    if (f->expected[v] > most) most = f->expected[v];
  if (f->expected && f->answer->figure[0] != most)
    case_wrong(f->t->verdict, "%s: degeneracy %g, expected %g", f->who, f->answer->figure[0], most);
}

const kernel_row row_kcore = {
    .name = "kcore",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE,
    .refuses = kernel_needs_edges,
    .check = check,
};
