/* sim_savings.c - options pruning and sums: an answer says where its rank looked, and why elsewhere than was asked for; each
 * place saves messages, and all give the same answer. */
#include <scree/algorithm.h>
#include <scree/bfs.h>
#include <scree/kernel.h>
#include <scree/pagerank.h>
#include <scree/scree_sim.h>
#include <scree/sssp.h>

#include "harness.h"

enum { TABLE, CACHE, OFF, WAYS };
static const char *const words[WAYS] = {"table", "cache", "off"};

typedef struct {
  const char *kernel, *variant;
  bool bits;    /* its table has one for each vertex, which takes little on any number of ranks here */
  double close; /* values of two answers may differ by that factor */
} subject;
static const subject subjects[] = {
    {"bfs", "level", true, 0}, {"bfs", "dc", false, 0}, {"sssp", "dc", false, 0}, {"pagerank", "push", false, 1e-9}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct {
  const char *spec;
  const char *in_force, *why; /* where a table is asked for; NULL: that table */
  bool pruning, sums;         /* who is tried */
} shape;

typedef union {
  scree_bfs_options bfs;
  scree_sssp_options sssp;
  scree_pagerank_options pagerank;
} options;

typedef struct {
  scree_graphs *graphs;
  scree_graph *graph;
  const scree_kernel *kernel;
  scree_solver *solver;
  uint64_t source;
} place;

static bool is_sums(const subject *s) {
  return strcmp(s->kernel, "pagerank") == 0;
}

static bool solve(place *p, const subject *s, uint64_t way, scree_answer *answer) {
  options how;
  scree_kernel_options_init(p->kernel, &how);
  ((scree_kernel_options *)&how)->algorithm = s->variant;
  if (is_sums(s))
    how.pagerank.sums = way;
  else if (strcmp(s->kernel, "bfs") == 0)
    how.bfs.pruning = way;
  else
    how.sssp.pruning = way;
  scree_status status = scree_solver_run(p->solver, p->graph, p->source, &how, answer);
  return check_text(status == SCREE_OK, "%s %s: %s", s->kernel, s->variant, scree_graphs_error(p->graphs));
}

/* Of levels, distances and ranks, as doubles. */
static double value(const subject *s, const scree_answer *a, uint64_t u) {
  return strcmp(s->kernel, "bfs") == 0 ? (double)((const int64_t *)a->array[0])[u] : ((const double *)a->array[0])[u];
}

static void same_answer(const subject *s, const scree_answer *a, const scree_answer *b) {
  for (uint64_t u = 0; u < a->locals; u++) {
    const double x = value(s, a, u), y = value(s, b, u);
    if (!check_text(x == y || (x - y <= s->close * x && y - x <= s->close * x), "%s %s: %.17g and %.17g", s->kernel,
                    s->variant, x, y))
      return;
  }
}

static void says(const subject *s, const scree_answer *a, const char *word, const char *why) {
  const char *said = is_sums(s) ? a->sums : a->pruning;
  check_string(said ? said : "nothing", word);
  check_text((is_sums(s) ? a->pruning : a->sums) == NULL, "%s says both", s->kernel);
  if (why)
    check_contains(a->saving_reason ? a->saving_reason : "nothing", why);
  else
    check_text(a->saving_reason == NULL, "%s %s by %s: %s", s->kernel, s->variant, word, a->saving_reason);
}

/* Where a table was asked for and another place is in force, that one's figures count. */
static void all_ways(place *p, const subject *s, const shape *of) {
  scree_answer a[WAYS];
  for (uint64_t way = TABLE; way < WAYS; way++)
    if (!solve(p, s, way, &a[way])) return;
  const bool other = of->in_force && !s->bits;
  says(s, &a[TABLE], other ? of->in_force : words[TABLE], other ? of->why : NULL);
  says(s, &a[CACHE], words[CACHE], NULL);
  says(s, &a[OFF], words[OFF], NULL);
  check_text(a[CACHE].work.sent < a[OFF].work.sent, "%s %s: a cache saves nothing", s->kernel, s->variant);
  const bool saves = !other || strcmp(of->in_force, words[OFF]) != 0;
  check_text(saves == (a[TABLE].work.sent < a[OFF].work.sent), "%s %s: a table, and sent", s->kernel, s->variant);
  check_text((a[CACHE].work.pruned > 0) == !is_sums(s) && a[OFF].work.pruned == 0, "%s %s: pruned", s->kernel,
             s->variant);
  same_answer(s, &a[OFF], &a[TABLE]);
  same_answer(s, &a[OFF], &a[CACHE]);
  for (uint64_t way = TABLE; way < WAYS; way++) scree_answer_free(&a[way]);
}

static void run(scree_world *world, void *arg) {
  const shape *of = arg;
  place p = {0};
  if (!check_equal(scree_graphs_open(world, &p.graphs), SCREE_OK)) return;
  check_equal(scree_graph_load(p.graphs, of->spec, NULL, &p.graph), SCREE_OK);
  check_equal(scree_graph_random_source(p.graph, 1, &p.source), SCREE_OK);
  for (size_t i = 0; i < SUBJECTS; i++) {
    if (!(is_sums(&subjects[i]) ? of->sums : of->pruning)) continue;
    p.kernel = scree_kernel_find(subjects[i].kernel);
    check_equal(scree_solver_open(p.graphs, p.kernel, &p.solver), SCREE_OK);
    all_ways(&p, &subjects[i], of);
    scree_solver_close(p.solver);
  }
  scree_graph_free(p.graph);
  scree_graphs_close(p.graphs);
}

static void on(uint32_t ranks, shape of) {
  scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = 2, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, run, &of, NULL), SCREE_OK);
}

static void as_asked(void **unused) {
  (void)unused;
  on(3, (shape){.spec = "kron:9", .pruning = true, .sums = true});
}

static void too_many_ranks(void **unused) {
  (void)unused;
  on(40, (shape){.spec = "uniform:512,8192", .in_force = "cache", .why = "too much memory", .pruning = true});
}

static void few_arcs(void **unused) {
  (void)unused;
  on(4, (shape){.spec = "kron:9,1", .in_force = "off", .why = "fewer arcs", .sums = true});
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(as_asked), cmocka_unit_test(too_many_ranks),
                                          cmocka_unit_test(few_arcs)};
HARNESS_MAIN(tests)
