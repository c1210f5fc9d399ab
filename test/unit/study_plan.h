/* study_plan.h - plans from text, for the tests of plans. */
#ifndef TEST_STUDY_PLAN_H
#define TEST_STUDY_PLAN_H
#include "study/plan/plan.h"

#include "harness.h"

static const study_constant constants[] = {{"cores", 2}, {"fit", 18}, {"eager", 4040}};

static inline study_plan *make(const char *file, const char *const *axes, size_t axis_count, const char *const *set,
                               size_t set_count, char why[512]) {
  study_source source = {.file = file,
                         .file_name = "s",
                         .axes = axes,
                         .axis_count = axis_count,
                         .set = set,
                         .set_count = set_count,
                         .constants = constants,
                         .constant_count = 3};
  why[0] = 0;
  return study_plan_make(&source, why, 512);
}

/* Makes a plan that must be legal. */
static inline study_plan *plan_of(const char *file) {
  char why[512];
  study_plan *plan = make(file, NULL, 0, NULL, 0, why);
  check_text(plan != NULL, "%s: %s", file, why);
  return plan;
}

/* The values of an axis, separated by '|'. */
static inline void join(const study_axis *axis, char *text, size_t size) {
  text[0] = 0;
  for (size_t i = 0; i < axis->count; i++) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%s", i ? "|" : "", axis->values[i]);
  }
}

/* Checks the keys of all configurations, separated by "; ". */
static inline void has_keys(const study_plan *plan, const char *expected) {
  char text[2000] = "";
  if (!plan) return;
  for (size_t i = 0; i < plan->count; i++) {
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s", i ? "; " : "", plan->configurations[i].key);
  }
  check_string(text, expected);
}

static inline void makes(const char *file, const char *expected) {
  study_plan *plan = plan_of(file);
  has_keys(plan, expected);
  study_plan_free(plan);
}

#endif
