/* unit_options.c - tests of the option table: values with units, defaults, environment, errors.
 *
 * It tests options.h. */
#define _POSIX_C_SOURCE 200809L
#include <scree/options.h>

#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "open/resolve.h"

static size_t index_of(const char *name) {
  for (size_t i = 0; i < scree_option_count(); i++)
    if (strcmp(scree_option_at(i)->name, name) == 0) return i;
  fail_msg("no option %s", name);
  return 0;
}

static void takes(const char *name, const char *text, uint64_t expected) {
  scree_options o = SCREE_OPTIONS_INIT;
  char why[256] = "";
  if (scree_options_set(&o, name, text, why, sizeof why)) fail_msg("%s=%s: %s", name, text, why);
  uint64_t value;
  char field[64];
  snprintf(field, sizeof field, "%s", name);
  for (char *p = field; *p; p++)
    if (*p == '_') *p = '-';
  memcpy(&value, (char *)&o + scree_option_at(index_of(field))->offset, sizeof value);
  assert_int_equal(value, expected);
}

/* First, since the warning comes once per process. */
HARNESS_TEST(unknown_variables) {
  setenv("SCREE_MEMROY", "1M", 1);
  setenv("SCREE_HANG_TIME", "1", 1);
  static const char *const of_harness[] = {"ATTACK_PLANT", "AS_SSH", "DATA",    "FULL",   "HOSTS", "LAUNCHER",
                                           "LEDGER",       "MPI",    "PLANT",   "RESULT", "ROW",   "SEED",
                                           "SEEDS",        "SHRINK", "TIMEOUT", "VERBOSE"};
  enum { COUNT = sizeof of_harness / sizeof *of_harness };
  char name[COUNT][40];
  bool was_set[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(name[i], sizeof name[i], "SCREE_TEST_%s", of_harness[i]);
    was_set[i] = getenv(name[i]) != NULL;
    setenv(name[i], "1", 0);
  }
  setenv("SCREE_TEST_POOL_BLOKS", "1", 1);
  setenv("SCREE_RECEIVES", "9", 1);
  setenv("SCREE_STEAL", "all", 1); /* of tasks */
  setenv("SCREE_TASK_LIVED", "9", 1);
  setenv("SCREE_BATCH_MAX", "9", 1);
  capture_start();
  for (int k = 0; k < 2; k++) {
    scree_options o = SCREE_OPTIONS_INIT;
    char why[256];
    scree_options_resolve(&o, NULL, why, sizeof why);
  }
  char *text = capture_end();
  unsetenv("SCREE_BATCH_MAX");
  for (size_t i = 0; i < COUNT; i++)
    if (!was_set[i]) unsetenv(name[i]); /* the harness, which reads some at its end, would write a file "1" */
  const char *first =
      "scree: warning: the environment variable SCREE_MEMROY names no option; the nearest is SCREE_MEMORY\n";
  const char *second =
      "scree: warning: the environment variable SCREE_HANG_TIME names no option; the nearest is SCREE_HANG_TIMEOUT\n";
  assert_non_null(strstr(text, first));
  assert_non_null(strstr(text, second));
  const char *third =
      "scree: warning: the environment variable SCREE_RECEIVES names no option; only tests of the library "
      "set it, by the variable SCREE_TEST_RECEIVES\n";
  assert_non_null(strstr(text, third));
  const char *fourth = "scree: warning: the environment variable SCREE_TEST_POOL_BLOKS names no option; the nearest is "
                       "SCREE_TEST_POOL_BLOCKS\n";
  assert_non_null(strstr(text, fourth));
  const char *fifth =
      "scree: warning: the environment variable SCREE_TASK_LIVED names no option; the nearest is SCREE_TASK_LIVE\n";
  assert_non_null(strstr(text, fifth));
  assert_int_equal(strlen(text), strlen(first) + strlen(second) + strlen(third) + strlen(fourth) + strlen(fifth));
  free(text);
}

HARNESS_TEST(units) {
  takes("memory", "4096", 4096);
  takes("memory", "16K", 16384);
  takes("memory", "64M", UINT64_C(64) << 20);
  takes("memory", "2G", UINT64_C(2) << 30);
  takes("flush-age", "0", 0);
  takes("coalesce-bytes", "auto", 0);
  takes("coalesce-bytes", "0", 0);
  takes("coalesce-bytes", "1", 1);
  takes("flush_age", "7", 7);
  takes("flush-age", "7ns", 7);
  takes("flush-age", "50us", 50000);
  takes("flush-age", "3ms", 3000000);
  takes("hang-timeout", "60s", UINT64_C(60000000000));
  takes("chaos", "18446744073709551614", UINT64_MAX - 1);
  takes("transport", "mpi", SCREE_TRANSPORT_MPI);
  takes("stats", "json", 2);
}

