/* unit_option_table.c - the engine of option tables: every kind, on a struct of its own. */
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option_table.h"
#include "base/real.h"
#include "harness.h"

typedef struct {
  bool pruning_off;
  uint64_t frequency, bytes, age, queue;
  double delta, damping, tolerance;
} fields;

#define AT(field) .offset = offsetof(fields, field)

static const scree_option rows[] = {
    {.name = "no-pruning", .kind = SCREE_KIND_FLAG, .choices = "", .help = "a flag", AT(pruning_off)},
    {.name = "frequency", .kind = SCREE_KIND_COUNT, .def = 32, .min = 1, .max = 100, .choices = "", AT(frequency)},
    {.name = "bytes", .kind = SCREE_KIND_SIZE, .def = 0, .min = 1, .max = 1 << 20, .choices = "auto", AT(bytes)},
    {.name = "age", .kind = SCREE_KIND_TIME, .def = 1000, .max = 1000000000, .choices = "", AT(age)},
    {.name = "queue", .kind = SCREE_KIND_CHOICE, .max = 2, .choices = "buckets|dary|binary", AT(queue)},
    {.name = "delta",
     .kind = SCREE_KIND_REAL,
     .real_def = SCREE_UNSET_REAL,
     .real_max = INFINITY,
     .exclusive = true,
     .choices = "auto",
     AT(delta)},
    {.name = "damping",
     .kind = SCREE_KIND_REAL,
     .real_def = 0.85,
     .real_max = 1,
     .exclusive = true,
     .choices = "",
     AT(damping)},
    {.name = "tolerance",
     .kind = SCREE_KIND_REAL,
     .real_def = SCREE_UNSET_REAL,
     .real_min = 1e-15,
     .real_max = 2,
     .choices = "",
     AT(tolerance)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const fields unset = {.frequency = SCREE_UNSET,
                             .bytes = SCREE_UNSET,
                             .age = SCREE_UNSET,
                             .queue = SCREE_UNSET,
                             .delta = SCREE_UNSET_REAL,
                             .damping = SCREE_UNSET_REAL,
                             .tolerance = SCREE_UNSET_REAL};

static const scree_option *row(const char *name) {
  return scree__option_find(rows, ROWS, name);
}

static fields parsed(const char *name, const char *text) {
  fields f = unset;
  char why[256] = "";
  if (scree__option_parse(row(name), &f, text, "", why, sizeof why)) fail_msg("%s=%s: %s", name, text, why);
  return f;
}

HARNESS_TEST(values) {
  check(parsed("no-pruning", "on").pruning_off);
  check(parsed("no-pruning", NULL).pruning_off);
  check(!parsed("no-pruning", "off").pruning_off);
  check_equal(parsed("frequency", "100").frequency, 100);
  check_equal(parsed("bytes", "4K").bytes, 4096);
  check_equal(parsed("bytes", "auto").bytes, 0);
  check_equal(parsed("age", "3us").age, 3000);
  check_equal(parsed("queue", "binary").queue, 2);
  check(parsed("delta", "0.25").delta == 0.25);
  check(parsed("delta", "1e-6").delta == 1e-6);
  check(parsed("delta", ".5").delta == 0.5);
  check(parsed("delta", "auto").delta == SCREE_UNSET_REAL);
  check(parsed("tolerance", "2").tolerance == 2);
}

/* A parse changes its own field alone; all others stay unset. */
HARNESS_TEST(one_field) {
  static const char *const texts[ROWS] = {"on", "1", "1", "1", "dary", "1", "0.5", "1"};
  for (size_t i = 0; i < ROWS; i++) {
    fields f = parsed(rows[i].name, texts[i]);
    for (size_t k = 1; k < ROWS; k++) check_equal(scree__option_is_unset(&rows[k], &f), k != i);
    check_equal(f.pruning_off, i == 0);
  }
}

static void refuses(const char *name, const char *text, const char *expected) {
  fields f = unset;
  char why[256] = "";
  check_equal(scree__option_parse(row(name), &f, text, " (from X)", why, sizeof why), -1);
  check_string(why, expected);
  check(memcmp(&f, &unset, sizeof f) == 0);
}

HARNESS_TEST(errors) {
  refuses("no-pruning", "yes",
          "option 'no-pruning': 'yes' (from X) is not a known word; legal: off|on; give one of these words");
  refuses("queue", "heap",
          "option 'queue': 'heap' (from X) is not a known word; legal: buckets|dary|binary; give one of these words");
  refuses("frequency", "0",
          "option 'frequency': '0' (from X) is out of range; legal: 1 to 100; give a whole number without a unit");
  refuses("delta", "0",
          "option 'delta': '0' (from X) is out of range; legal: auto, above 0; give a decimal number without a unit, "
          "as in 0.5 or 1e-6");
  refuses("delta", "1e999",
          "option 'delta': '1e999' (from X) is out of range; legal: auto, above 0; give a decimal number without a "
          "unit, as in 0.5 or 1e-6");
  refuses("damping", "1",
          "option 'damping': '1' (from X) is out of range; legal: above 0 and below 1; give a decimal number without "
          "a unit, as in 0.5 or 1e-6");
  refuses("tolerance", "9e-16",
          "option 'tolerance': '9e-16' (from X) is out of range; legal: 1e-15 to 2; give a decimal number without a "
          "unit, as in 0.5 or 1e-6");
  static const char *const junk[] = {"", "-1", "+1", " 1", "1 ", "0x1p3", "inf", "nan", "1e", "e5", "1.2.3", "."};
  for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
    fields f = unset;
    char why[256] = "";
    check_equal(scree__option_parse(row("damping"), &f, junk[i], "", why, sizeof why), -1);
    check_contains(why, "is not a number; legal: above 0 and below 1");
  }
}

HARNESS_TEST(stored_values) {
  char why[256] = "";
  fields f = unset;
  for (size_t i = 0; i < ROWS; i++) check_equal(scree__option_check(&rows[i], &f, "", why, sizeof why), 0);
  f.damping = NAN;
  check_equal(scree__option_check(row("damping"), &f, " (field)", why, sizeof why), -1);
  check_contains(why, "option 'damping': 'nan' (field) is out of range");
  f.delta = -2;
  check_equal(scree__option_check(row("delta"), &f, "", why, sizeof why), -1);
  check_contains(why, "option 'delta': '-2' is out of range");
  f.frequency = 101;
  check_equal(scree__option_check(row("frequency"), &f, "", why, sizeof why), -1);
  check_contains(why, "option 'frequency': '101' is out of range");
}

HARNESS_TEST(defaults) {
  static const char *const expected[ROWS] = {"off", "32", "auto", "1us", "buckets", "auto", "0.85", ""};
  for (size_t i = 0; i < ROWS; i++) {
    char text[32];
    fields f = unset;
    scree__option_format_default(&rows[i], text, sizeof text);
    check_string(text, expected[i]);
    scree__option_set_default(&rows[i], &f);
    scree__option_format(&rows[i], &f, text, sizeof text);
    check_string(text, expected[i]);
  }
}

HARNESS_TEST(round_trip) {
  static const double reals[] = {0.1, 1.0 / 3, 1e-300, 123456789, 2e300};
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
    fields f = unset;
    char text[32];
    f.delta = reals[i];
    scree__option_format(row("delta"), &f, text, sizeof text);
    check(parsed("delta", text).delta == reals[i]);
  }
}

