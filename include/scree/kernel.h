/* kernel.h - kernels by index: what can be computed on a graph, by which variants, with which options.
 *
 * A kernel is a problem (shortest paths); a variant solves it (Delta-stepping). All kernels are run alike here; sssp.h,
 * bfs.h, cc.h and pagerank.h have the options and an example of each; kernels that have no options but the variant take
 * scree_kernel_options, and are described below. The command line reads this registry: its
 * subcommands, options, help and the settings that tuning tries. C11 and C++ (where arrays of an answer need a
 * cast). */
#ifndef SCREE_KERNEL_H
#define SCREE_KERNEL_H
#include <scree/algorithm.h>
#include <scree/graph.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what there is: local calls, any thread, any time ---- */

enum { SCREE_ARRAYS_MAX = 3, SCREE_FIGURES_MAX = 6 };

/* What a result array holds for each local vertex. All kinds have 8 bytes. */
typedef enum {
  SCREE_VALUE_DISTANCE,       /* double, a sum of weights; INFINITY: not reached */
  SCREE_VALUE_LEVEL,          /* int64_t, a number of arcs; -1: not reached */
  SCREE_VALUE_VERTEX,         /* uint64_t, a vertex; SCREE_NO_VERTEX: none */
  SCREE_VALUE_REAL,           /* double */
  SCREE_VALUE_COUNT,          /* uint64_t */
  SCREE_VALUE_REPRESENTATIVE, /* uint64_t, the smallest vertex of a set of vertices, which names the set. A listing
                                 names it by the smallest label of its vertices */
} scree_value_kind;
typedef struct scree_kernel_array {
  const char *name; /* NULL: past the last */
  scree_value_kind kind;
  bool listed; /* belongs in a listing of the answer */
} scree_kernel_array;

typedef struct scree_kernel {
  const char *name, *help; /* a word; a line */
  bool source;             /* it starts from a source vertex: those that it reaches have a distance or a level */
  bool weights;            /* it needs weights */
  bool graphless; /* it reads no graph: run it on any; an answer's passes are the items that it has processed */
  scree_kernel_array arrays[SCREE_ARRAYS_MAX + 1];
  const char *figures[SCREE_FIGURES_MAX];  /* names of single numbers in the answer; NULL: none */
  const char *options_name, *options_init; /* its structure of options, as scree_sssp_options; the initialiser */
  size_t options_size;                     /* bytes */
} scree_kernel;

/* The i-th kernel; NULL past the last. */
const scree_kernel *scree_kernel_at(size_t i);
/* The kernel of that name, or NULL; color is colour. */
const scree_kernel *scree_kernel_find(const char *name);

/* How often one run with these options (the kernel's structure, not NULL) examines all arcs, expressed as a gain: what
 * the default variant saves, roughly, in a graph renumbered by degree, divided by what an iteration of PageRank saves.
 * Of PageRank: its iterations, or 20 if a tolerance may end them earlier. */
double scree_kernel_passes(const scree_kernel *kernel, const void *options);

/* The i-th variant; NULL past the last. The first is the default. */
const scree_algorithm *scree_kernel_variant_at(const scree_kernel *kernel, size_t i);
/* Bytes that a run takes on a rank beside the graph: `run` for the answer and tables, until the answer is freed; `node`
 * for arrays that the ranks of a node share, once for each node; `kept` for copies of rows that the first run on a
 * graph makes and keeps with it. Not included: messages under way, and 12 bytes for each arc of the longest row of a
 * rank while rows are sorted. */
typedef struct scree_run_bytes {
  uint64_t run, kept, node;
} scree_run_bytes;
/* Those of the variant of that name (NULL: the default) on a graph of this shape, for an even distribution. 0, 0: no
 * variant has the name. A run is refused with SCREE_ENOMEM before the ranks of a node take more memory than is left. */
scree_run_bytes scree_kernel_plan(const scree_kernel *kernel, const char *algorithm, const scree_graph_shape *shape,
                                  uint64_t edges, uint32_t ranks, uint32_t workers);
