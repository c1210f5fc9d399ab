/* row_bfs.c - breadth-first search, against a queue. */
#include <math.h>
#include <stdlib.h>

#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  uint32_t *level = malloc(2 * g->n * sizeof *level);
  const bool ok = level && serial_bfs(g, (uint32_t)source, level, level + g->n);
  for (uint64_t v = 0; ok && v < g->n; v++) value[v] = level[v] == SERIAL_UNREACHED ? INFINITY : (double)level[v];
  free(level);
  return ok;
}

const kernel_row row_bfs = {
    .name = "bfs",
    .solve = solve,
    .laws = NAMES | ORDER | REVERSE | SCALE | CLUTTER | UNREACHED,
    .choices = {{"no-pruning", "- - on"},
                {"pruning", "- table cache cache off"},
                {"alpha", "- 1 1000 1e9 1e-9"}, /* the last but one: backward always; the last: never */
                {"beta", "- 1 2 1e9"}},
    .refused = {{"direction", "alpha", -2, "option 'alpha': '-2' is out of range; legal: above 0"},
                {"direction", "beta", (double)NAN, "option 'beta': 'nan' is out of range"}},
};
