/* facts.c - the figures of scree info: each rank examines its rows, reductions combine the results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scree/kernel.h>

#include "commands/info/info.h"
#include "commands/isolated.h"
#include "commands/session.h"

static uint64_t tail_of(const scree_graph *g, uint64_t u) {
  return scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
}

/* True if arc e of vertex `tail` is the one that counts for its edge. */
static bool counts(const scree_graph *g, uint64_t tail, uint64_t e) {
  return g->directed || tail <= scree_graph_vertex(g, scree_graph_target(g, e));
}

/* ---- rows ---- */

#define ROW(FIELD, KIND, NAME, TEXT) CLI_ROW(cli_facts, FIELD, KIND, NAME, TEXT)
static const cli_field degree_rows[] = {
    {ROW(degree.min, COUNT, "min", "min @")},
    {ROW(degree.median, COUNT, "median", ", median @")},
    {ROW(degree.mean, FIXED, "mean", ", mean @"), .digits = 2},
    {ROW(degree.max, COUNT, "max", ", max @\n")},
    {0},
};
static const cli_field weight_rows[] = {
    {ROW(weight.kind, TEXT, "kind", "@")},
    {ROW(weight.min, REAL, "min", ", min @"), .digits = 6},
    {ROW(weight.mean, REAL, "mean", ", mean @"), .digits = 6},
    {ROW(weight.max, REAL, "max", ", max @"), .digits = 6},
    {ROW(weight.zeros, COUNT, "zeros", ", @ zeros")},
    {0},
};
static const cli_field byte_rows[] = {
    {ROW(bytes.min, BYTES, "min", "@")},
    {ROW(bytes.max, BYTES, "max", " to @")},
    {ROW(bytes.mapped, FLAG, "mapped", ", rows mapped from the file|")},
    {0},
};
#define BALANCE(I)                                                                                                     \
  {                                                                                                                    \
    {ROW(balance[I].vertices, FIXED, "vertices", "vertices @"), .digits = 3},                                          \
        {ROW(balance[I].arcs, FIXED, "arcs", ", arcs @\n"), .digits = 3}, {                                            \
      0                                                                                                                \
    }                                                                                                                  \
  }
static const cli_field imbalance_rows[][3] = {BALANCE(0), BALANCE(1), BALANCE(2)};
static const cli_field balance_rows[] = {
    {.kind = CLI_OBJECT, .name = "block", .text = "imbalance       block    ", .rows = imbalance_rows[0]},
    {.kind = CLI_OBJECT, .name = "cyclic", .text = "                cyclic   ", .rows = imbalance_rows[1]},
    {.kind = CLI_OBJECT, .name = "hash", .text = "                hash     ", .rows = imbalance_rows[2]},
    {0},
};
const cli_field cli_fact_rows[] = {
    {ROW(name, TEXT, "graph", NULL)},
    {ROW(shown, TEXT, NULL, "@")},
    {ROW(directed, FLAG, "directed", ": directed|: undirected")},
    {ROW(load_seconds, FIXED, "load_seconds", ", loaded in @ s"), .digits = 3},
    {ROW(ranks, NUMBER, "ranks", " on @ rank")},
    {ROW(several, FLAG, NULL, "s|")},
    {ROW(vertices, COUNT, "vertices", "\nvertices        @")},
    {ROW(label_min, ID, NULL, ", ids @")},
    {ROW(label_max, ID, NULL, " to @")},
    {ROW(gaps, FLAG, NULL, " with gaps|")},
    {ROW(isolated, COUNT, "isolated", ", @ isolated")},
    {ROW(edges, COUNT, "edges", "\nedges           @")},
    {ROW(loops, COUNT, "self_loops", ", @ self loops")},
    {ROW(parallel, COUNT, "parallel_edges", ", @ parallel")},
    {ROW(arcs, COUNT, "arcs", "\narcs            @\n")},
    {.kind = CLI_OBJECT, .name = "degree", .text = "arcs per vertex ", .rows = degree_rows},
    {ROW(structure[0], FIXED, "degeneracy", "degeneracy      @\n")},
    {ROW(structure[1], FIXED, "triangles", "triangles       @\n")},
    {.kind = CLI_OBJECT, .name = "weights", .text = "weights         ", .rows = weight_rows},
    {.kind = CLI_OBJECT, .name = "bytes_per_rank", .text = "\nmemory per rank ", .rows = byte_rows},
    {.kind = CLI_OBJECT, .name = "balance", .text = "\n", .rows = balance_rows},
    {0},
};
#undef ROW

/* ---- degrees ---- */

/* The number of vertices of all ranks with at most `max` arcs. */
static scree_status count_up_to(const scree_graph *g, uint64_t max, uint64_t *count) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++) r.sum[0] += scree_graph_degree(g, u) <= max;
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  *count = r.sum[0];
  return status;
}

static scree_status degrees(const scree_graph *g, cli_facts *f) {
  scree_reduce r = {.min = UINT64_MAX};
  for (uint64_t u = 0; u < g->locals; u++) {
    uint64_t d = scree_graph_degree(g, u);
    r.min = d < r.min ? d : r.min;
    r.max = d > r.max ? d : r.max;
  }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  f->degree.min = r.min;
  f->degree.max = r.max;
  uint64_t low = r.min, high = r.max,
           count = 0; /* bisect for the smallest degree that half of the vertices do not exceed */
  while (!status && low < high) {
    uint64_t middle = low + (high - low) / 2;
    status = count_up_to(g, middle, &count);
    if (2 * count >= g->vertices.n)
      high = middle;
    else
      low = middle + 1;
  }
  f->degree.median = low;
  return status;
}

