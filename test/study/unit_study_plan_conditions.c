/* unit_study_plan_conditions.c - conditions of plans, and the order of axes and values. */
#include "study_plan.h"

/* ---- conditions ---- */

HARNESS_TEST(conditions) {
  makes("a = 1, 2\nb = x if a = 2", "a=1; a=2 b=x");
  makes("a = 1, 2\nb = x if a=2\nb=y if a!=2", "a=1 b=y; a=2 b=x");
  makes("a = 1, 2\nb = x, y if a = 2\nb = y, z", "a=1 b=y; a=1 b=z; a=2 b=x; a=2 b=y; a=2 b=z");
  makes("a = 1, 2, 3, x\nb = 0 if a < 2\nc = 0 if a<=2\nd = 0 if a > 2\ne = 0 if a>=2",
        "a=1 b=0 c=0; a=2 c=0 e=0; a=3 d=0 e=0; a=x");
  makes("a = u, v, w\nb = 0 if a = u | w\nc = 0 if a != u|w", "a=u b=0; a=v c=0; a=w b=0");
  makes("a = 1, 2\nb = 1, 2 if a = 1\nskip if a = 1 and b = 2", "a=1 b=1; a=2");
  makes("a = 64K, 1M\nb = 0 if a = 65536", "a=64K b=0; a=1M");
  makes("s = 17..19+1\nskip if s > fit", "s=17; s=18");
  makes("s = 17..19+1\nskip if s >= fit+1", "s=17; s=18");
  makes("a = \"x y\", z\nb = 0 if a = \"x y\"", "a=\"x y\" b=0; a=z");
  makes("a = 1\nb = 0 if a = 2\nc = 0 if b = 0\nd = 0 if b != 0\ne = 0 if b < 5", "a=1 d=0");
  makes("a = default, 1\nb = 0 if a = default\nc = 0 if a != default", "b=0; a=1 c=0");
  makes("a = \"default\", default", "a=\"default\"; ");
  makes("skip = 1\nb = 1", "skip=1 b=1");
}

/* The order is that of the axes, the last one fastest; an axis stands where its first line stands. */
HARNESS_TEST(order) {
  makes("b = 1, 2\na = 3, 4\nb = 5", "b=1 a=3; b=1 a=4; b=2 a=3; b=2 a=4; b=5 a=3; b=5 a=4");
  study_plan *plan = plan_of("b = 1, default\na = x if b = 1");
  if (!plan) return;
  check_equal(plan->axis_count, 2);
  check_string(plan->axes[0].name, "b");
  check_equal(plan->axes[0].count, 1);
  check_string(plan->configurations[0].settings[1].name, "a");
  check_string(study_value(&plan->configurations[0], "a"), "x");
  check(study_value(&plan->configurations[1], "a") == NULL);
  check(study_value(&plan->configurations[1], "ab") == NULL);
  study_plan_free(plan);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conditions), cmocka_unit_test(order)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
