/* sim_kernels.c - all kernels in the simulator, where no case is drawn: sim_property.c does that.
 *
 * Covered are many ranks, long paths, published answers, and the refused calls of each row. */
#include <scree/scree_sim.h>

#include <math.h>

#include "harness.h"
#include "kernels.h"
#include "published.h"

static void on(uint32_t ranks, uint32_t nodes, bool unperturbed, scree_sim_fn *fn, void *arg) {
  scree_sim_config config = {.seed = 7 * ranks + nodes,
                             .ranks = ranks,
                             .nodes = nodes,
                             .unperturbed = unperturbed,
                             .max_steps = UINT64_C(1) << 40};
  check_text(scree_sim_run(&config, NULL, fn, arg, NULL) == SCREE_OK, "%u ranks on %u nodes", ranks, nodes);
}

/* ---- rows ---- */

HARNESS_TEST(each_kernel_has_a_row) {
  size_t kernels = 0;
  for (; scree_kernel_at(kernels); kernels++)
    check_text(kernel_rows[kernel_row_find(scree_kernel_at(kernels)->name)] != NULL, "test/kernels has no row for %s",
               scree_kernel_at(kernels)->name);
  check(kernel_rows[kernels] == NULL);
}

/* ---- many ranks ---- */

static void run_pair(scree_world *world, void *arg) {
  kernel_layer layer;
  if (kernels_open(world, &layer)) kernels_run_pair(&layer, *(const uint64_t *)arg);
  kernels_close(&layer);
}

/* Over the simulated MPI, where it is linked, they take most of the time. */
void sim_mpi_deliver(void) __attribute__((weak));
static bool few(void) {
  return sim_mpi_deliver && !harness_full();
}

HARNESS_TEST(many_ranks) {
  const uint64_t seeds = harness_full() ? 3 : 1;
  for (uint64_t seed = 1; seed <= seeds && harness_failures() == 0; seed++) on(64, 8, true, run_pair, &seed);
}

/* ---- long paths, where variants have the most epochs or the longest queue, and the paths to a root are long ---- */

typedef struct {
  uint64_t n;
  uint32_t ranks;
  bool directed, one_epoch; /* directed: of components; one_epoch: only those variants that take one */
  const char *kernel;       /* this one alone; NULL */
  case_graph given;
  kernel_answers answers;
} long_path;

static bool runs_on(const long_path *p, size_t k, const char *variant) {
  if (p->kernel) return k == kernel_row_find(p->kernel);
  if (p->directed || !scree_kernel_find(kernel_rows[k]->name)->source) return p->directed && k == kernel_row_find("cc");
  return !p->one_epoch || strncmp(variant, "dc", 2) == 0 || strcmp(variant, "chaotic") == 0;
}

static void run_path(scree_world *world, void *arg) {
  long_path *p = arg;
  const scree_algorithm *a;
  case_verdict verdict = {0};
  kernel_layer layer;
  if (!kernels_open(world, &layer)) return;
  scree_graph *g = case_graph_build(layer.graphs, &p->given, 2);
  const kernel_try t = {.layer = &layer,
                        .graph = g,
                        .given = &p->given,
                        .source = p->given.source,
                        .draw = 2,
                        .expected = p->answers.value,
                        .defaults = true,
                        .verdict = &verdict};
  for (size_t k = 0; check(g != NULL) && kernel_rows[k]; k++)
    for (size_t i = 0; (a = scree_kernel_variant_at(scree_kernel_find(kernel_rows[k]->name), i)) != NULL; i++)
      if (runs_on(p, k, a->name)) kernels_try(&t, k, i);
  check_text(!verdict.wrong, "a path of %" PRIu64 " vertices, %u ranks: %s", p->n, p->ranks, verdict.text);
  scree_graph_free(g);
  kernels_close(&layer);
}

/* An epoch of two ranks of the simulator takes 20 us: 10^5 of them are for the whole product; one rank of simulated MPI
 * that sends nothing for 10^6 steps counts as hung. Directed ones are
 * distributed so that no arc stays on a rank. */
