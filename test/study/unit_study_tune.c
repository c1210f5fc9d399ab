/* unit_study_tune.c - tune: cost of the rungs, candidates drawn, what counts as the default. */
#include "study/tune/tune.h"

#include "args/args.h"
#include "harness.h"

static char why[1024];

/* ---- rungs ---- */

HARNESS_TEST(test_rungs) {
  const tune_cost cost = {.overhead = 1, .solve = 0.5, .check = 2, .first = 2, .max = 10};
  check_equal(tune_sources(&cost, 1), 2);
  check_equal(tune_sources(&cost, 2), 6);
  check_equal(tune_sources(&cost, 3), 10);
  check_equal(tune_sources(&cost, 30), 10);
  check_equal(tune_jobs(&cost, 1), 1);
  check_equal(tune_jobs(&cost, 2), 1);
  check_equal(tune_jobs(&cost, 3), 2); /* 18 sources by jobs of 10 */
  check_equal(tune_jobs(&cost, 30), TUNE_ROUNDS);
  check_equal(tune_next(9), 3);
  check_equal(tune_next(10), 4);
}

HARNESS_TEST(test_seconds) {
  const tune_cost cost = {.overhead = 1, .solve = 0.5, .check = 2, .first = 2, .max = 100};
  /* 9 and the default with 2 sources: 10 jobs of 2 s; 3 validated; 3 and the default, 3 rounds of 6 sources: 4 s */
  check(tune_race_seconds(&cost, 9) == 10 * 2 + 3 * 2 + 4 * 3 * 4);
  check(tune_race_seconds(&cost, 3) == 3 * 2 + 4 * 3 * 2); /* the last rung alone */
  check_equal(tune_size(&cost, 74, 9), 9);
  check(tune_size(&cost, 73.9, 9) < 9);
  check_equal(tune_size(&cost, 1e9, 243), 243);
  check_equal(tune_size(&cost, 1, 243), 0);
  for (double seconds = 10; seconds < 2000; seconds *= 1.3) {
    size_t n = tune_size(&cost, seconds, 243);
    check_text(n == 0 || tune_race_seconds(&cost, n) <= seconds, "%zu candidates in %g s", n, seconds);
  }
}

/* ---- drawing ---- */

static study_plan *plan_of(const char *text) {
  study_source source = {.file = text, .file_name = "test"};
  study_plan *plan = study_plan_make(&source, why, sizeof why);
  check_text(plan != NULL, "%s", why);
  return plan;
}

/* How often the first n draws have the value. */
static size_t times(const study_plan *plan, const size_t *draws, size_t n, const char *axis, const char *value) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    const char *text = study_value(&plan->configurations[draws[i]], axis);
    count += text && strcmp(text, value) == 0;
  }
  return count;
}

enum { DRAWS = 60 };

HARNESS_TEST(test_cover) {
  study_plan *plan = plan_of("a = 1, 2, 3, 4\nb = p, q\nc = x, y, z if a = 1\nd = 1, 2, 3, 4, 5, 6\ne = 1, 2, 3\n");
  size_t draws[DRAWS];
  bool *seen = plan ? calloc(plan->count, sizeof *seen) : NULL;
  tune_cover *cover = seen ? tune_cover_open(plan, 1) : NULL;
  for (size_t i = 0; cover && i < DRAWS; i++) {
    draws[i] = tune_cover_next(cover);
    if (!check(draws[i] < plan->count)) break;
    check(!seen[draws[i]]);
    seen[draws[i]] = true;
  }
  for (size_t a = 0; cover && a < plan->axis_count; a++)
    for (size_t v = 0; v < plan->axes[a].count && strcmp(plan->axes[a].name, "c"); v++) {
      size_t n = times(plan, draws, DRAWS, plan->axes[a].name, plan->axes[a].values[v]);
      double even = (double)DRAWS / (double)plan->axes[a].count;
      check_text((double)n > 0.7 * even && (double)n < 1.3 * even, "%s = %s: %zu times, %g would be even",
                 plan->axes[a].name, plan->axes[a].values[v], n, even);
    }
  for (const char *v = "xyz"; cover && *v; v++) check(times(plan, draws, DRAWS, "c", (char[]){*v, 0}) >= 3);
  tune_cover_close(cover);
  free(seen);
  study_plan_free(plan);
}

HARNESS_TEST(test_cover_all) {
  study_plan *plan = plan_of("a = 1, 2, 3\nb = 1, 2\n");
  tune_cover *cover = plan ? tune_cover_open(plan, 1) : NULL;
  for (size_t i = 0; cover && i < 6; i++) check(tune_cover_next(cover) < 6);
  if (cover) check(tune_cover_next(cover) == SIZE_MAX);
  tune_cover_close(cover);
  study_plan_free(plan);
}

/* ---- the space of each kernel ---- */

HARNESS_TEST(test_space) {
  static const char *const kernels[] = {"kernel=sssp", "kernel=bfs", "kernel=cc", "kernel=pagerank"};
  for (size_t k = 0; k < 4; k++) {
    study_request request = {.axes = {kernels[k], "graph=kron:6", "ranks=2"}, .axis_count = 3};
    tune_space space;
    bool good = tune_space_open(&space, &request, why, sizeof why) == 0 &&
                tune_space_find(&space, 0.125, why, sizeof why) == 0 &&
                tune_space_draw(&space, DRAWS, why, sizeof why) == 0;
    check_text(good, "%s: %s", kernels[k], why);
    check_equal(space.illegal, 0);
    check(space.count == DRAWS + 1 && space.candidates[0].count == 0);
    for (size_t i = 1; i < space.count; i++) check(space.candidates[i].count > 0);
    tune_space_close(&space);
  }
}