/* Is it among those that tuning tries? The others are there to compare with. */
bool scree_kernel_variant_tuned(const scree_kernel *kernel, size_t i);
/* May its handlers run on a progress thread? Else it refuses progress=full. */
bool scree_kernel_variant_progress(const scree_kernel *kernel, size_t i);

/* How the structure of options of every kernel begins. */
typedef struct scree_kernel_options {
  size_t size;
  const char *algorithm; /* NULL: the first variant */
  scree_watch watch;
} scree_kernel_options;

/* An option of a variant: a field of the kernel's structure of options. */
typedef struct scree_kernel_option {
  scree_option row;      /* name (NULL: past the last), kind, range, default, help, offset of the field */
  const char *value;     /* what stands for the value in help; NULL: a flag */
  const char *otherwise; /* without a default: what unset means */
  const char *tried;     /* values that tuning tries, the default first, joined by ", "; NULL: none */
  bool changes_work;     /* runs with other values do another amount of work, so that only their rates compare */
} scree_kernel_option;

/* The j-th option of the i-th variant; NULL past the last. An option of several variants is the same in all. */
const scree_kernel_option *scree_kernel_option_at(const scree_kernel *kernel, size_t i, size_t j);
/* The option of that name of the i-th variant, or NULL; of any variant if i is SIZE_MAX. */
const scree_kernel_option *scree_kernel_option_find(const scree_kernel *kernel, size_t i, const char *name);

/* Makes all fields of a structure of kernel->options_size bytes unset, as SCREE_SSSP_OPTIONS_INIT does. */
void scree_kernel_options_init(const scree_kernel *kernel, void *options);
/* Sets the field of an option from text; NULL for a flag. Returns 0, or -1 with one line in why[size] that names the
 * option, the value and what is legal. */
int scree_kernel_options_set(const scree_kernel *kernel, void *options, const char *name, const char *text, char *why,
                             size_t size);

/* ---- bc ----
 *
 * array[0] is the betweenness of each local vertex: the sum, over the sources and all vertices that they reach, of the
 * part of the shortest paths between them that passes through it; ends do not count. Each pair of an undirected graph
 * thus counts twice when all vertices are sources. Arcs count, not weights; loops change nothing, parallel edges are
 * different paths. figure[0], "sources", is their number; figure[2], "paths", the largest number of shortest paths to a
 * vertex: past 2^53 it is rounded, and `reason` warns; the run is refused if it passes the largest double. The answer
 * is the same on any number of ranks, with a relative error of 1e-6. Of a directed graph a transposed copy is kept with
 * it by `rows`.
 *   rows    all ranks make each level of the sources of a batch: 14 bytes for each of them and vertex, 22 on several
 *           nodes, and 8 for each level
 *   single  each rank takes whole sources: on each 24 bytes for each vertex of the graph, and a copy of it on each node
 *   auto    single on graphs with even degrees, below 6 in the mean, on few ranks or of few vertices; else rows
 * It is valid if Brandes' algorithm on one rank has the same values with a relative error of 1e-6; of graphs that are
 * too large for it the sum of all values is compared with distances, and the verdict's text says so. */

typedef struct scree_bc_options {
  size_t size;           /* of this struct */
  const char *algorithm; /* NULL: the first */
  scree_watch watch;     /* called after each epoch; .fn NULL: never */
  uint64_t sources;      /* at most n, drawn with `seed`; SCREE_UNSET: all vertices */
  uint64_t seed;         /* SCREE_UNSET: 1 */
  uint64_t batch;        /* sources in one pass, 1 to 16; SCREE_UNSET: 16 */
  /* Not SCREE_UNSET_REAL: draw as many sources, and scale the sums to those of n, that with a probability of 0.9 all
   * values are off by less than this times n (n - 2) (Brandes & Pich 2007, by Hoeffding's bound). figure[1], "error",
   * is that factor for the sources that were drawn, 0 if all are sources. */
  double approximate;
  const uint64_t *source_list; /* `sources` vertices, the same on all ranks; NULL: they are drawn */
} scree_bc_options;

