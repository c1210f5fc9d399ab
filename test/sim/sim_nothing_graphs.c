/* sim_nothing_graphs.c - NULL, 0 and -1 as each argument of each public function of libscree-graph. */
#include <scree/bfs.h>
#include <scree/cc.h>
#include <scree/generate.h>
#include <scree/pagerank.h>
#include <scree/sssp.h>
#include <unistd.h>

#include "harness.h"
#include "nothing.h"

enum { MANY = 64 };
static scree_graphs *graphs;
static scree_graph *made;
static scree_graph_builder *builder;
static scree_solver *solver;
static scree_answer answer;
static scree_verdict verdict;
static scree_generated *generated;
static scree_reduce reduce = SCREE_REDUCE_INIT;
static scree_balance balance;
static scree_relabel_outcome outcome;
static scree_size_estimate estimate;
static scree_graph_options options;
static scree_write_options write_options = {.format = SCREE_FORMAT_EDGES};
static scree_bfs_options bfs_options = SCREE_BFS_OPTIONS_INIT;
static const scree_graph_shape shape = {.n = 8};
static const scree_edge edge = {.u = 0, .v = 1, .weight = 1};
static scree_edge edges[MANY];
static double reals[MANY];
static int64_t integers[MANY];
static uint64_t vertices[MANY], min, max;
static const uint32_t *order;
static char why[256];

static void on_load(uint64_t done, uint64_t total, void *arg) {}
static void take(const void *data, size_t bytes, void *arg) {}
static const scree_attachment_key key = {"nothing", NULL}, kept = {"kept", NULL};

static const scree_kernel *bfs(void) {
  return scree_kernel_find("bfs");
}
static const scree_generated *parsed(void) {
  check_equal(scree_generated_parse("kron:4", why, sizeof why, &generated), SCREE_OK);
  return generated;
}
/* What builds leave open has no other owner. */
static scree_graph_builder *finished(nothing *c) {
  scree_graph_builder *b = c->builder;
  c->builder = NULL;
  return b;
}
static scree_graph *own_graph(nothing *c) {
  check_equal(scree_graph_load(c->graphs, "kron:4", NULL, &made), SCREE_OK);
  return made;
}
static scree_graph **own_place(nothing *c) {
  own_graph(c);
  return &made;
}
static const char *path(void) {
  static char name[64];
  snprintf(name, sizeof name, "/tmp/scree-nothing-%ld.txt", (long)getppid());
  return name;
}

#define GRAPHS POINTER(0, c->graphs)
#define G      POINTER(0, c->graph)
#define KERNEL POINTER(0, bfs())
#define SOLVER POINTER(0, c->solver)

