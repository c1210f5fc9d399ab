/* unit_harness.c - verdicts of the harness: on tests that make no check, that check, that assert. The program starts
 * itself for each of them. */
#include <unistd.h>

#include "harness.h"

static void checks_nothing(void **no_state) {}
static void checks(void **no_state) {
  check(true);
}
static void asserts(void **no_state) {
  assert_int_equal(1, 1);
}
static void fails(void **no_state) {
  check(false);
}

static const struct CMUnitTest inner[] = {cmocka_unit_test(checks_nothing), cmocka_unit_test(checks),
                                          cmocka_unit_test(asserts), cmocka_unit_test(fails)};

/* Runs one of them; what it prints is in out[size]. */
static void run_inner(int number, char *out, size_t size) {
  char path[1024] = "", command[1200];
  check(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  snprintf(command, sizeof command, "INNER=%d SCREE_TEST_RESULT= '%s' 2>&1", number, path);
  FILE *from = popen(command, "r");
  assert_non_null(from);
  out[fread(out, 1, size - 1, from)] = 0;
  pclose(from);
}

static void verdicts(void **no_state) {
  static const char *const expected[] = {"0 passed, 1 failed, 0 skipped", "1 passed, 0 failed, 0 skipped",
                                         "1 passed, 0 failed, 0 skipped", "0 passed, 1 failed, 0 skipped"};
  char out[4096];
  for (int i = 0; i < 4; i++) {
    run_inner(i, out, sizeof out);
    check_contains(out, expected[i]);
    if (i == 0) check_contains(out, "the test has made no check");
  }
}

int main(int argc, char **argv) {
  const char *number = getenv("INNER");
  harness_add(number ? inner[atoi(number)] : (struct CMUnitTest)cmocka_unit_test(verdicts));
  return harness__main(number ? 1 : argc, argv);
}