/* Values that all combinations refuse are errors; combinations alone are passed over. */
HARNESS_TEST(test_illegal) {
  study_request some = {.axes = {"kernel=sssp", "graph=kron:6", "algorithm=dc,delta", "queue=buckets,dary"},
                        .axis_count = 4},
                bad = {.axes = {"kernel=sssp", "graph=kron:6", "queue=dary,heap", "algorithm=dc"}, .axis_count = 4};
  tune_space space;
  bool good = tune_space_open(&space, &some, why, sizeof why) == 0 && tune_space_find(&space, 0, why, sizeof why) == 0;
  check_text(good && tune_space_draw(&space, 10, why, sizeof why) == 0, "%s", why);
  check_equal(space.illegal, 1); /* delta with a queue */
  check_equal(space.count, 4);   /* the default, dc, delta, dc with dary */
  tune_space_close(&space);
  good = tune_space_open(&space, &bad, why, sizeof why) == 0 && tune_space_find(&space, 0, why, sizeof why) == 0;
  check_text(good, "%s", why);
  check(tune_space_draw(&space, 10, why, sizeof why) == -1);
  check_contains(why, "option '--queue': 'heap' is not legal; legal: buckets, dary");
  tune_space_close(&space);
}

/* ---- the command line that uses what was found ---- */

static void check_command(const char *launcher, const study_setting *fixed, size_t count, const char *expected) {
  study_setting list[8];
  memcpy(list, fixed, count * sizeof *list);
  tune *t = calloc(1, sizeof *t);
  if (!check(t != NULL)) return;
  *t = (tune){.space = {.kernel = "sssp", .fixed = list, .fixed_count = count}, .terms = {.launcher = launcher}};
  const tune_candidate winner = {.settings = (study_setting[]){{"ranks", "4"}}, .count = launcher != NULL};
  char *text = tune_command(t, &winner, "my file");
  check_string(text, expected);
  free(text);
  free(t);
}

HARNESS_TEST(test_command) {
  const study_setting all[] = {{"kernel", "sssp"},   {"scale", "9"},       {"ranks", "3"},      {"bind", "none"},
                               {"algorithm", "kla"}, {"no-pruning", "on"}, {"validate", "off"}, {"huge-pages", "off"}};
  const study_setting one[] = {{"graph", "it's.gr"}, {"ranks", "1"}};
  check_command(NULL, all, 8,
                "mpirun -n 3 scree sssp kron:9 --algorithm kla --no-pruning --huge-pages off --options 'my file'");
  check_command(NULL, one, 2, "scree sssp 'it'\\''s.gr' --options 'my file'");
  check_command(NULL, one, 1, "mpirun -n 2 scree sssp 'it'\\''s.gr' --options 'my file'");
  check_command("srun -n {ranks} -c 1", one, 2, "srun -n 4 -c 1 scree sssp 'it'\\''s.gr' --options 'my file'");
}

/* ---- defaults ---- */

static bool usual(const char *name, const char *value) {
  return tune_is_default("sssp", &(study_setting){name, value}) ||
         tune_is_default("bfs", &(study_setting){name, value});
}

HARNESS_TEST(test_defaults) {
  check(usual("algorithm", "auto") && usual("algorithm", "direction") && !usual("algorithm", "kla"));
  check(usual("in-flight", "4") && !usual("in-flight", "8") && usual("coalesce-bytes", "auto"));
  check(usual("flush-age", "1000us") && !usual("flush-age", "1us"));
  check(usual("no-pruning", "off") && !usual("no-pruning", "on"));
  check(!usual("ranks", "1") && !usual("bind", "none") && !usual("env.X", ""));
  setenv("SCREE_IN_FLIGHT", "8", 1);
  check(usual("in-flight", "8") && !usual("in-flight", "4"));
  unsetenv("SCREE_IN_FLIGHT");
}

/* Defaults of graphs are those of help; those of kernels, of their tables. */
HARNESS_TEST(test_help) {
  size_t told = 0;
  for (size_t i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    const char *at = strstr(o->help, "(default ");
    char value[32];
    if (!at || sscanf(at, "(default %31[^)])", value) != 1) continue;
    static const char *const names[] = {"distribution", "relabel"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
      if (strcmp(names[k], o->name) == 0) {
        check_text(usual(o->name, value), "--%s: help says that %s is the default", o->name, value);
        told++;
      }
  }
  check(told >= 2);
  check(usual("queue", "buckets") && usual("frequency", "32") && usual("k", "0") && usual("delta", "auto"));
  check(usual("alpha", "15") && usual("beta", "18") && !usual("alpha", "4"));
  check(tune_is_default("pagerank", &(study_setting){"damping", "0.85"}));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rungs),     cmocka_unit_test(test_seconds),  cmocka_unit_test(test_cover),
    cmocka_unit_test(test_cover_all), cmocka_unit_test(test_space),    cmocka_unit_test(test_illegal),
    cmocka_unit_test(test_command),   cmocka_unit_test(test_defaults), cmocka_unit_test(test_help)};
HARNESS_MAIN(tests)