#define ROWS(X)                                                                                                        \
  X(PLAIN, STATUS, scree_graphs_open, "! t", POINTER(0, c->world), POINTER(1, &graphs))                                \
  X(GRAPH, VOID, scree_graphs_close, ".", GRAPHS)                                                                      \
  X(GRAPH, VOID, scree_graphs_on_load, ". . .", GRAPHS, POINTER(1, on_load), POINTER(2, c))                            \
  X(GRAPH, VOID, scree_graphs_enter, ". ..", GRAPHS, NUMBER(1, (scree_phase)SCREE_PHASE_SOLVE))                        \
  X(GRAPH, VOID, scree_graphs_phases, ".", GRAPHS)                                                                     \
  X(GRAPH, TRUTH, scree_graphs_worker, "!", GRAPHS)                                                                    \
  X(GRAPH, VOID, scree_graphs_error, ".", GRAPHS)                                                                      \
  X(GRAPH, TRUTH, scree_graphs_alloc, "! .!", GRAPHS, NUMBER(1, (size_t)4096))                                         \
  X(GRAPH, STATUS, scree_graphs_reduce, "! .", GRAPHS, POINTER(1, &reduce))                                            \
  X(GRAPH, STATUS, scree_graphs_agree, "! .t .", GRAPHS, NUMBER(1, (scree_status)SCREE_OK), POINTER(2, "text"))        \
  X(GRAPH, STATUS, scree_graphs_agree_verdict, "! .. . t t", GRAPHS, NUMBER(1, UINT64_MAX), POINTER(2, "text"),        \
    POINTER(3, &min), POINTER(4, &verdict))                                                                            \
  X(GRAPH, STATUS, scree_graphs_exchange_begin, "! t .", GRAPHS, POINTER(1, take), POINTER(2, c))                      \
  X(EXCHANGE, VOID, scree_graphs_exchange_send, "- .t - .t", GRAPHS, NUMBER(1, 0U), POINTER(2, &min),                  \
    NUMBER(3, sizeof min))                                                                                             \
  X(EXCHANGE, STATUS, scree_graphs_exchange_end, "!", GRAPHS)                                                          \
  X(GRAPH, STATUS, scree_graph_labels, "! .- t t", G, NUMBER(1, (uint64_t)1), POINTER(2, vertices),                    \
    POINTER(3, vertices))                                                                                              \
  X(GRAPH, STATUS, scree_graph_label_range, "! t t", G, POINTER(1, &min), POINTER(2, &max))                            \
  X(GRAPH, VOID, scree_graph_find, ". ..", G, NUMBER(1, (uint64_t)1))                                                  \
  X(GRAPH, STATUS, scree_graph_by_label, "! t", G, POINTER(1, &order))                                                 \
  X(GRAPH, VOID, scree_graph_allow_reordering, ".", G)                                                                 \
  X(GRAPH, VOID, scree_graph_free, ".", G)                                                                             \
  X(GRAPH, TRUTH, scree_graph_attachment, "! !", G, POINTER(1, &key))                                                  \
  X(GRAPH, STATUS, scree_graph_attach, "! ! !", G, POINTER(1, &kept), POINTER(2, why))                                 \
  X(GRAPH, STATUS, scree_graph_balance, "! t", G, POINTER(1, &balance))                                                \
  X(GRAPH, STATUS, scree_graph_relabel_by_degree, "! .t t", G,                                                         \
    NUMBER(1, (scree_distribution_kind)SCREE_DISTRIBUTION_CYCLIC), POINTER(2, &made))                                  \
  X(GRAPH, STATUS, scree_graph_relabel_auto, "! .t .. t", POINTER(0, own_place(c)),                                    \
    NUMBER(1, (scree_distribution_kind)SCREE_DISTRIBUTION_CYCLIC), NUMBER(2, 20.), POINTER(3, &outcome))               \
  X(GRAPH, STATUS, scree_graph_transpose, "! t", G, POINTER(1, &made))                                                 \
  X(GRAPH, STATUS, scree_graph_random_source, "! .. t", G, NUMBER(1, (uint64_t)1), POINTER(2, &min))                   \
  X(GRAPH, STATUS, scree_graph_traversed, "! t . t t", G, POINTER(1, reals), POINTER(2, NULL), POINTER(3, &min),       \
    POINTER(4, &max))                                                                                                  \
  X(NOWHERE, VOID, scree_graph_plan, ". .. ..", POINTER(0, &shape), NUMBER(1, (uint64_t)8), NUMBER(2, 1U))             \
  X(NOWHERE, VOID, scree_graph_relabel_plan, ". .. ..", POINTER(0, &shape), NUMBER(1, (uint64_t)8), NUMBER(2, 1U))     \
  X(GRAPH, STATUS, scree_graph_builder_begin, "! t t", GRAPHS, POINTER(1, &shape), POINTER(2, &builder))               \
  X(BUILD, VOID, scree_graph_builder_add, ". .t .t .t", POINTER(0, c->builder), NUMBER(1, (uint64_t)1),                \
    NUMBER(2, (uint64_t)1), NUMBER(3, 1.))                                                                             \
  X(BUILD, VOID, scree_graph_builder_add_many, ". .- .", POINTER(0, c->builder), NUMBER(1, (uint64_t)1),               \
    POINTER(2, &edge))                                                                                                 \
  X(BUILD, STATUS, scree_graph_builder_finish, "! t", POINTER(0, finished(c)), POINTER(1, &made))                      \
  X(NOWHERE, TRUTH, scree_graph_option_at, ".!", NUMBER(0, (size_t)0))                                                 \
  X(NOWHERE, STATUS, scree_graph_options_set, "! ! ! . ..", POINTER(0, &options), POINTER(1, "base"), POINTER(2, "1"), \
    POINTER(3, why), NUMBER(4, sizeof why))                                                                            \
  X(GRAPH, STATUS, scree_graph_load, "! t . t", GRAPHS, POINTER(1, "kron:4"), POINTER(2, &options), POINTER(3, &made)) \
  X(GRAPH, STATUS, scree_graph_estimate, "! t . t", GRAPHS, POINTER(1, "kron:4"), POINTER(2, &options),                \
    POINTER(3, &estimate))                                                                                             \
  X(NOWHERE, TRUTH, scree_image_ranks, "!", POINTER(0, path()))                                                        \
  X(NOWHERE, VOID, scree_graph_written_format, ". .", POINTER(0, path()), POINTER(1, &write_options))                  \
  X(NOWHERE, VOID, scree_graph_written_base, ". .", POINTER(0, path()), POINTER(1, &write_options))                    \
  X(GRAPH, STATUS, scree_graph_write, "! t -", G, POINTER(1, path()), POINTER(2, &write_options))                      \
  X(GRAPH, STATUS, scree_graph_lookup_double, "! t .- t t", G, POINTER(1, reals), NUMBER(2, (uint64_t)1),              \
    POINTER(3, vertices), POINTER(4, reals))                                                                           \
  X(GRAPH, STATUS, scree_graph_lookup_int64, "! t .- t t", G, POINTER(1, integers), NUMBER(2, (uint64_t)1),            \
    POINTER(3, vertices), POINTER(4, integers))                                                                        \
  X(GRAPH, STATUS, scree_graph_lookup_uint64, "! t .- t t", G, POINTER(1, vertices), NUMBER(2, (uint64_t)1),           \
    POINTER(3, vertices), POINTER(4, vertices))                                                                        \
  X(GRAPH, STATUS, scree_graph_gather_double, "! t .. t", G, POINTER(1, reals), NUMBER(2, 0U), POINTER(3, reals))      \
  X(GRAPH, STATUS, scree_graph_gather_int64, "! t .. t", G, POINTER(1, integers), NUMBER(2, 0U), POINTER(3, integers)) \
  X(GRAPH, STATUS, scree_graph_gather_uint64, "! t .. t", G, POINTER(1, vertices), NUMBER(2, 0U),                      \
    POINTER(3, vertices))                                                                                              \
  X(GRAPH, STATUS, scree_bfs_validate, "! .t t t t", G, NUMBER(1, (uint64_t)0), POINTER(2, c->answer.array[0]),        \
    POINTER(3, c->answer.array[1]), POINTER(4, &verdict))                                                              \
  X(GRAPH, STATUS, scree_sssp_validate, "! .t t t", G, NUMBER(1, (uint64_t)0), POINTER(2, reals),                      \
    POINTER(3, &verdict))                                                                                              \
  X(GRAPH, STATUS, scree_cc_validate, "! t t", G, POINTER(1, vertices), POINTER(2, &verdict))                          \
  X(GRAPH, STATUS, scree_pagerank_validate, "! t .. .. t", G, POINTER(1, reals), NUMBER(2, .85), NUMBER(3, 1e-6),      \
    POINTER(4, &verdict))                                                                                              \
  X(NOWHERE, TRUTH, scree_kernel_at, ".!", NUMBER(0, (size_t)0))                                                       \
  X(NOWHERE, TRUTH, scree_kernel_find, "!", POINTER(0, "bfs"))                                                         \
  X(NOWHERE, VOID, scree_kernel_passes, ". .", KERNEL, POINTER(1, &bfs_options))                                       \
  X(NOWHERE, TRUTH, scree_kernel_variant_at, "! .!", KERNEL, NUMBER(1, (size_t)0))                                     \
  X(NOWHERE, VOID, scree_kernel_plan, ". . . .. .. ..", KERNEL, POINTER(1, "dc"), POINTER(2, &shape),                  \
    NUMBER(3, (uint64_t)8), NUMBER(4, 1U), NUMBER(5, 1U))                                                              \
  X(NOWHERE, TRUTH, scree_kernel_variant_tuned, "! .!", KERNEL, NUMBER(1, (size_t)0))                                  \
  X(NOWHERE, TRUTH, scree_kernel_variant_progress, "! .!", KERNEL, NUMBER(1, (size_t)0))                               \
  X(NOWHERE, TRUTH, scree_kernel_option_at, "! .! .!", KERNEL, NUMBER(1, (size_t)0), NUMBER(2, (size_t)0))             \
  X(NOWHERE, TRUTH, scree_kernel_option_find, "! .. !", KERNEL, NUMBER(1, (size_t)0), POINTER(2, "alpha"))             \
  X(NOWHERE, VOID, scree_kernel_options_init, ". .", KERNEL, POINTER(1, &bfs_options))                                 \
  X(NOWHERE, STATUS, scree_kernel_options_set, "! ! ! ! . ..", KERNEL, POINTER(1, &bfs_options), POINTER(2, "alpha"),  \
    POINTER(3, "8"), POINTER(4, why), NUMBER(5, sizeof why))                                                           \
  X(GRAPH, STATUS, scree_solver_open, "! t t", GRAPHS, POINTER(1, bfs()), POINTER(2, &solver))                         \
  X(GRAPH, VOID, scree_solver_close, ".", SOLVER)                                                                      \
  X(GRAPH, VOID, scree_solver_expect, ". ..", SOLVER, NUMBER(1, (uint64_t)1))                                          \
  X(GRAPH, STATUS, scree_solver_run, "! t .t . t", SOLVER, POINTER(1, c->graph), NUMBER(2, (uint64_t)0),               \
    POINTER(3, &bfs_options), POINTER(4, &answer))                                                                     \
  X(GRAPH, STATUS, scree_solver_prepare, "! t .", SOLVER, POINTER(1, c->graph), POINTER(2, &bfs_options))              \
  X(GRAPH, STATUS, scree_solver_validate, "! t .t . t t", SOLVER, POINTER(1, c->graph), NUMBER(2, (uint64_t)0),        \
    POINTER(3, &bfs_options), POINTER(4, &c->answer), POINTER(5, &verdict))                                            \
  X(GRAPH, VOID, scree_answer_free, ".", POINTER(0, &c->answer))                                                       \
  X(NOWHERE, VOID, scree_generator_at, "..", NUMBER(0, (size_t)0))                                                     \
  X(NOWHERE, TRUTH, scree_generator_is_named, "!", POINTER(0, "kron:4"))                                               \
  X(NOWHERE, STATUS, scree_generated_parse, "! . .. !", POINTER(0, "kron:4"), POINTER(1, why), NUMBER(2, sizeof why),  \
    POINTER(3, &generated))                                                                                            \
  X(NOWHERE, VOID, scree_generated_free, ".", POINTER(0, generated))                                                   \
  X(NOWHERE, TRUTH, scree_generated_vertices, "!", POINTER(0, parsed()))                                               \
  X(NOWHERE, TRUTH, scree_generated_edges, "!", POINTER(0, parsed()))                                                  \
  X(NOWHERE, VOID, scree_generated_make, ". .- .- .", POINTER(0, parsed()), NUMBER(1, (uint64_t)0),                    \
    NUMBER(2, (uint64_t)1), POINTER(3, edges))

ROWS(NOTHING_FUNCTION)
static const nothing_row rows[] = {ROWS(NOTHING_ROW)};

int main(int argc, char **argv) {
  return nothing_main(argc, argv, rows, sizeof rows / sizeof *rows);
}