HARNESS_TEST(long_paths) {
  long_path cases[] = {{.n = 12000, .ranks = 1},
                       {.n = 60000, .ranks = 2, .one_epoch = !harness_full()},
                       {.n = 5000, .ranks = 2},
                       {.n = 2000, .ranks = 2, .directed = true},
                       {.n = 2000, .ranks = 5, .directed = true},
                       {.n = 2000, .ranks = 7, .directed = true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    long_path *p = &cases[i];
    p->given.shape = (scree_graph_shape){.n = p->n, .directed = p->directed};
    if (p->directed) p->given.shape.distribution = SCREE_DISTRIBUTION_CYCLIC;
    p->given.source = 40;
    for (uint64_t v = 1; v < p->n; v++) case_graph_add(&p->given, v - 1, v, 1);
    if (check(kernels_solve(&p->given, &p->answers))) on(p->ranks, 1 + p->ranks / 3, !p->directed, run_path, p);
    kernels_forget(&p->answers);
    case_graph_free(&p->given);
  }
}

/* ---- more colours than one search of a free one finds ---- */

HARNESS_TEST(many_colours) {
  long_path p = {.n = 530, .kernel = "colour", .given.shape.n = 530};
  for (uint64_t v = 1; v < p.n; v++)
    for (uint64_t u = 0; u < v; u++) case_graph_add(&p.given, u, v, 1);
  if (check(kernels_solve(&p.given, &p.answers))) on(3, 2, true, run_path, &p);
  kernels_forget(&p.answers);
  case_graph_free(&p.given);
}

/* ---- about as many colours as a serial loop by degree has ---- */

static void run_few_colours(scree_world *world, void *unused) {
  const scree_kernel *kernel = scree_kernel_find("colour");
  const scree_algorithm *a;
  scree_graph *g = NULL;
  kernel_layer layer;
  serial_csr csr;
  serial_scratch scratch = {0};
  scree_reduce serial = SCREE_REDUCE_INIT;
  if (!kernels_open(world, &layer)) return;
  check_equal(scree_graph_load(layer.graphs, "kron:12", NULL, &g), SCREE_OK);
  if (!check(g != NULL) || !check_equal(serial_csr_gather(g, &csr), SCREE_OK)) return;
  uint32_t *colour = calloc(csr.n + 1, sizeof *colour);
  if (csr.n && check(colour && serial_scratch_open(&scratch, &csr) && serial_largest_first(&csr, &scratch, colour)))
    for (uint64_t v = 0; v < csr.n; v++) serial.max = colour[v] + 1 > serial.max ? colour[v] + 1 : serial.max;
  check_equal(scree_graphs_reduce(layer.graphs, &serial), SCREE_OK);
  for (size_t i = 0; (a = scree_kernel_variant_at(kernel, i)) != NULL; i++) {
    const scree_kernel_options how = {.size = sizeof how, .algorithm = a->name};
    scree_answer answer = {0};
    check_equal(scree_solver_run(layer.solver[kernel_row_find("colour")], g, 0, &how, &answer), SCREE_OK);
    check_text(answer.figure[0] <= 1.1 * (double)serial.max, "%s: %g colours, the serial loop %" PRIu64, a->name,
               answer.figure[0], serial.max);
    scree_answer_free(&answer);
  }
  serial_scratch_close(&scratch);
  serial_csr_free(&csr);
  free(colour);
  scree_graph_free(g);
  kernels_close(&layer);
}

HARNESS_TEST(few_colours) {
  on(3, 2, true, run_few_colours, NULL);
}

/* ---- distances at the edge of what a double holds exactly: 2^21 arcs of 2^32 - 1 are 2^53 - 2^21 ---- */

static void run_exact(scree_world *world, void *unused) {
  const uint64_t n = 2097154;
  const scree_graph_shape shape = {.n = n, .weight = SCREE_WEIGHT_UINT32, .directed = true};
  const scree_kernel_options how = {.size = sizeof how, .algorithm = "dc"};
  kernel_layer layer;
  if (!kernels_open(world, &layer)) return;
  for (uint64_t over = 0; over < 2; over++) {
    scree_graph_builder *builder;
    scree_graph *g = NULL;
    scree_answer answer = {0};
    check_equal(scree_graph_builder_begin(layer.graphs, &shape, &builder), SCREE_OK);
    for (uint64_t v = 1; v < n; v++)
      scree_graph_builder_add(builder, v - 1, v, v + 1 < n ? 4294967295.0 : (double)((UINT64_C(1) << 21) - 1 + over));
    if (!check_equal(scree_graph_builder_finish(builder, &g), SCREE_OK)) break;
    check_equal(scree_solver_run(layer.solver[kernel_row_find("sssp")], g, 0, &how, &answer),
                over ? SCREE_EINVAL : SCREE_OK);
    if (over)
      check_contains(scree_graphs_error(layer.graphs), "exact below 2^53");
    else
      check(answer.array[0] && ((const double *)answer.array[0])[n - 1] == 9007199254740991.0);
    scree_answer_free(&answer);
    scree_graph_free(g);
  }
  kernels_close(&layer);
}

HARNESS_TEST(exact_integers) {
  on(1, 1, true, run_exact, NULL);
}

/* ---- distances beyond the largest double: 0 - 1 - 2 by arcs of 1e308, 0 - 3 - 2 too if `short_one` is small ---- */

static scree_graph *build_far(scree_graphs *graphs, double short_one) {
  const scree_graph_shape shape = {.n = 5, .weight = SCREE_WEIGHT_DOUBLE, .directed = true};
  scree_graph_builder *builder;
  scree_graph *g = NULL;
  if (scree_graph_builder_begin(graphs, &shape, &builder) != SCREE_OK) return NULL;
  scree_graph_builder_add(builder, 0, 1, 1e308);
  scree_graph_builder_add(builder, 1, 2, 1e308);
  scree_graph_builder_add(builder, 0, 3, short_one);
  scree_graph_builder_add(builder, 3, 2, 1e308);
  scree_graph_builder_add(builder, 2, 3, 1e308);
  check_equal(scree_graph_builder_finish(builder, &g), SCREE_OK);
  return g;
}

/* What a caller's own program would give, which does not see the overflow. */
static void check_verdict(const scree_graph *g) {
  const double distance[] = {0, 1e308, (double)INFINITY, 1e308, (double)INFINITY};
  double mine[5];
  scree_verdict verdict;
  for (uint64_t u = 0; u < g->locals; u++)
    mine[u] = distance[scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u))];
  check_equal(scree_sssp_validate(g, 0, mine, &verdict), SCREE_OK);
  check(!verdict.valid);
  check_contains(verdict.text, "rule 4, vertex 2: found distance inf, expected it to be reached");
}

