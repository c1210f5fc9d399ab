/* row_mis.c - independent sets: `greedy` against a serial loop, `luby` against rounds over the edges. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernels.h"

static bool solve(const serial_csr *g, uint64_t source, double *value) {
  unsigned char *out = malloc(g->n + 1);
  (void)source;
  if (out) memset(out, 1, g->n + 1);
  if (out && kernel_has_edges(g)) serial_greedy_set(g, out);
  for (uint64_t v = 0; out && v < g->n; v++) value[v] = out[v] ? 0 : 1;
  free(out);
  return out != NULL;
}

static bool is_luby(const char *variant) {
  return strcmp(variant, "luby") == 0;
}

enum { OPEN, OUT, IN, LOWEST };

/* One round; returns whether a vertex is still open. */
static bool one_round(const case_graph *c, uint64_t round, unsigned char *state) {
  bool open = false;
  for (uint64_t v = 0; v < c->shape.n; v++) state[v] = state[v] == OPEN ? LOWEST : state[v];
  for (uint64_t i = 0; i < c->m; i++) {
    const uint64_t u = c->edges[i].u, v = c->edges[i].v;
    const uint64_t a = scree__hash_draw(round, u), b = scree__hash_draw(round, v);
    const bool both = u != v && state[u] % LOWEST == OPEN && state[v] % LOWEST == OPEN;
    if (both) state[a < b || (a == b && u < v) ? v : u] = OPEN;
  }
  for (uint64_t v = 0; v < c->shape.n; v++) state[v] = state[v] == LOWEST ? IN : state[v];
  for (uint64_t i = 0; i < c->m; i++) {
    const uint64_t u = c->edges[i].u, v = c->edges[i].v;
    if (u != v && state[u] == IN) state[v] = OUT;
    if (u != v && state[v] == IN) state[u] = OUT;
  }
  for (uint64_t v = 0; v < c->shape.n; v++) open |= state[v] == OPEN;
  return open;
}

static void check(const kernel_found *f) {
  const scree_graph *g = f->t->graph;
  const case_graph *c = f->t->given;
  if (!c || !is_luby(f->answer->algorithm)) return;
  unsigned char *state = calloc(c->shape.n, 1);
  for (uint64_t round = 0; state && one_round(c, round, state); round++) continue;
  for (uint64_t u = 0; state && u < g->locals; u++) {
    const uint64_t v = scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
    if ((kernel_value(f, u) > 0) != (state[v] == IN)) case_wrong(f->t->verdict, "%s: another set", f->who);
  }
  free(state);
}

const kernel_row row_mis = {
    .name = "mis",
    .solve = solve,
    .laws = ORDER | REVERSE | SCALE,
    .differs = is_luby,
    .refuses = kernel_needs_edges,
    .check = check,
};
