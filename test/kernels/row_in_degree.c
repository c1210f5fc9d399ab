/* row_in_degree.c - the kernel of CONTRIBUTING.md: the arcs that lead to each vertex. */
#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  (void)source;
  for (uint64_t v = 0; v < g->n; v++) value[v] = 0;
  for (uint64_t e = 0; e < g->m; e++) value[g->targets[e]]++;
  return true;
}

static void check(const kernel_found *f) {
  const scree_work *w = &f->answer->work;
  if (w->messages != f->t->graph->arcs || w->edges != f->t->graph->arcs || w->epochs != 1)
    case_wrong(f->t->verdict, "%s: not a message for each arc", f->who);
}

const kernel_row row_in_degree = {
    .name = "in-degree",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE,
    .check = check,
};