HARNESS_TEST(shortest) {
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0.002025, "0.002025"},
               {0.1 + 0.2, "0.30000000000000004"},
               {0, "0"},
               {-1.5, "-1.5"},
               {1.0 / 3, "0.3333333333333333"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {(double)0.1f, "0.10000000149011612"},
               {123456789012345678.0, "1.2345678901234568e+17"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32];
    check_equal(scree__real_print_shortest(text, sizeof text, cases[i].x), strlen(cases[i].text));
    check_string(text, cases[i].text);
  }
}

HARNESS_TEST(names) {
  check(row("no_pruning") == &rows[0]);
  check(row("no-pruning") == &rows[0]);
  check(row("no-prunin") == NULL);
  check(row("no-pruning-") == NULL);
  check(row("") == NULL);
  check(scree__option_nearest(rows, ROWS, "no_prunin") == &rows[0]);
  check(scree__option_nearest(rows, ROWS, "deltas") == row("delta"));
  check(scree__option_nearest(rows, ROWS, "del") == row("delta"));
  check(scree__option_nearest(rows, ROWS, "zebra") == NULL);
  check(scree__option_nearest(rows, ROWS, "") == NULL);
  check(scree__option_nearest(rows, 0, "delta") == NULL);
}

/* A list that is cut says so, once, whatever its size. */
HARNESS_TEST(long_lists) {
  static const char whole[] = "alpha, be, gamma, delta";
  for (size_t size = 6; size < 40; size++) {
    char text[40] = "";
    scree__names_add(text, size, "alpha");
    scree__names_add(text, size, "be");
    scree__names_add(text, size, "gamma");
    scree__names_add(text, size, "delta");
    const size_t n = strlen(text);
    check(n < size);
    if (size >= sizeof whole + 5)
      check(strcmp(text, whole) == 0);
    else
      check(n >= 3 && strcmp(text + n - 3, "...") == 0 && strncmp(text, whole, n - 3) == 0);
  }
}

HARNESS_MAIN
