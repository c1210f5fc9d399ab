/* unit_study_plan.c - plans: options that replace lines, other statements, keys and canonical text. */
#include "study_plan.h"

/* ---- what the command line replaces ---- */

HARNESS_TEST(replacing) {
  static const struct {
    const char *file, *axes[3], *keys;
  } cases[] = {
      {NULL, {"a=1,2", "b = 3"}, "a=1 b=3; a=2 b=3"},
      {NULL, {"a=1", "a=2"}, "a=1; a=2"},
      {"a = 1, 2\nb = 3", {"a=7..9+1"}, "a=7 b=3; a=8 b=3; a=9 b=3"},
      {"a = 1\nb = 3\na = 2", {"a=7"}, "a=7 b=3"},
      {"a = 1\nb = 3 if a = 7", {"c=0", "a=7"}, "a=7 b=3 c=0"},
      {"a = 1, 2\nb = 3 if a = 2", {"b=5"}, "a=1 b=5; a=2 b=5"},
      {"a = 1, 2\nb = 3", {"b=5 if a = 2"}, "a=1; a=2 b=5"},
      {"scale = fit\nb = 1\nskip if scale > 20", {"graph=f.gr"}, "graph=f.gr b=1"},
      {"graph = f.gr\nb = 1", {"scale=10"}, "scale=10 b=1"},
      {"scale = 9", {"graph=\"kron:9,8\""}, "graph=\"kron:9,8\""},
      {"a = 1", {"a=\"x # y\""}, "a=\"x # y\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char why[512];
    size_t n = 0;
    while (n < 3 && cases[i].axes[n]) n++;
    study_plan *plan = make(cases[i].file, cases[i].axes, n, NULL, 0, why);
    check_text(plan != NULL, "case %zu: %s", i, why);
    has_keys(plan, cases[i].keys);
    study_plan_free(plan);
  }
}

/* ---- statements other than axes ---- */

HARNESS_TEST(settings) {
  study_plan *plan = plan_of("title = a \"b\" = c, d # no\na = 1, 2\nb = x, y\n"
                             "repeat = 7\ntimeout=5m\ncontrol = b=x a=2");
  if (!plan) return;
  check_string(plan->title, "a \"b\" = c, d");
  check_equal(plan->repeat, 7);
  check(plan->timeout == 300);
  check_equal(plan->control, 2);
  study_plan_free(plan);
  plan = plan_of("a = 1, 2\nb = \"x y\", z\ncontrol = a=2 b=\"x y\"");
  if (plan) check_equal(plan->control, 2);
  study_plan_free(plan);
  plan = plan_of("a = 2, default\nb = 1\ncontrol = b=1"); /* the whole key, though another has it too */
  if (plan) check_equal(plan->control, 1);
  study_plan_free(plan);
  plan = plan_of("a = 1");
  if (!plan) return;
  check_string(plan->title, "");
  check_equal(plan->repeat, 5);
  check(plan->timeout == 300);
  check_equal(plan->control, 0);
  study_plan_free(plan);
}

/* Only constants in values and conditions count, not titles, names or parts of other words. */
HARNESS_TEST(constants_in_use) {
  static const struct {
    const char *file;
    uint64_t used;
  } cases[] = {{"title = eager\nenv.eager_limit = 1\na = \"eager\", eagerly # eager", 0},
               {"a = eager", 4},
               {"a = cores, eager-64", 5},
               {"a = 2..fit*2", 2},
               {"a = 1, 2\nb = 1 if a < eager", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    study_plan *plan = plan_of(cases[i].file);
    if (plan) check_equal(plan->constants_used, cases[i].used);
    study_plan_free(plan);
  }
  makes("a = \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80", "a=\xc3\xa4; a=\xe2\x82\xac; a=\xf0\x9f\x98\x80");
}

HARNESS_TEST(templates) {
  static const char *const lines[] = {"launcher = run -x a,b -n {ranks}", "launcher=\"run -x a,b -n {ranks}\" "};
  for (int i = 0; i < 2; i++) {
    study_plan *plan = plan_of(lines[i]);
    if (!plan) return;
    check_equal(plan->count, 1);
    check_string(study_value(plan->configurations, "launcher"), "run -x a,b -n {ranks}");
    study_plan_free(plan);
  }
}

/* The last one on the command line wins, also over the file. */
HARNESS_TEST(setting_again) {
  static const char *const set[] = {"repeat=2", "repeat = 3", "timeout=2h"}, *const axes[] = {"control=a=2"};
  char why[512];
  study_plan *plan = make("repeat = 9\na = 1, 2\ntimeout = 1\ntitle = t", axes, 1, set, 3, why);
  check_text(plan != NULL, "%s", why);
  if (!plan) return;
  check_equal(plan->repeat, 3);
  check(plan->timeout == 7200);
  check_string(plan->title, "t");
  check_equal(plan->control, 1);
  study_plan_free(plan);
}

/* ---- keys and text ---- */

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The maximum number of configurations; each key once. */
HARNESS_TEST(keys_are_unique) {
  study_plan *plan = plan_of("a = 1..100+1\nb = \"x\", \"x c=1\", \"y\", x=1, \"x|y\"\nc = default, 1 if b = x\n"
                             "d = 1..160+1\nrepeat = 1");
  if (!plan) return;
  check_equal(plan->count, 96000);
  const char **keys = calloc(plan->count, sizeof *keys);
  for (size_t i = 0; keys && i < plan->count; i++) keys[i] = plan->configurations[i].key;
  if (check(keys != NULL)) qsort(keys, plan->count, sizeof *keys, by_text);
  for (size_t i = 1; keys && i < plan->count; i++)
    if (!check_text(strcmp(keys[i - 1], keys[i]) != 0, "twice: %s", keys[i])) break;
  free(keys);
  study_plan_free(plan);
}

/* The text has all values told, does not have the title, and is a plan itself: the same one. */
HARNESS_TEST(text_is_canonical) {
  study_plan *plan = plan_of(
      "title = t\na=1..cores*2 , 64..1K*4 # x\nlauncher = local, \"srun -n {ranks}\"\nb = \"x y\", \"default\", "
      "default if a=1 | 64 and a<65\ntimeout = 1.5m\nskip if a = 2\n");
  if (!plan) return;
  check_string(plan->text, "a = 1, 2, 64, 256, 1K\nlauncher = local, \"srun -n {ranks}\"\n"
                           "b = \"x y\", \"default\", default if a = 1|64 and a < 65\n"
                           "skip if a = 2\nrepeat = 5\ntimeout = 90s\ncontrol = a=1 launcher=local b=\"x y\"\n");
  study_plan *again = plan_of(plan->text);
  if (again) {
    check_string(again->text, plan->text);
    check_equal(again->count, plan->count);
    for (size_t i = 0; i < plan->count; i++) check_string(again->configurations[i].key, plan->configurations[i].key);
  }
  study_plan_free(again);
  study_plan_free(plan);
}

/* What changes the runs changes the text. */
HARNESS_TEST(text_tells_plans_apart) {
  static const char *const files[] = {"a = 1, 2",
                                      "a = 2, 1",
                                      "a = 1, 2, 3",
                                      "b = 1, 2",
                                      "a = 1, 2\nrepeat = 4",
                                      "a = 1, 2\ntimeout = 10",
                                      "a = 1, 2\nlauncher = x",
                                      "a = 1, 2\ncontrol = a=2",
                                      "a = 1, 2, 3\nskip if a = 3",
                                      "a = 1, 2, 3\nskip if a = 2",
                                      "a = 1, 2\nb = 1 if a = 2",
                                      "a = 1, 2\nb = 1 if a != 2"};
  enum { COUNT = sizeof files / sizeof *files };
  study_plan *plans[COUNT];
  for (size_t i = 0; i < COUNT; i++) plans[i] = plan_of(files[i]);
  for (size_t i = 0; i < COUNT; i++)
    for (size_t k = 0; k < i; k++)
      check_text(plans[i] && plans[k] && strcmp(plans[i]->text, plans[k]->text) != 0, "%s: %s", files[i], files[k]);
  for (size_t i = 0; i < COUNT; i++) study_plan_free(plans[i]);
  study_plan *a = plan_of("title = x\na = 1..2+1"), *b = plan_of("\na=1,cores");
  if (a && b) check_string(a->text, b->text);
  study_plan_free(a);
  study_plan_free(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(replacing),         cmocka_unit_test(settings),
                                     cmocka_unit_test(constants_in_use),  cmocka_unit_test(setting_again),
                                     cmocka_unit_test(templates),         cmocka_unit_test(keys_are_unique),
                                     cmocka_unit_test(text_is_canonical), cmocka_unit_test(text_tells_plans_apart)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
