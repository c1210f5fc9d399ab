/* row_bc.c - betweenness from a few sources, against Brandes' algorithm from one after the other. */
#include <math.h>
#include <stddef.h>

#include "kernels.h"

enum { SOURCES = 20 }; /* more than a batch */

static uint64_t sources_of(uint64_t n) {
  return n < SOURCES ? n : SOURCES;
}

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  scree_bijection order;
  bool ready = true;
  (void)source;
  scree_bijection_init(&order, g->n, 1);
  for (uint64_t v = 0; v < g->n; v++) value[v] = 0;
  for (uint64_t i = 0; i < sources_of(g->n) && ready; i++)
    ready = serial_brandes(g, (uint32_t)scree_bijection_apply(&order, i), value);
  return ready;
}

static void options(const scree_graph *graph, void *how) {
  ((scree_bc_options *)how)->sources = sources_of(graph->vertices.n);
}

static double within(const char *variant) {
  (void)variant;
  return 1e-9;
}

static void check(const kernel_found *f) {
  const uint64_t n = f->t->graph->vertices.n;
  const scree_answer *a = f->answer;
  if (a->figure[0] != (double)sources_of(n) || (a->figure[1] > 0) != (n > SOURCES))
    case_wrong(f->t->verdict, "%s: %g sources, error %g", f->who, a->figure[0], a->figure[1]);
}

const kernel_row row_bc = {
    .name = "bc",
    .solve = solve,
    .laws = ORDER | SCALE,
    .choices = {{"batch", "- - 16 1 2 7"}},
    .options = options,
    .within = within,
    .check = check,
    .refused = {{"rows", "sources", 0, "option 'sources': '0' is out of range; legal: 1 to"},
                {"auto", "batch", 17, "option 'batch': '17' is out of range; legal: 1 to 16"},
                {"rows", "approximate", (double)NAN, "option 'approximate': 'nan' is out of range"},
                {"rows", "approximate", 2, "option 'approximate': '2' is out of range; legal: 1e-06 to 1"}},
};
