/* unit_study_plan_presets.c - the presets, and the order of runs. */
#include "study_plan.h"

/* ---- steps ---- */

/* Each round runs each configuration once; positions of the controls. */
static void steps_of(size_t configurations, uint64_t repeat, size_t control) {
  char file[200];
  size_t n, runs = 0;
  uint64_t controls = 0;
  snprintf(file, sizeof file, "a = 1..%zu+1\nrepeat = %" PRIu64 "\ncontrol = a=%zu", configurations, repeat,
           control + 1);
  study_plan *plan = plan_of(file);
  study_step *steps = plan ? study_steps(plan, &n) : NULL;
  uint64_t *seen = calloc(configurations, sizeof *seen);
  if (!check(steps && seen)) return;
  check(steps[0].configuration == control && steps[0].repetition == 0 && !steps[0].control);
  for (size_t i = 1; i < n; i++) {
    if (steps[i].control) {
      check(steps[i].configuration == control && steps[i].repetition == ++controls);
      check(i == n - 1 || runs % 8 == 0);
    } else {
      check(runs % 8 != 0 || configurations == 1 || steps[i - 1].control);
      check_equal(steps[i].repetition, runs / configurations + 1);
      check_equal(++seen[steps[i].configuration], steps[i].repetition);
      runs++;
    }
  }
  check_equal(runs, configurations * repeat);
  check_equal(controls, configurations == 1 ? 0 : (runs + 7) / 8 + 1);
  check(steps[n - 1].control == (configurations > 1));
  free(seen);
  free(steps);
  study_plan_free(plan);
}

HARNESS_TEST(steps) {
  static const size_t counts[] = {1, 2, 3, 7, 8, 9, 16, 40};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (uint64_t repeat = 1; repeat <= 5; repeat++) steps_of(counts[i], repeat, counts[i] / 2);
}

/* The same each time, another in each round, and of each round not the order of the file. */
HARNESS_TEST(steps_are_shuffled) {
  enum { COUNT = 20, ROUNDS = 6 };
  size_t n, m, order[ROUNDS][COUNT], at[ROUNDS] = {0};
  study_plan *plan = plan_of("a = 1..20+1\nrepeat = 6");
  if (!plan) return;
  study_step *first = study_steps(plan, &n), *second = study_steps(plan, &m);
  if (!check(first && second) || !check(n == m)) return;
  for (size_t i = 0; i < n; i++) {
    const study_step *a = &first[i], *b = &second[i];
    check(a->configuration == b->configuration && a->repetition == b->repetition && a->control == b->control);
    if (!a->control && a->repetition) order[a->repetition - 1][at[a->repetition - 1]++] = a->configuration;
  }
  for (size_t i = 0; i < ROUNDS; i++) {
    size_t in_order = 0;
    for (size_t k = 0; k < COUNT; k++) in_order += order[i][k] == k;
    check(in_order < COUNT / 2);
    for (size_t k = 0; k < i; k++) check(memcmp(order[i], order[k], sizeof order[i]) != 0);
  }
  free(first);
  free(second);
  study_plan_free(plan);
}

/* ---- presets ---- */

static void preset(const study_preset *p, uint64_t cores) {
  const study_constant own[] = {{"cores", cores}, {"fit", 18}, {"eager", 4040}};
  study_source source = {.file = p->text, .file_name = p->name, .constants = own, .constant_count = 3};
  char why[512] = "";
  study_plan *plan = study_plan_make(&source, why, sizeof why);
  if (!check_text(plan != NULL, "%s, %" PRIu64 " cores: %s", p->name, cores, why)) return;
  check(plan->title[0] && plan->repeat >= 3 && plan->count > 1 && plan->count <= 100);
  for (size_t i = 0; i < plan->count; i++) {
    check(study_value(&plan->configurations[i], "kernel") != NULL);
    check(study_value(&plan->configurations[i], "scale") != NULL);
    check(study_value(&plan->configurations[i], "ranks") != NULL);
  }
  for (size_t i = 0; i < plan->axis_count; i++)
    for (size_t k = 0; k < plan->axes[i].count; k++) /* a word that was not known stays as it was */
      check_text(!strstr(plan->axes[i].values[k], "fit") && !strstr(plan->axes[i].values[k], "cores") &&
                     !strstr(plan->axes[i].values[k], "eager"),
                 "%s: %s", p->name, plan->axes[i].values[k]);
  study_plan_free(plan);
}

HARNESS_TEST(presets) {
  size_t count = 0;
  for (; study_preset_at(count).name; count++) {
    study_preset p = study_preset_at(count);
    check_text(p.help && p.help[0] && strncmp(p.text, "# ", 2) == 0, "%s", p.name);
    check_text(strncmp(p.text + 2, p.name, strlen(p.name)) == 0, "%s has another one's text", p.name);
    preset(&p, 1);
    preset(&p, 2);
    preset(&p, 16);
  }
  check_equal(count, 10);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(steps_are_shuffled),
                                     cmocka_unit_test(presets)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
