/* relabel_auto.c - whether it pays to renumber a graph by degree. */
#include <stdarg.h>
#include <stdio.h>

#include "build/builder.h"
#include "build/memory_check.h"
#include "build/relabel.h"
#include "graph/consensus.h"
#include "graph/structure.h"

/* A hub has more than HUB times the mean degree. It pays to distribute at least HUBS for each rank that have at least
 * 1 / SHARE of the arcs, in a graph of at least ARCS_MIN arcs. */
enum { HUB = 8, HUBS = 8, SHARE = 4, ARCS_MIN = 1 << 16 };

/* Renumbering takes as long as is saved in so many iterations of PageRank (measured: 17 on a Kronecker graph of scale
 * 18, 63 of scale 20). Each rank moves its arcs and orders all vertices, a vertex in about the time of an arc. */
static const double PASSES = 60;

static bool explain(scree_relabel_outcome *outcome, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool explain(scree_relabel_outcome *outcome, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(outcome->reason, sizeof outcome->reason, format, list);
  va_end(list);
  return false;
}

/* Decides by numbers that all ranks know. */
static bool is_candidate(const scree_graph *g, scree_distribution_kind distribution, double passes,
                         scree_relabel_outcome *outcome) {
  const double arcs = (double)g->arcs, ranks = g->vertices.ranks;
  if (g->arcs < ARCS_MIN)
    return explain(outcome, "the graph has %llu arcs, fewer than %d", (unsigned long long)g->arcs, ARCS_MIN);
  const double needed = PASSES * (1 + ranks * (double)g->vertices.n / arcs);
  if (passes < needed)
    return explain(outcome, "the runs pass over the arcs about %.3g times, and renumbering pays from %.3g on", passes,
                   needed);
  if (distribution == SCREE_DISTRIBUTION_BLOCK && ranks > 1)
    return explain(outcome, "the distribution is block, which would assign all hubs to rank 0");
  if (g->label_index && g->vertices.kind == distribution)
    return explain(outcome, "the graph is numbered by degree already");
  return true;
}

static scree_status has_hubs(const scree_graph *g, scree_relabel_outcome *outcome, bool *hubs) {
  uint64_t vertices = 0, arcs = 0;
  scree_status status = scree__graph_hubs(g, HUB, &vertices, &arcs);
  *hubs = vertices >= HUBS * (uint64_t)g->vertices.ranks && arcs >= g->arcs / SHARE;
  explain(outcome, "%llu vertices have more than %d times the mean degree, and %.0f %% of the arcs%s",
          (unsigned long long)vertices, HUB, 100 * (double)arcs / (double)g->arcs,
          *hubs ? "" : ": too few to distribute");
  return status;
}

/* The kernel needs memory too, so only half of the remaining memory may be used. */
static scree_status has_memory(const scree_graph *g, scree_distribution_kind distribution,
                               scree_relabel_outcome *outcome, bool *memory) {
  const uint64_t bytes = scree__relabel_bytes(g, distribution);
  scree_reduce r = {.sum = {scree__memory_check(g->graphs, 2 * bytes, "renumbering") != SCREE_OK}, .min = UINT64_MAX};
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  *memory = !r.sum[0];
  if (!*memory)
    explain(outcome, "renumbering takes %.1f MiB per rank, more than half of the memory that is left",
            (double)bytes / (1 << 20));
  return status;
}

/* Out of memory in spite of the check: the existing graph is used. */
static bool is_harmless(const scree_graph *g, scree_status status) {
  return status == SCREE_ENOMEM && scree_error(g->graphs->world) == SCREE_OK;
}

scree_status scree_graph_relabel_auto(scree_graph **graph, scree_distribution_kind distribution, double passes,
                                      scree_relabel_outcome *outcome) {
  scree_graph *g = graph ? *graph : NULL, *numbered = NULL;
  if (!g || !outcome) return scree__missing(g, __func__, "place for the outcome");
  scree_status status = scree__distribution_check(g->graphs, distribution);
  if (status) return scree__consensus(g->graphs, status);
  bool go = is_candidate(g, distribution, passes, outcome);
  outcome->done = false;
  if (go) status = has_hubs(g, outcome, &go);
  if (!status && go) status = has_memory(g, distribution, outcome, &go);
  if (status || !go) return status;
  status = scree_graph_relabel_by_degree(g, distribution, &numbered);
  if (is_harmless(g, status)) {
    explain(outcome, "renumbering ran out of memory");
    return SCREE_OK;
  }
  if (status) return status;
  scree_graph_free(g);
  *graph = numbered;
  outcome->done = true;
  return SCREE_OK;
}
