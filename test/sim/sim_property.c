/* sim_property.c - drawn cases for all variants of all kernels, seed by seed, in the simulator; and one large graph,
 * for a mode of BFS that no small one uses.
 *
 * SCREE_TEST_SEED=N runs that case alone (with SCREE_TEST_VERBOSE=1 a
 * hang shows its report); SCREE_TEST_SEEDS=N changes their number. What a case is, is in kernels/drawn.h. */
#include <signal.h>
#include <unistd.h>

#include "capture.h"
#include "drawn.h"
#include "harness.h"
#include "harness_watchdog.h"

enum { SEEDS = 40, SEEDS_FULL = 6000, LEVELS_IN = 10 /* seeds */ };

/* Over the simulated MPI, where it is linked, the program runs rarely, and takes more of them. */
void sim_mpi_deliver(void) __attribute__((weak));
static uint64_t count_seeds(void) {
  return getenv("SCREE_TEST_SEED") ? 1 : harness_seeds(sim_mpi_deliver ? 2 * SEEDS : SEEDS, SEEDS_FULL);
}

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* How to run the case again, for every possible end. */
static char replay[200];
static const char *program = "sim_property";

static void crashed(int signal_number) {
  (void)!write(STDERR_FILENO, "\ncrashed; to replay: ", 21);
  (void)!write(STDERR_FILENO, replay, strlen(replay));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void watch(uint64_t seed) {
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  snprintf(replay, sizeof replay, "SCREE_TEST_SEED=%" PRIu64 " %s", seed, program);
  harness__watch(replay);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], crashed);
}

static bool run_seed(uint64_t seed, drawn_case *c, drawn_outcome *outcome) {
  watch(seed);
  drawn_draw(c, seed);
  if (drawn_play(c, outcome)) return true;
  check_text(false, "%s; to replay: %s", outcome->verdict.text, replay);
  fprintf(stderr, "%" PRIu64 " edges on %" PRIu32 " ranks; making it smaller ...\n", c->given.m, c->sim.ranks);
  drawn_shrink(c, outcome);
  drawn_print(c, outcome, stderr);
  return false;
}

HARNESS_TEST(drawn_cases) {
  uint64_t first = number("SCREE_TEST_SEED", 1), runs = 0, steps = 0, max = 0, laws[CASE_LAWS] = {0};
  const uint64_t seeds = count_seeds();
  drawn_case c = {.law = DRAWN_NO_LAW};
  drawn_outcome outcome;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    if (!run_seed(seed, &c, &outcome)) break;
    runs += outcome.runs / c.sim.ranks;
    steps += outcome.steps;
    if (outcome.steps > max) max = outcome.steps;
    laws[c.law] += outcome.law_applied;
  }
  case_graph_free(&c.given);
  printf("%" PRIu64 " cases, %" PRIu64 " runs of variants, %" PRIu64 " steps, at most %" PRIu64 " in a case\n", seeds,
         runs, steps, max);
  check(runs > 0 || harness_failures());
  for (size_t i = 0; seeds >= SEEDS && harness_failures() == 0 && i < CASE_LAWS; i++)
    check_text(laws[i] > 0, "no case for the law: %s", case_law_name(i));
}

/* ---- BFS `direction` on a path, a tube, and another path ----
 *
 * The levels of a path hold one vertex, so many of them are processed in one epoch (algorithms/bfs/far.c); those of the
 * tube hold so many that each is processed alone again. No small graph does that: a level of the tube has as many
 * vertices as a step is to hold, and the tube as many levels as it takes to make steps short. The messages that were
 * sent show which mode was used. */

enum { PATH = 10, LEVELS = 20, RANKS = 3, WIDTH = 1500 * RANKS, END = 12 };

typedef struct {
  case_graph given;
  kernel_answers answers;
  case_verdict verdict;
  uint64_t by_level, far; /* messages, of all ranks */
} tube;

/* Between each vertex and one or two of the next level; each of that has one. */
static void add_levels(case_graph *c) {
  c->shape = (scree_graph_shape){.n = 1, .distribution = SCREE_DISTRIBUTION_CYCLIC};
  for (uint64_t level = 1, from = 0, count = 1; level < PATH + LEVELS + END; level++) {
    const uint64_t to = c->shape.n, size = level >= PATH && level < PATH + LEVELS ? WIDTH : 1;
    for (uint64_t i = 0; i < (count > size ? count : size); i++) {
      case_graph_add(c, from + i % count, to + i % size, 1);
      if (count == size && size > 1) case_graph_add(c, from + i, to + (i + 7) % size, 1);
    }
    c->shape.n += size;
    from = to;
    count = size;
  }
}

/* Messages of this type that this rank has sent, according to its report. */
static uint64_t sent(const scree_world *world, const char *type) {
  char *text = capture_report(world), line[80];
  snprintf(line, sizeof line, "type '%s': sent ", type);
  const char *at = strstr(text, line);
  const uint64_t count = at ? strtoull(at + strlen(line), NULL, 10) : 0;
  free(text);
  return count;
}

static void cross(scree_world *world, void *arg) {
  tube *t = arg;
  kernel_layer layer;
  if (!kernels_open(world, &layer)) return;
  scree_graph *g = case_graph_build(layer.graphs, &t->given, 2);
  const kernel_try run = {.layer = &layer,
                          .graph = g,
                          .given = &t->given,
                          .expected = t->answers.value,
                          .draw = 2,
                          .defaults = true,
                          .verdict = &t->verdict};
  if (g) kernels_try(&run, kernel_row_find("bfs"), 0);
  scree_graph_free(g);
  t->by_level += sent(world, "bfs.direction");
  t->far += sent(world, "bfs.direction.reach");
  kernels_close(&layer);
}

HARNESS_TEST(levels_are_left_and_met_again) {
  const uint64_t first = number("SCREE_TEST_SEED", 1), seeds = (count_seeds() + LEVELS_IN - 1) / LEVELS_IN;
  for (uint64_t seed = first; seed < first + seeds && harness_failures() == 0; seed++) {
    scree_sim_config config = {.seed = seed, .ranks = RANKS, .nodes = 1 + (uint32_t)(seed / 2 % 2), .quiet = true};
    tube t = {.by_level = 0};
    watch(seed);
    add_levels(&t.given);
    if (!check(kernels_solve(&t.given, &t.answers))) break;
    const scree_status status = scree_sim_run(&config, NULL, cross, &t, NULL);
    if (status) case_wrong(&t.verdict, "direction: %s", status == SCREE_EPEER ? "hung" : scree_status_text(status));
    if (t.far < WIDTH) case_wrong(&t.verdict, "it did not leave the levels: %" PRIu64 " messages", t.far);
    if (t.by_level < WIDTH) case_wrong(&t.verdict, "it did not come back to them: %" PRIu64 " messages", t.by_level);
    check_text(!t.verdict.wrong, "%s; to replay: %s", t.verdict.text, replay);
    kernels_forget(&t.answers);
    case_graph_free(&t.given);
  }
}

int main(int argc, char **argv) {
  program = argv[0];
  return harness__main(argc, argv);
}