static void refuses(const char *name, const char *text, const char *expected) {
  scree_options o = SCREE_OPTIONS_INIT, before = o;
  char why[256] = "";
  assert_int_equal(scree_options_set(&o, name, text, why, sizeof why), -1);
  assert_string_equal(why, expected);
  assert_memory_equal(&o, &before, sizeof o);
}

HARNESS_TEST(errors) {
  refuses("memory", "64X",
          "option 'memory': '64X' is not a size; legal: 4K to 64G; give whole bytes, or a whole number with K, M or G, "
          "as in 16K");
  refuses("memory", "100",
          "option 'memory': '100' is out of range; legal: 4K to 64G; give whole bytes, or a whole number with K, M or "
          "G, as in 16K");
  refuses(
      "coalesce-bytes", "automatic",
      "option 'coalesce-bytes': 'automatic' is not a size; legal: auto, 1 to 1M; give whole bytes, or a whole number "
      "with K, M or G, as in 16K");
  refuses("in_flight", "0",
          "option 'in-flight': '0' is out of range; legal: 1 to 64; give a whole number without a unit");
  refuses("in-flight", "-1",
          "option 'in-flight': '-1' is not a whole number; legal: 1 to 64; give a whole number without a unit");
  refuses("flush-age", "5 us",
          "option 'flush-age': '5 us' is not a time; legal: 0 to 3600s; give whole nanoseconds, or a whole number with "
          "ns, us, ms or s, as in 50us");
  refuses("transport", "tcp",
          "option 'transport': 'tcp' is not a known word; legal: auto|shm|mpi; give one of these words");
  refuses("memroy", "1M", "option 'memroy' is unknown; the nearest is 'memory'; 'scree --help all' lists all");
  refuses("pool-blocks", "1",
          "option 'pool-blocks' is unknown; only tests of the library set it, by the variable SCREE_TEST_POOL_BLOCKS; "
          "'scree --help all' lists all");
}

/* Sizes; of the other kinds unit_option_table.c. */
HARNESS_TEST(junk) {
  static const char *const bad[] = {
      "", "4096 ", "+4096", "0x1000", "1.5M", "16KB", "16k", "G", "99999999999999999999", "18014398509481984K"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    scree_options o = SCREE_OPTIONS_INIT;
    char why[256] = "";
    if (scree_options_set(&o, "memory", bad[i], why, sizeof why) != -1) fail_msg("'%s' was taken", bad[i]);
    assert_non_null(strstr(why, "legal: 4K to 64G"));
  }
  refuses("chaos", "18446744073709551615",
          "option 'chaos': '18446744073709551615' is out of range; legal: 0 to 18446744073709551614; give a whole "
          "number without a unit");
  static const char *const words[] = {"", "a", "autos", "auto|shm", "AUTO"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    scree_options o = SCREE_OPTIONS_INIT;
    char why[256];
    assert_int_equal(scree_options_set(&o, "transport", words[i], why, sizeof why), -1);
  }
}

HARNESS_TEST(long_names_and_short_buffers) {
  char name[400], why[8];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  scree_options o = SCREE_OPTIONS_INIT;
  assert_int_equal(scree_options_set(&o, name, "1", why, sizeof why), -1);
  assert_int_equal(strlen(why), sizeof why - 1);
}

/* Every default, minimum and maximum is printed as text that reads back as itself, and defaults are legal. */
HARNESS_TEST(round_trip) {
  for (size_t i = 0; i < scree_option_count(); i++) {
    const scree_option *option = scree_option_at(i);
    assert_null(strchr(option->name, '_'));
    assert_true((option->def >= option->min && option->def <= option->max) || (!option->def && option->choices[0]));
    const uint64_t values[] = {option->def, option->min, option->max, option->max - option->max / 3};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      if (values[k] < option->min) continue;
      scree_options o = SCREE_OPTIONS_INIT, back = SCREE_OPTIONS_INIT;
      char text[64], why[256];
      memcpy((char *)&o + option->offset, &values[k], sizeof values[k]);
      scree_option_format(&o, i, text, sizeof text);
      if (scree_options_set(&back, option->name, text, why, sizeof why)) fail_msg("%s: %s", option->name, why);
      assert_memory_equal(&o, &back, sizeof o);
    }
  }
  assert_null(scree_option_at(scree_option_count()));
}

HARNESS_TEST(precedence) {
  scree_options o = SCREE_OPTIONS_INIT;
  char from[64], why[256] = "";
  assert_true(scree_option_count() <= sizeof from);
  o.spin = 5;
  setenv("SCREE_SPIN", "6", 1);
  setenv("SCREE_IN_FLIGHT", "7", 1);
  setenv("SCREE_BATCH_MAX", "", 1); /* counts as unset */
  assert_int_equal(scree_options_resolve(&o, from, why, sizeof why), 0);
  assert_int_equal(o.spin, 5);
  assert_int_equal(o.in_flight, 7);
  assert_int_equal(o.batch_max, 8192);
  assert_int_equal(from[index_of("spin")], 'f');
  assert_int_equal(from[index_of("in-flight")], 'e');
  assert_int_equal(from[index_of("batch-max")], 'd');
  for (size_t i = 0; i < scree_option_count(); i++) {
    uint64_t value;
    memcpy(&value, (char *)&o + scree_option_at(i)->offset, sizeof value);
    assert_true(value != SCREE_UNSET);
  }
  unsetenv("SCREE_SPIN");
  unsetenv("SCREE_IN_FLIGHT");
  unsetenv("SCREE_BATCH_MAX");
}

