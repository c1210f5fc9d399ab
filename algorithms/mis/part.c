/* part.c - the greedy set of a rank's part of the graph, found before it is known which vertices of the parts before it
 * are in the set, as if none were; then those that differ are found again, in ascending order. Where few vertices have
 * a neighbour of another part, all ranks do nearly all of their work at once. */
#include "graph/structure.h"
#include "mis/run.h"

enum { TURN = 4096, FEW = 16 }; /* vertices between two polls; 1 / FEW of them may have neighbours of other parts */

static inline uint64_t own(const scree__run *run, const scree__mis *m, uint64_t e) {
  return scree_graph_packed_target(run->graph, e) - m->first;
}

static bool crosses(const scree__run *run, uint64_t u) {
  const scree_graph *g = run->graph;
  bool outside = false;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) outside |= own(run, scree__mis_of(run), e) >= g->locals;
  return outside;
}

bool scree__mis_part_open(const scree__run *run, scree__mis_part *p, uint32_t *border) {
  const uint64_t n = run->graph->locals;
  p->border = border;
  for (uint64_t u = 0; u < n; u++) {
    if (!crosses(run, u)) continue;
    if (p->borders >= n / FEW) return false;
    border[p->borders++] = (uint32_t)u;
  }
  p->out = scree__run_alloc(run, n + 1);
  p->differs = scree__run_alloc(run, (n / 64 + 1) * sizeof *p->differs);
  return true;
}

bool scree__mis_part_guess(scree__run *run, scree__mis_part *p) {
  const scree_graph *g = run->graph;
  const uint64_t begun = scree__work_begin(run), n = g->locals, first = scree__mis_of(run)->first;
  const uint64_t *offsets = g->offsets, end = n - p->next < TURN ? n : p->next + TURN;
  const void *targets = g->targets;
  const bool wide = g->wide;
  unsigned char *out = p->out;
  uint64_t edges = 0;
  for (uint64_t u = p->next; u < end; u++) {
    if (out[u]) continue;
    for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++) {
      const uint64_t v = scree__head_get(targets, wide, e) - first;
      if (v < n && v != u) out[v] = 1;
    }
    edges += offsets[u + 1] - offsets[u];
  }
  p->next = end;
  run->work.edges += edges;
  scree__work_end(run, begun);
  return end < n;
}

static void mark(scree__mis_part *p, uint64_t u) {
  p->differs[u / 64] |= UINT64_C(1) << u % 64;
}

static void find_again(scree__run *run, scree__mis_part *p, uint64_t u) {
  const scree_graph *g = run->graph;
  const scree__mis *m = scree__mis_of(run);
  bool out = scree__mis_get(m, m->first + u) == SCREE__MIS_OUT;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1] && !out; e++)
    out = own(run, m, e) < u && !p->out[own(run, m, e)];
  run->work.edges += scree_graph_degree(g, u);
  if (out == p->out[u]) return;
  p->out[u] = out;
  for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
    const uint64_t v = own(run, m, e);
    if (v < g->locals && v > u) mark(p, v);
  }
}

void scree__mis_part_settle(scree__run *run, scree__mis_part *p) {
  const scree__mis *m = scree__mis_of(run);
  const uint64_t begun = scree__work_begin(run), n = run->graph->locals;
  for (uint64_t i = 0; i < p->borders; i++)
    if (scree__mis_get(m, m->first + p->border[i]) == SCREE__MIS_OUT && !p->out[p->border[i]]) mark(p, p->border[i]);
  for (uint64_t w = 0; w <= n / 64; w++)
    while (p->differs[w]) {
      const uint64_t u = 64 * w + (uint64_t)__builtin_ctzll(p->differs[w]);
      p->differs[w] &= p->differs[w] - 1;
      find_again(run, p, u);
    }
  for (uint64_t u = 0; u < n; u++) scree__mis_set(m, m->first + u, p->out[u] ? SCREE__MIS_OUT : SCREE__MIS_IN);
  for (uint64_t i = 0; i < p->borders; i++)
    if (!p->out[p->border[i]]) scree__mis_join(run, p->border[i]);
  scree_node_array_step(m->array, run->worker);
  scree__work_end(run, begun);
}