#define SCREE_BC_OPTIONS_INIT                                                                                          \
  { sizeof(scree_bc_options), NULL, {NULL, NULL}, SCREE_UNSET, SCREE_UNSET, SCREE_UNSET, SCREE_UNSET_REAL, NULL }

/* ---- kernels whose structure of options is scree_kernel_options ----
 *
 * kcore: array[0] is the coreness of each local vertex, a count: the largest k for which it is in the k-core, the
 * largest part of the graph in which each vertex has k arcs or more. figure[0], "degeneracy", is the largest coreness.
 * Loops do not count, parallel edges count each. Directed graphs are refused. The answer is the same on any number of
 * ranks and workers.
 *   peel    level by level, the vertices with at most k remaining neighbours are removed: an epoch for each k (Matula &
 *           Beck, J. ACM 30, 1983); by all workers of each rank
 *   hindex  each vertex's bound is the h-index of its neighbours' bounds, in any order (Lue et al., Nature
 *           Communications 7, 2016): two epochs, more messages, 4 bytes for each arc
 * It is valid by two rules: each vertex has as many neighbours of at least its coreness; removed in the order of
 * coreness, it has at most so many left.
 *
 * mis: array[0] is 1 of the members of a maximal independent set, 0 of other vertices: no two members are neighbours,
 * and each other vertex has a neighbour that is one; these are the rules by which it is valid. figure[0], "members", is
 * their number. Loops and parallel edges change nothing. Directed graphs are refused. The set is the same on any number
 * of ranks. Both variants keep a byte for each vertex of the graph on each node.
 *   greedy  the set of a loop over the vertices in the order of their numbers: one epoch (Blelloch, Fineman & Shun,
 *           SPAA 2012)
 *   luby    in rounds, vertices whose drawn priority is the lowest among their open neighbours become members (Luby,
 *           SIAM J. Comput. 15, 1986)
 *
 * colour, or color: array[0] is a colour of each vertex, a count from 0 on, no higher than the number of its arcs that
 * are not loops; neighbours have different ones: these are the rules by which it is valid. figure[0], "colours", is
 * their number. Loops and parallel edges change nothing but degrees, by which vertices are ordered. Directed graphs are
 * refused. All variants keep 4 bytes for each vertex of the graph on each node. Of the first two the colours are those
 * of a serial loop, which gives each vertex the lowest colour that no earlier neighbour has, and the same on any number
 * of ranks (Jones & Plassmann, SIAM J. Sci. Comput. 14, 1993).
 *   largest-first  in descending order of the degree: two epochs
 *   smallest-last  vertices of the smallest remaining degree are removed, and coloured in the reverse order (Matula &
 *                  Beck, J. ACM 30, 1983): at most one colour more than the degeneracy; an epoch for each round of
 *                  removal
 *   speculative    all vertices are coloured at once, then of two neighbours of one colour one is again (Bozdag et al.,
 *                  J. Parallel Distrib. Comput. 68, 2008): on several ranks each run may find other colours
 *
 * tc: array[0] is the number of triangles of each local vertex, array[1] its clustering coefficient, the share of pairs
 * of its neighbours that are neighbours too (0 of fewer than two). figure[0], "triangles", is the number in the graph,
 * to which the counts sum three times. Loops and parallel edges are ignored, directed graphs refused. The answer is the
 * same on any number of ranks and workers; both variants run on all workers of each rank. They make rows of each
 * vertex's later neighbours (forward: Schank & Wagner, WEA 2005), in the order of degrees if these differ much, and
 * find each triangle once, in the row of its second vertex.
 *   pull  rows of ranks of the node are read in place, those of other nodes are asked for, a part of them at a time
 *   push  the owner of the second vertex is sent the rest of the first one's row: more messages, less memory
 * It is valid if each coefficient is that of its count, the counts sum to three times the triangles, and each count is
 * as recomputed from whole rows: of a drawn part of the vertices if that would compare more than 2^24 neighbours, which
 * the text of the verdict says then. */