static void run_far(scree_world *world, void *unused) {
  const scree_algorithm *a;
  kernel_layer layer;
  if (!kernels_open(world, &layer)) return;
  for (size_t far = 0; far < 2; far++) {
    scree_graph *g = build_far(layer.graphs, far ? 1e308 : 1);
    const size_t row = kernel_row_find("sssp");
    for (size_t i = 0; g && (a = scree_kernel_variant_at(scree_kernel_find("sssp"), i)) != NULL; i++) {
      const scree_kernel_options how = {.size = sizeof how, .algorithm = a->name};
      scree_answer answer = {0};
      const scree_status status = scree_solver_run(layer.solver[row], g, 0, &how, &answer);
      check_text(status == (far ? SCREE_EINVAL : SCREE_OK), "%s: %s", a->name, scree_graphs_error(layer.graphs));
      if (far) check_contains(scree_graphs_error(layer.graphs), "the distance of vertex 2 exceeds the largest double");
      scree_answer_free(&answer);
    }
    if (far && g) check_verdict(g);
    scree_graph_free(g);
  }
  kernels_close(&layer);
}

HARNESS_TEST(distances_beyond_doubles) {
  for (uint32_t ranks = 1; ranks <= 3; ranks++) on(ranks, ranks, true, run_far, NULL);
}

/* ---- published answers; over real MPI mpi_kernels.c compares them ---- */

static void play_published(scree_world *world, void *unused) {
  published_run(world);
}

HARNESS_TEST(published) {
  static const uint32_t ranks[] = {3, 1, 2, 4, 5, 7, 16, 64}; /* the first in each run, all under --full */
  const char *missing = published_find();
  if (missing) harness_skip(missing);
  if (few()) harness_skip("over real MPI mpi_kernels plays them");
  for (size_t i = 0; i < (harness_full() ? sizeof ranks / sizeof *ranks : 1); i++)
    on(ranks[i], (ranks[i] + 1) / 2, ranks[i] > 16, play_published, NULL);
}

/* ---- calls that are refused ---- */

typedef struct {
  kernel_layer layer;
  scree_graph *graph; /* 0 -> 1, of length 2; 2 is alone */
  const scree_kernel *kernel;
  scree_solver *solver;
} place;

static void refused(const place *p, uint64_t source, const void *how, const char *text) {
  scree_answer answer = {0};
  check_equal(scree_solver_run(p->solver, p->graph, source, how, &answer), SCREE_EINVAL);
  check(answer.array[0] == NULL);
  const char *said = scree_graphs_error(p->layer.graphs);
  check_text(strstr(said, text) != NULL, "%s: '%s' does not contain '%s'", p->kernel->name, said, text);
}

static scree_kernel_options *start(const place *p, void *how, const char *variant) {
  scree_kernel_options_init(p->kernel, how);
  ((scree_kernel_options *)how)->algorithm = variant;
  return how;
}

/* Past the parser, which would refuse it. */
static void set_field(const place *p, void *how, const char *option, double value) {
  const scree_option *row = &scree_kernel_option_find(p->kernel, SIZE_MAX, option)->row;
  const uint64_t whole = (uint64_t)value;
  memcpy((char *)how + row->offset, row->kind == SCREE_KIND_REAL ? (const void *)&value : &whole, sizeof whole);
}

