/* harness.c - checks, the verdict of each test, the last line.
 *
 * Nothing here needs MPI; harness_mpi.c adds the ranks, harness_watchdog.c the time limit. */
#include "harness.h"

#include <stdatomic.h>
#include <unistd.h>

#include "harness_watchdog.h"

enum { PRINTED_MAX = 20, TESTS_MAX = 512 };

int harness_rank = 0, harness_ranks = 1;
FILE *harness__err = NULL;

static bool agree_alone(bool mine) {
  return mine;
}
bool (*harness__agree)(bool mine) = agree_alone;

static _Atomic unsigned failures; /* of the running test, on this rank */

/* The running test. cmocka calls wrap_setup, wrap_body, wrap_teardown in turn, each on the main thread. */
static struct {
  const struct CMUnitTest *test;
  bool judged;     /* the verdict has been agreed */
  unsigned checks; /* made before it */
  unsigned passed, failed, skipped;
} run;

bool harness__check(bool ok, const char *file, int line, const char *format, ...) {
  harness__moved();
  if (ok) return true;
  unsigned before = atomic_fetch_add(&failures, 1);
  if (before >= PRINTED_MAX) return false;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(harness__err ? harness__err : stderr, "check failed: %s, rank %d of %d, %s:%d: %s%s\n",
          run.test ? run.test->name : "?", harness_rank, harness_ranks, file, line, text,
          before + 1 == PRINTED_MAX ? " (more are not printed)" : "");
  return false;
}

bool harness__check_equal(uint64_t a, uint64_t b, const char *file, int line, const char *a_text, const char *b_text) {
  return harness__check(a == b, file, line, "%s == %s: %" PRIu64 " against %" PRIu64, a_text, b_text, a, b);
}

bool harness__check_string(const char *a, const char *b, const char *file, int line, const char *a_text,
                           const char *b_text) {
  return harness__check(strcmp(a, b) == 0, file, line, "%s equals %s: \"%s\" against \"%s\"", a_text, b_text, a, b);
}

bool harness__check_contains(const char *text, const char *part, const char *file, int line, const char *name) {
  return harness__check(text && strstr(text, part), file, line, "%s contains \"%s\": it is \"%s\"", name, part,
                        text ? text : "(null)");
}

unsigned harness_failures(void) {
  return atomic_load(&failures);
}

void __gcov_exit(void) __attribute__((weak));
void harness_keep_coverage(void) {
  if (__gcov_exit) __gcov_exit();
}

void harness_exit(int code) {
  harness_keep_coverage();
  _exit(code);
}

bool harness_all(bool mine) {
  return harness__agree(mine);
}

bool harness_full(void) {
  const char *full = getenv("SCREE_TEST_FULL");
  return full && strcmp(full, "1") == 0;
}

uint64_t harness_seeds(uint64_t usual, uint64_t full) {
  const char *number = getenv("SCREE_TEST_SEEDS"), *how = getenv("SCREE_TEST_FULL");
  if (number && *number) return strtoull(number, NULL, 10);
  if (harness_full()) return full;
  return how && strcmp(how, "brief") == 0 ? (usual + 7) / 8 : usual;
}

const char *harness_data(const char *file) {
  static _Thread_local char path[4096];
  const char *dir = getenv("SCREE_TEST_DATA");
  snprintf(path, sizeof path, "%s/%s", dir && *dir ? dir : "../shared/data", file);
  return access(path, R_OK) == 0 ? path : NULL;
}

/* Rank 0 prints a line, and writes it to the file of SCREE_TEST_RESULT: launchers tear lines of output apart. */
static void say(const char *format, ...) {
  char line[512];
  va_list args;
  if (harness_rank != 0) return;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  printf("harness: %s\n", line);
  fflush(stdout);
  const char *path = getenv("SCREE_TEST_RESULT");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "harness: %s\n", line);
  fclose(file);
}

void harness_skip(const char *reason) {
  run.skipped++;
  run.judged = true;
  say("skipped %s: %s", run.test->name, reason);
  skip();
}

/* All ranks call this once for each test, from the body or, if an assert left it, from the teardown. */
static bool judge(bool mine) {
  run.judged = true;
  bool all = harness__agree(mine);
  if (all)
    run.passed++;
  else
    run.failed++;
  return all;
}

static int wrap_setup(void **state) {
  run.test = *state;
  run.judged = false;
  run.checks = harness__checks();
  atomic_store(&failures, 0);
  harness__watch(run.test->name);
  *state = run.test->initial_state;
  return run.test->setup_func ? run.test->setup_func(state) : 0;
}

static void wrap_body(void **state) {
  run.test->test_func(state);
  if (harness__agree(harness__checks() == run.checks)) harness__check(false, "-", 0, "the test has made no check");
  if (!judge(atomic_load(&failures) == 0)) fail_msg("a check failed, here or on another rank");
}

static int wrap_teardown(void **state) {
  int rc = run.test->teardown_func ? run.test->teardown_func(state) : 0;
  if (!run.judged) {
    harness__check(false, "-", 0, "an assert left the body (SCREE_TEST_VERBOSE=1 shows it on ranks above 0)");
    judge(false);
  }
  harness__watch(NULL);
  return rc;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Constructors add tests before a program may have what it replaces, such as its allocator. */
static struct CMUnitTest tests[TESTS_MAX];
static size_t count;

void harness_add(struct CMUnitTest test) {
  if (count == TESTS_MAX) abort();
  tests[count++] = test;
}

int harness__main(int argc, char **argv) {
  static struct CMUnitTest wrapped[TESTS_MAX];
  if (!harness__err) harness__err = stderr;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  setenv("SCREE_TEST_FIRST_COUNTS", "1", 0); /* counters of all worlds begin near their ends */
  for (size_t i = 0; i < count; i++)
    wrapped[i] = (struct CMUnitTest){tests[i].name, wrap_body, wrap_setup, wrap_teardown, (void *)(uintptr_t)&tests[i]};
  int rc = _cmocka_run_group_tests(base_name(argv[0]), wrapped, count, NULL, NULL);
  bool good = harness__agree(rc == 0 && run.failed == 0);
  if (good == false && run.failed == 0) run.failed = 1; /* cmocka itself complained, of a setup or teardown */
  say("%s done, %d ranks, %u passed, %u failed, %u skipped", base_name(argv[0]), harness_ranks, run.passed, run.failed,
      run.skipped);
  return good ? 0 : 1;
}