/* ---- running one ---- */

/* A kernel in one world, with the message types of the variants that have run. Types cannot be taken back: open it once
 * per world, run it often, on any graph of the same graph layer. */
typedef struct scree_solver scree_solver;

/* Collective, idle world. On failure *solver is unchanged and the reason is in scree_graphs_error. Errors: SCREE_EINVAL
 * (kernel is NULL: scree_kernel_find knows no such name), SCREE_ENOMEM. */
scree_status scree_solver_open(scree_graphs *graphs, const scree_kernel *kernel, scree_solver **solver);
/* Frees it. Local, outside a run; before scree_graphs_close. NULL is ignored. */
void scree_solver_close(scree_solver *solver);

/* This rank's part of an answer, and figures that are the same on all ranks. */
typedef struct scree_answer {
  uint64_t locals;                  /* vertices of this rank */
  void *array[SCREE_ARRAYS_MAX];    /* of local vertices, as the kernel names them */
  double figure[SCREE_FIGURES_MAX]; /* as the kernel names them */
  uint64_t passes;                  /* without a source: how often each edge was traversed, for TEPS */
  const char *algorithm;            /* that ran */
  const char
      *reason; /* why it was chosen, or why it ran in a mode that depends on the graph; NULL: it was named, and has one
                * mode */
  const char *pruning; /* of variants that prune by choice: "table", "cache" or "off", on this rank. NULL: of others */
  const char *sums;    /* of PageRank by push: the same words, for its sums */
  const char *saving_reason;  /* why that is not what the option says; NULL: it is */
  uint32_t workers;           /* of each rank that it ran on: one, or all */
  double seconds;             /* of the slowest rank, without the preparation */
  double preparation_seconds; /* of this rank, beside: memory, and what is made once and kept with the graph */
  const char *prepared;       /* what was: rows in another order, for example. NULL: nothing, or an earlier run did */
  const char *preparation_reason; /* why that, or why not, where the runs that are expected decide. NULL: they do not */
  scree_work work;
} scree_answer;

/* How many runs are expected on each graph from now on: a variant that can do without a copy of the graph in another
 * order makes one only if they save more time than it takes. 0, as at first: not known, several. Equal on all ranks.
 * Local, outside a run. */
void scree_solver_expect(scree_solver *solver, uint64_t runs);
/* Solves; the first run of a variant registers its message types, all by one scree_register_all. `source` is not read
 * by kernels without one; `options` is the kernel's structure, or NULL. Collective, idle
 * world; equal arguments on all ranks. On success the answer is the caller's, until scree_answer_free; else it is
 * unchanged and the reason is in scree_graphs_error. Errors: SCREE_EINVAL (an option, the source, what the kernel
 * refuses; ranks choose different variants), SCREE_ENOMEM (of types too: the solver can still run, also that variant
 * again), SCREE_ESTATE (the world is not idle), or the code of a world that has failed. */
scree_status scree_solver_run(scree_solver *solver, const scree_graph *graph, uint64_t source, const void *options,
                              scree_answer *answer);
/* Makes, for a graph, what the first run of a variant would make and keep with it, and registers the variant's types,
 * so that this can be timed separately from the runs. Arguments, errors and where it is legal: as for a run. */
scree_status scree_solver_prepare(scree_solver *solver, const scree_graph *graph, const void *options);
/* Checks an answer by the kernel's rules, given the arguments of the run. Collective; the verdict is the same on all
 * ranks. SCREE_OK means that it was reached, not that it is good. */
scree_status scree_solver_validate(scree_solver *solver, const scree_graph *graph, uint64_t source, const void *options,
                                   const scree_answer *answer, scree_verdict *verdict);
/* Frees the arrays of this rank's part, and makes it empty. Local. */
void scree_answer_free(scree_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