/* A structure of options as of a program that was compiled with another release. */
static void other_sizes(const place *p) {
  _Alignas(scree_kernel_options) char how[512];
  const char *variant = scree_kernel_variant_at(p->kernel, 0)->name;
  const uint64_t later[] = {1, SCREE_UNSET};
  scree_answer answer = {0};
  start(p, how, variant)->size = 0;
  refused(p, 0, how, "size is 0");
  start(p, how, "drag");
  refused(p, 0, how, "algorithm 'drag' is unknown; known are: ");
  for (size_t i = 0; scree_kernel_variant_at(p->kernel, i); i++)
    refused(p, 0, how, scree_kernel_variant_at(p->kernel, i)->name);
  for (int i = 0; i < 2; i++) {
    start(p, how, variant)->size += sizeof *later;
    memcpy(how + p->kernel->options_size, &later[i], sizeof *later);
    if (i == 0) refused(p, 0, how, p->kernel->options_name);
  }
  check_equal(scree_solver_run(p->solver, p->graph, 0, how, &answer), SCREE_OK);
  scree_answer_free(&answer);
  start(p, how, variant)->size = offsetof(scree_kernel_options, watch);
  check_equal(scree_solver_run(p->solver, p->graph, 0, how, &answer), SCREE_OK);
  scree_answer_free(&answer);
}

static void count_calls(const scree_work *work, void *arg) {
  check(work->epochs == 1);
  ++*(int *)arg;
}

/* The last row is the kernel of CONTRIBUTING.md, which has one epoch. */
static void watched(const place *p) {
  int calls = 0;
  scree_kernel_options how;
  scree_answer answer = {0};
  start(p, &how, "messages")->watch = (scree_watch){count_calls, &calls};
  check_equal(scree_solver_run(p->solver, p->graph, 0, &how, &answer), SCREE_OK);
  check_equal(calls, 1);
  check_equal(answer.work.bytes, 4 * answer.work.messages);
  scree_answer_free(&answer);
}

static void read_badly(const place *p) {
  const scree_graph *g = p->graph;
  double values[3] = {1, 2, 3}, out[3];
  const uint64_t beyond[] = {0, 3};
  const uint64_t count = scree_graph_rank(g) == 0 ? 2 : 0;
  check_equal(scree_graph_lookup_double(g, values, count, beyond, out), SCREE_EINVAL);
  check_contains(scree_graphs_error(g->graphs), "rank 0: entry 1 of a lookup is vertex 3; legal: 0 to 2");
  check_equal(scree_graph_gather_double(g, values, 99, out), SCREE_EINVAL);
  check_contains(scree_graphs_error(g->graphs), "a gather goes to rank 99; legal: 0 to ");
  check_equal(scree_graph_gather_double(g, values, 0, NULL), SCREE_EINVAL);
  check_contains(scree_graphs_error(g->graphs), "rank 0: a gather has no array to go to; give one of 3 values");
  for (uint64_t u = 0; u < g->locals; u++)
    values[u] = 0.5 + (double)scree_graph_vertex(g, scree_location_make(scree_graph_rank(g), u));
  check_equal(scree_graph_gather_double(g, values, 0, scree_graph_rank(g) == 0 ? out : NULL), SCREE_OK);
  if (scree_graph_rank(g) == 0) check(out[0] == 0.5 && out[1] == 1.5 && out[2] == 2.5);
}

static void refuse(place *p) {
  scree_solver *none = NULL;
  for (size_t k = 0; kernel_rows[k]; k++) {
    _Alignas(scree_kernel_options) char how[512];
    p->kernel = scree_kernel_find(kernel_rows[k]->name);
    p->solver = p->layer.solver[k];
    other_sizes(p);
    if (p->kernel->source) refused(p, 3, NULL, "the source is vertex 3; legal: 0 to 2");
    for (size_t i = 0; i < REFUSALS_MAX && kernel_rows[k]->refused[i].text; i++) {
      set_field(p, start(p, how, kernel_rows[k]->refused[i].variant), kernel_rows[k]->refused[i].option,
                kernel_rows[k]->refused[i].value);
      refused(p, 0, how, kernel_rows[k]->refused[i].text);
    }
  }
  watched(p);
  read_badly(p);
  check_equal(scree_solver_open(p->layer.graphs, scree_kernel_find("dfs"), &none), SCREE_EINVAL);
  check_contains(scree_graphs_error(p->layer.graphs), "the kernel is NULL");
}

static void play_refused(scree_world *world, void *given) {
  place p = {.graph = NULL};
  if (kernels_open(world, &p.layer) && check((p.graph = case_graph_build(p.layer.graphs, given, 2)) != NULL))
    refuse(&p);
  scree_graph_free(p.graph);
  kernels_close(&p.layer);
}

HARNESS_TEST(refused_calls) {
  case_graph given = {.shape = {.n = 3, .weight = SCREE_WEIGHT_UINT32}};
  case_graph_add(&given, 0, 1, 2);
  for (uint32_t ranks = 1; ranks <= 4; ranks++) on(ranks, 1, false, play_refused, &given);
  case_graph_free(&given);
}

HARNESS_MAIN
