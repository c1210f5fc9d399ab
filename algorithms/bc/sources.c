/* sources.c - the vertices from which betweenness is computed: all, some that are given or drawn, or as many as an
 * error asks for (Brandes & Pich, Int. J. Bifurcation and Chaos 17, 2007). */
#include <inttypes.h>

#include "bc/run.h"

/* Of k drawn sources the mean dependency on a vertex is off by more than error * (n - 2) with a probability of at most
 * 2 exp(-2 k error^2), by Hoeffding's bound; on any of n vertices, of n times that. */
#define DOUBT 0.1

/* Of x from 1 on. The library does without libm. */
static double logarithm(double x) {
  double sum = 0;
  for (; x >= 2; x /= 2) sum += 0.69314718055994531;
  const double t = (x - 1) / (x + 1);
  double power = 2 * t;
  for (int k = 1; k < 30; k += 2, power *= t * t) sum += power / k;
  return sum;
}

static double root(double x) {
  double r = x + 1;
  for (int i = 0; i < 64; i++) r = (r + x / r) / 2;
  return r;
}

static double bound(uint64_t n, uint64_t count) {
  return count < n ? root(logarithm(2 * (double)n / DOUBT) / (2 * (double)count)) : 0;
}

static uint64_t sample(uint64_t n, double error) {
  const double count = logarithm(2 * (double)n / DOUBT) / (2 * error * error);
  return count < (double)n ? (uint64_t)count + 1 : n;
}

uint64_t scree__bc_count(uint64_t n, const scree_bc_options *o) {
  if (o->approximate != SCREE_UNSET_REAL) return sample(n, o->approximate);
  return o->sources == SCREE_UNSET ? n : o->sources;
}

/* The least number of a listed source that is no vertex; else `count`. */
static uint64_t bad_source(const scree_bc_options *o, uint64_t n) {
  uint64_t i = 0;
  while (o->source_list && i < o->sources && o->source_list[i] < n) i++;
  return i;
}

static scree_status refuse(const scree_graph *g, const scree_bc_options *o) {
  const uint64_t n = g->vertices.n;
  if (o->approximate != SCREE_UNSET_REAL && (o->sources != SCREE_UNSET || o->source_list))
    return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                              "option 'approximate' draws as many sources as it needs: leave out 'sources'");
  if (o->source_list && o->sources == SCREE_UNSET)
    return scree_graphs_agree(g->graphs, SCREE_EINVAL, "source_list has as many vertices as 'sources' says: set it");
  if (o->source_list && bad_source(o, n) < o->sources)
    return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                              "source %" PRIu64 " of the list is vertex %" PRIu64 "; legal: 0 to %" PRIu64
                              ", the vertices of the graph",
                              bad_source(o, n), o->source_list[bad_source(o, n)], n - 1);
  if (o->source_list || o->sources == SCREE_UNSET || o->sources <= n) return SCREE_OK;
  return scree_graphs_agree(g->graphs, SCREE_EINVAL,
                            "option 'sources': '%" PRIu64 "' is out of range; legal: 1 to %" PRIu64
                            ", the vertices of the graph",
                            o->sources, n);
}

scree_status scree__bc_sources_of(const scree_graph *g, const scree_bc_options *o, scree__bc_sources *sources) {
  const uint64_t n = g->vertices.n;
  const scree_status status = refuse(g, o);
  if (status) return status;
  *sources = (scree__bc_sources){.list = o->source_list, .count = scree__bc_count(n, o), .scale = 1};
  scree_bijection_init(&sources->order, n, o->seed);
  if (o->approximate != SCREE_UNSET_REAL) sources->scale = (double)n / (double)sources->count;
  if (!o->source_list) sources->error = bound(n, sources->count);
  return SCREE_OK;
}