/* ---- weights ---- */

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Nonnegative doubles order as their bits do. The sums of the ranks are added in rank order, so that the mean is
 * reproducible. */
static scree_status weights(const scree_graph *g, cli_facts *f) {
  scree_reduce r = {.min = bits_of(INFINITY)};
  double sum = 0, all = 0;
  for (uint64_t u = 0; u < g->locals; u++)
    for (uint64_t e = g->offsets[u], tail = tail_of(g, u); e < g->offsets[u + 1]; e++) {
      double w = scree_graph_weight(g, e);
      if (!counts(g, tail, e)) continue;
      sum += w;
      r.sum[0] += w == 0;
      if (bits_of(w) < r.min) r.min = bits_of(w);
    }
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  f->weight.zeros = r.sum[0];
  f->weight.min = g->edges ? of_bits(r.min) : 0;
  f->weight.max = g->edges ? g->weight_max : 0;
  for (uint32_t i = 0; !status && i < g->vertices.ranks; i++) {
    r = (scree_reduce){.sum = {scree_graph_rank(g) == i ? bits_of(sum) : 0}, .min = UINT64_MAX};
    status = scree_graphs_reduce(g->graphs, &r);
    all += of_bits(r.sum[0]);
  }
  f->weight.mean = g->edges ? all / (double)g->edges : 0;
  return status;
}

/* ---- memory and balance ---- */

static scree_status memory(const scree_graph *g, cli_facts *f) {
  static const uint64_t kinds[] = {0, 4, 4, 8};
  uint64_t labels = g->labels ? 8 * g->locals : 0;
  if (g->label_index) labels *= 2;
  uint64_t arcs = g->offsets[g->locals], bytes = 8 * (g->locals + 1) + arcs * ((g->wide ? 8 : 4) + kinds[g->weight]);
  scree_reduce r = {.min = bytes + labels, .max = bytes + labels};
  scree_status status = scree_graphs_reduce(g->graphs, &r);
  f->bytes.min = r.min;
  f->bytes.max = r.max;
  f->bytes.mapped = g->mapping && !g->mapping_copied;
  return status;
}

/* The arcs that each rank would own, by distribution. */
static scree_status balance(const scree_graph *g, cli_facts *f) {
  const uint32_t ranks = g->vertices.ranks;
  uint64_t *arcs = calloc((size_t)3 * ranks, sizeof *arcs);
  scree_status status = cli_ready(g->graphs, arcs, "a count per rank");
  for (int kind = 0; kind < 3 && !status; kind++) {
    scree_distribution d;
    uint64_t max = 0;
    scree_distribution_init(&d, (scree_distribution_kind)kind, g->vertices.n, ranks);
    for (uint64_t u = 0; u < g->locals; u++)
      arcs[(uint32_t)kind * ranks + scree_distribution_owner(&d, tail_of(g, u))] += scree_graph_degree(g, u);
    for (uint32_t i = 0; i < ranks && !status; i++) {
      scree_reduce r = {.sum = {arcs[(uint32_t)kind * ranks + i]}, .min = UINT64_MAX};
      status = scree_graphs_reduce(g->graphs, &r);
      if (r.sum[0] > max) max = r.sum[0];
    }
    f->balance[kind].arcs = g->arcs ? (double)max * ranks / (double)g->arcs : 1;
    f->balance[kind].vertices = (double)scree_distribution_count(&d, 0) * ranks / (double)g->vertices.n;
  }
  free(arcs);
  return status;
}

/* ---- structure ---- */

const char *const cli_structure[2] = {"kcore", "tc"};

static scree_status find_figure(const scree_graph *g, const char *kernel, double *figure) {
  scree_solver *solver = NULL;
  scree_answer answer = {0};
  scree_status status = scree_solver_open(g->graphs, scree_kernel_find(kernel), &solver);
  if (!status) status = scree_solver_run(solver, g, 0, NULL, &answer);
  *figure = answer.figure[0];
  scree_answer_free(&answer);
  scree_solver_close(solver);
  return status;
}

/* Sets the figures that need no pass over the graph. */
static void describe(const scree_graph *g, cli_facts *f) {
  f->directed = g->directed;
  f->gaps = g->labels && !g->label_index;
  f->ranks = g->vertices.ranks;
  f->several = f->ranks > 1;
  f->vertices = g->vertices.n;
  f->edges = g->edges;
  f->arcs = g->arcs;
  f->degree.mean = (double)g->arcs / (double)g->vertices.n;
  f->structure[0] = f->structure[1] = (double)NAN;
  f->weight.kind = cli_weight_name(g->weight);
  f->weight.min = f->weight.mean = f->weight.max = (double)NAN;
  f->weight.zeros = SCREE_UNSET;
}

scree_status cli_find_facts(const scree_graph *g, bool structure, cli_facts *f) {
  describe(g, f);
  scree_status status = degrees(g, f);
  if (!status) status = cli_count_isolated(g, &f->isolated);
  if (!status) status = cli_count_copies(g, &f->loops, &f->parallel);
  if (!status && g->weight) status = weights(g, f);
  if (!status) status = memory(g, f);
  if (!status) status = scree_graph_label_range(g, &f->label_min, &f->label_max);
  for (int i = 0; i < 2 && structure && !status; i++) status = find_figure(g, cli_structure[i], &f->structure[i]);
  return status ? status : balance(g, f);
}