HARNESS_TEST(bad_sources) {
  scree_options o = SCREE_OPTIONS_INIT, before = o;
  char why[256] = "";
  setenv("SCREE_MEMORY", "lots", 1);
  char from[64] = "untouched";
  assert_int_equal(scree_options_resolve(&o, from, why, sizeof why), -1);
  assert_string_equal(from, "untouched");
  assert_string_equal(why, "option 'memory': 'lots' (from SCREE_MEMORY) is not a size; legal: 4K to 64G; give whole "
                           "bytes, or a whole number with K, M or G, as in 16K");
  assert_memory_equal(&o, &before, sizeof o);
  unsetenv("SCREE_MEMORY");
  o.in_flight = 65;
  assert_int_equal(scree_options_resolve(&o, NULL, why, sizeof why), -1);
  assert_string_equal(why, "option 'in-flight': '65' (field of scree_options) is out of range; legal: 1 to 64; give a "
                           "whole number without a unit");
}

HARNESS_TEST(options_of_tests) {
  scree__options all, given = SCREE__OPTIONS_INIT;
  char why[256] = "";
  given.spin = 9;
  given.test_pool_blocks = 3;
  setenv("SCREE_TEST_POOL_BLOCKS", "5", 1);
  setenv("SCREE_TEST_RECEIVES", "7", 1);
  setenv("SCREE_TEST_FIRST_COUNTS", "7", 1);
  assert_int_equal(scree__options_complete(&all, &given.user, why, sizeof why), 0);
  assert_int_equal(all.size, sizeof(scree_options));
  assert_int_equal(all.spin, 9);
  assert_int_equal(all.batch_max, 8192);
  assert_int_equal(all.test_pool_blocks, 3);
  assert_int_equal(all.test_first_counts, 7);
  assert_int_equal(all.test_receives, 7);
  assert_int_equal(scree__options_complete(&all, NULL, why, sizeof why), 0);
  assert_int_equal(all.test_pool_blocks, 5);
  unsetenv("SCREE_TEST_POOL_BLOCKS");
  setenv("SCREE_TEST_RECEIVES", "65", 1);
  assert_int_equal(scree__options_complete(&all, NULL, why, sizeof why), -1);
  assert_string_equal(why,
                      "option 'test-receives': '65' (from SCREE_TEST_RECEIVES) is out of range; legal: 1 to 64; give "
                      "a whole number without a unit");
  unsetenv("SCREE_TEST_RECEIVES");
  given.test_pool_blocks = 1 << 21;
  assert_int_equal(scree__options_complete(&all, &given.user, why, sizeof why), -1);
}

/* A program whose handlers expect no progress thread gets none by its environment. */
HARNESS_TEST(progress_is_asked_for) {
  scree_options given = SCREE_OPTIONS_INIT;
  scree__options all;
  char why[320] = "";
  setenv("SCREE_PROGRESS", "full", 1);
  assert_int_equal(scree__options_complete(&all, NULL, why, sizeof why), -1);
  assert_string_equal(
      why, "option 'progress': 'full' (from SCREE_PROGRESS) is not for this program: its handlers would also "
           "run with the worker index `threads`; unset the variable or, if they may, set the field progress "
           "of scree_options, for instance by scree_options_resolve");
  assert_int_equal(scree__options_complete(&all, &given, why, sizeof why), -1);
  given.progress = SCREE_PROGRESS_NONE;
  assert_int_equal(scree__options_complete(&all, &given, why, sizeof why), 0);
  assert_int_equal(all.progress, SCREE_PROGRESS_NONE);
  given.progress = SCREE_UNSET;
  assert_int_equal(scree_options_resolve(&given, NULL, why, sizeof why), 0);
  assert_int_equal(scree__options_complete(&all, &given, why, sizeof why), 0);
  assert_int_equal(all.progress, SCREE_PROGRESS_FULL);
  setenv("SCREE_PROGRESS", "none", 1);
  assert_int_equal(scree__options_complete(&all, NULL, why, sizeof why), 0);
  unsetenv("SCREE_PROGRESS");
}

static void without_variables(void) {
  char name[64];
  for (size_t i = 0; i < scree_option_count(); i++) {
    snprintf(name, sizeof name, "SCREE_%s", scree_option_at(i)->name);
    for (char *p = name; *p; p++) *p = (char)(*p == '-' ? '_' : *p >= 'a' && *p <= 'z' ? *p - 32 : *p);
    unsetenv(name);
  }
}

int main(int argc, char **argv) {
  without_variables();
  return harness__main(argc, argv);
}
