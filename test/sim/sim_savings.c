/* sim_savings.c - options pruning and sums: an answer states which place its rank used, and why another one than was
 * requested; each place saves messages. sim_property compares the answers. */
#include <scree/kernel.h>
#include <scree/scree_sim.h>

#include "harness.h"

enum { TABLE, CACHE, OFF, WAYS };
static const char *const words[WAYS] = {"table", "cache", "off"};

typedef struct {
  const char *kernel, *variant, *option;
  bool bits; /* its table has one for each vertex, which takes little on any number of ranks here */
} subject;
static const subject subjects[] = {{"bfs", "level", "pruning", true},
                                   {"bfs", "dc", "pruning", false},
                                   {"sssp", "dc", "pruning", false},
                                   {"pagerank", "push", "sums", false}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct {
  const char *spec;
  const char *in_force, *why; /* where a table is requested; NULL: that table */
  const char *option;         /* that is tried; NULL: both */
} shape;

static void says(const subject *s, const scree_answer *a, const char *word, const char *why) {
  const bool sums = strcmp(s->option, "sums") == 0;
  const char *said = sums ? a->sums : a->pruning;
  check_string(said ? said : "nothing", word);
  check_text((sums ? a->pruning : a->sums) == NULL, "%s says both", s->kernel);
  if (why)
    check_contains(a->saving_reason ? a->saving_reason : "nothing", why);
  else
    check_text(a->saving_reason == NULL, "%s %s by %s: %s", s->kernel, s->variant, word, a->saving_reason);
}

static bool solve(scree_solver *solver, const scree_graph *g, const subject *s, const char *word,
                  scree_answer *answer) {
  const scree_kernel *kernel = scree_kernel_find(s->kernel);
  _Alignas(scree_kernel_options) char how[512];
  char why[200];
  uint64_t source;
  scree_kernel_options_init(kernel, how);
  ((scree_kernel_options *)how)->algorithm = s->variant;
  return check_equal(scree_kernel_options_set(kernel, how, s->option, word, why, sizeof why), 0) &&
         check_equal(scree_graph_random_source(g, 1, &source), SCREE_OK) &&
         check_equal(scree_solver_run(solver, g, source, how, answer), SCREE_OK);
}

/* Where a table was requested and another place is in force, that one's figures count. */
static void all_ways(scree_solver *solver, const scree_graph *g, const subject *s, const shape *of) {
  scree_answer a[WAYS];
  for (uint64_t way = TABLE; way < WAYS; way++)
    if (!solve(solver, g, s, words[way], &a[way])) return;
  const bool other = of->in_force && !s->bits, sums = strcmp(s->option, "sums") == 0;
  says(s, &a[TABLE], other ? of->in_force : words[TABLE], other ? of->why : NULL);
  says(s, &a[CACHE], words[CACHE], NULL);
  says(s, &a[OFF], words[OFF], NULL);
  check_text(a[CACHE].work.messages < a[OFF].work.messages, "%s %s: a cache saves nothing", s->kernel, s->variant);
  const bool saves = !other || strcmp(of->in_force, words[OFF]) != 0;
  check_text(saves == (a[TABLE].work.messages < a[OFF].work.messages), "%s %s: a table, and sent", s->kernel,
             s->variant);
  check_text((a[CACHE].work.pruned > 0) == !sums && a[OFF].work.pruned == 0, "%s %s: pruned", s->kernel, s->variant);
  for (uint64_t way = TABLE; way < WAYS; way++) scree_answer_free(&a[way]);
}

static void run(scree_world *world, void *arg) {
  const shape *of = arg;
  scree_graphs *graphs = NULL;
  scree_graph *g = NULL;
  check_equal(scree_graphs_open(world, &graphs), SCREE_OK);
  check_equal(scree_graph_load(graphs, of->spec, NULL, &g), SCREE_OK);
  for (size_t i = 0; i < SUBJECTS; i++) {
    scree_solver *solver;
    if (of->option && strcmp(of->option, subjects[i].option) != 0) continue;
    check_equal(scree_solver_open(graphs, scree_kernel_find(subjects[i].kernel), &solver), SCREE_OK);
    all_ways(solver, g, &subjects[i], of);
    scree_solver_close(solver);
  }
  scree_graph_free(g);
  scree_graphs_close(graphs);
}

static void on(uint32_t ranks, shape of) {
  scree_sim_config config = {.seed = 1, .ranks = ranks, .nodes = 2, .unperturbed = true};
  check_equal(scree_sim_run(&config, NULL, run, &of, NULL), SCREE_OK);
}

HARNESS_TEST(as_asked) {
  on(3, (shape){.spec = "kron:9"});
}
HARNESS_TEST(too_many_ranks) {
  on(40, (shape){"uniform:512,8192", "cache", "too much memory", "pruning"});
}
HARNESS_TEST(few_arcs) {
  on(4, (shape){"kron:9,1", "off", "fewer arcs", "sums"});
}

HARNESS_MAIN
