/* unit_study_stats.c - medians, groups, shares, lines and changes, on constructed records with known answers. */
#include "study/analysis/stats.h"

#include <math.h>

#include "base/random.h"
#include "harness.h"

enum { ROOM = 4096 };

static study_record records[ROOM];
static study_setting settings[ROOM][4];
static char texts[ROOM][5][64];
static study_results results;

static void start(void) {
  results = (study_results){.records = records};
}

/* A run of a configuration "AXIS=VALUE ..."; its seconds; its repetition. */
static study_record *add(const char *key, double seconds, uint64_t repetition) {
  size_t i = results.count++;
  study_record *r = &records[i];
  snprintf(texts[i][4], sizeof texts[i][4], "%s", key);
  *r = (study_record){.key = texts[i][4], .settings = settings[i], .step = i, .repetition = repetition};
  r->seconds = seconds, r->teps = 1 / seconds, r->started = r->message = "", r->validated = true;
  for (const char *at = key; *at; r->count++) {
    char *text = texts[i][r->count];
    size_t length = strcspn(at, " ");
    snprintf(text, sizeof texts[i][0], "%.*s", (int)length, at);
    char *value = strchr(text, '=');
    *value = 0;
    settings[i][r->count] = (study_setting){text, value + 1};
    at += length + (at[length] == ' ');
  }
  return r;
}

static bool near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static double uniform(uint64_t *state) {
  return (double)(scree__draw(state) >> 11) * 0x1p-53;
}

/* Roughly normal: the sum of 12. */
static double noise(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += uniform(state);
  return sum;
}

HARNESS_TEST(medians) {
  const double one[] = {3}, odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, flat[] = {2, 2, 2, 2, 2, 2};
  study_interval i = study_median(one, 1);
  check(near(i.low, 3) && near(i.median, 3) && near(i.high, 3) && i.n == 1);
  i = study_median(odd, 5);
  check(near(i.median, 3) && i.low >= 1 && i.low < 3 && i.high > 3 && i.high <= 5 && i.n == 5);
  check(near(study_median(even, 4).median, 2.5));
  i = study_median(flat, 6);
  check(near(i.low, 2) && near(i.high, 2));
  i = study_median(NULL, 0);
  check(i.n == 0 && near(i.low, 0) && near(i.median, 0) && near(i.high, 0));
}

/* Of 101 values 0 .. 100 the bounds are order statistics: 50 -+ 1.96 sqrt(101)/2, that is 40 and 60. */
HARNESS_TEST(interval_of_many) {
  double values[101];
  for (int i = 0; i < 101; i++) values[i] = (i * 37) % 101;
  study_interval a = study_median(values, 101), b = study_median(values, 101);
  check(near(a.median, 50));
  check_text(fabs(a.low - 40) <= 2 && fabs(a.high - 60) <= 2, "interval %g..%g", a.low, a.high);
  check(memcmp(&a, &b, sizeof a) == 0);
}

/* The interval holds the true median in most of many drawn data sets, and not always. */
HARNESS_TEST(interval_covers) {
  uint64_t state = 7;
  int covered = 0;
  for (int round = 0; round < 200; round++) {
    double values[15];
    for (int i = 0; i < 15; i++) values[i] = 10 + noise(&state);
    study_interval m = study_median(values, 15);
    covered += m.low <= 10 && 10 <= m.high;
  }
  check_text(covered >= 165 && covered < 200, "covered %d of 200", covered);
}

HARNESS_TEST(ratios) {
  const double a[] = {12, 12.1, 11.9, 12.05, 11.95}, b[] = {10, 10.1, 9.9, 10.05, 9.95}, zero[] = {2};
  study_interval r = study_ratio(a, 5, b, 5);
  check(near(r.median, 1.2) && r.low > 1.15 && r.low < 1.2 && r.high > 1.2 && r.high < 1.25 && r.n == 5);
  r = study_ratio(b, 5, zero, 1);
  check(near(r.median, 5) && r.n == 1 && r.low < 5 && r.high > 5);
  check_equal(study_ratio(a, 5, NULL, 0).n, 0);
}

/* Controls and the warm-up do not count; bad runs are counted apart; absence is a value and comes last. */
HARNESS_TEST(groups) {
  start();
  results.plan = "k = sssp\na = delta, dc\nw = 2 if a = delta\nc = auto, 64, 16K\n";
  add("k=sssp a=dc c=auto", 9, 0)->control = true;
  add("k=sssp a=dc c=auto", 2, 1);
  add("k=sssp a=dc c=16K", 3, 1)->work[STUDY_WORK_messages] = 10;
  add("k=sssp a=delta w=2 c=64", 1, 1)->validated = false;
  add("k=sssp a=dc c=auto", 8, 1)->control = true;
  study_record *bad = add("k=sssp a=dc c=16K", 0, 2);
  bad->status = STUDY_TIMEOUT, bad->message = "hung";
  add("k=sssp a=dc c=16K", 5, 3)->work[STUDY_WORK_messages] = 20;
  study_table *t = study_table_make(&results);
  if (!check(t != NULL) || !check(t->count == 3)) return;
  const study_group *g = &t->groups[2];
  check_string(t->groups[0].key, "k=sssp a=delta w=2 c=64");
  check_string(t->groups[1].key, "k=sssp a=dc c=auto");
  check_string(g->key, "k=sssp a=dc c=16K");
  check(g->ok == 2 && g->bad == 1 && g->worst == STUDY_TIMEOUT && g->first == &records[2]);
  check_string(g->message, "hung");
  check(near(g->seconds.median, 4) && near(g->work[STUDY_WORK_messages], 15));
  check(near(g->runs[0], 3) && near(g->runs[1], 5));
  check(g->validated && !t->groups[0].validated && t->groups[1].ok == 1);
  check(t->best == &t->groups[0]);
  check(study_group_value(g, "w") == NULL);
  study_table_free(t);
}

/* Axes, and words on them, come as in the plan; then numbers, ascending. What the plan does not know comes last. */
HARNESS_TEST(axes) {
  start();
  results.plan = "k = x\nz = late, auto if k = x\nz = 16K, 64\na = 1, 2\nskip if z = other\n";
  const char *const keys[] = {"k=x a=2 z=64", "k=x a=1 z=other", "k=x a=1 z=auto", "k=x a=1 z=late", "k=x a=1 z=16K"};
  for (size_t i = 0; i < 5; i++) add(keys[i], 1, 1);
  study_table *t = study_table_make(&results);
  if (!check(t && t->axis_count == 2)) return;
  check_string(t->axes[0].name, "z");
  check_string(t->axes[1].name, "a");
  static const char *const order[] = {"late", "auto", "other", "64", "16K"};
  check_equal(t->axes[0].count, 5);
  for (size_t i = 0; i < t->axes[0].count; i++) check_string(t->axes[0].values[i], order[i]);
  check_string(t->groups[3].key, keys[0]);
  check_string(t->groups[4].key, keys[4]);
  study_table_free(t);
}

/* A wrong answer is never the best, and one that fails at times only if nothing else ran. */
HARNESS_TEST(best) {
  start();
  add("a=wrong", 1, 1);
  add("a=wrong", 0, 2)->status = STUDY_INVALID;
  add("a=fails", 2, 1);
  add("a=fails", 0, 2)->status = STUDY_FAILED;
  study_table *t = study_table_make(&results);
  if (check(t && t->best)) check_string(t->best->key, "a=fails");
  check(t && !t->groups[1].validated && t->groups[0].validated);
  study_table_free(t);
  add("a=good", 3, 1);
  t = study_table_make(&results);
  if (check(t && t->best)) check_string(t->best->key, "a=good");
  study_table_free(t);
  start();
  t = study_table_make(&results);
  check(t && !t->best && t->count == 0 && t->axis_count == 0);
  study_table_free(t);
}

/* log2(seconds) = 2 * [a is y] + [b is y]: squares of the distances are 4 * 1 and 4 * 1/4, so that a explains 4/5. */
HARNESS_TEST(shares) {
  start();
  const char *const keys[] = {"a=x b=x c=x", "a=x b=y c=y", "a=y b=x c=y", "a=y b=y c=x"};
  for (size_t i = 0; i < 4; i++) add(keys[i], 1e-3 * exp2((double)i), 1);
  study_table *t = study_table_make(&results);
  if (!check(t && t->axis_count == 3)) return;
  check(near(study_share(t, &t->axes[0]), 0.8));
  check(near(study_share(t, &t->axes[1]), 0.2));
  check(near(study_share(t, &t->axes[2]), 0));
  study_table_free(t);
  start();
  add("a=x", 1, 1);
  add("a=y", 1, 1);
  t = study_table_make(&results);
  if (check(t && t->axis_count == 1)) check(near(study_share(t, &t->axes[0]), 0));
  study_table_free(t);
}

/* An axis that only some have explains what differs among those; it is looked at from their fastest. */
HARNESS_TEST(conditional_shares) {
  start();
  const char *const keys[] = {"a=x", "a=y d=1", "a=y d=2"};
  const double powers[] = {0, 4, 6}; /* mean 10/3: squares 168/9; within y: 2; between: 150/9 */
  for (size_t i = 0; i < 3; i++) add(keys[i], exp2(powers[i]), 1);
  study_table *t = study_table_make(&results);
  if (!check(t && t->axis_count == 2)) return;
  check(near(study_share(t, &t->axes[0]), 150.0 / 168));
  check(near(study_share(t, &t->axes[1]), 18.0 / 168));
  check(study_reference(t, &t->axes[0]) == t->best);
  if (study_reference(t, &t->axes[1])) check_string(study_reference(t, &t->axes[1])->key, keys[1]);
  study_table_free(t);
}

/* Of two sizes each has its best, and what is common to all of one is no axis's doing: log2(seconds) is 10 for the
 * larger size, 1 for a=y, and for the larger size 2 more for b=y; the table's best is that of the larger. */
HARNESS_TEST(problems) {
  start();
  const char *const keys[] = {"scale=1 a=x b=x", "scale=1 a=y b=y", "scale=2 a=x b=x", "scale=2 a=x b=y",
                              "scale=2 a=y b=x"};
  const double powers[] = {0, 1, 10, 12, 11};
  for (size_t i = 0; i < 5; i++) add(keys[i], exp2(powers[i]), 1);
  results.plan = "scale = 1, 2, 3\na = x, y\nb = x, y\n";
  add("scale=3 a=x b=x", 0, 1)->status = STUDY_FAILED;
  study_table *t = study_table_make(&results);
  if (!check(t && t->count == 6 && t->problems == 3 && t->axis_count == 3)) return;
  check(t->best == &t->groups[2]);
  for (size_t i = 0; i < 5; i++) check(t->groups[i].best == &t->groups[i < 2 ? 0 : 2]);
  check(t->groups[5].best == NULL && t->groups[5].problem == 2);
  check(study_states_problem("scale") && !study_states_problem("ranks") && !study_states_problem("relabel"));
  check(near(study_share(t, &t->axes[0]), 0));
  /* less the means 1/2 and 11: -1/2, 1/2, -1, 1, 0, squares 5/2; a: the mean of x is -1/6, of y 1/4 */
  check_string(t->axes[1].name, "a");
  check(near(study_share(t, &t->axes[1]), (3.0 / 36 + 2.0 / 16) / 2.5));
  check(study_same_settings(t, &t->groups[0], &t->groups[2]) && !study_same_problem(t, &t->groups[0], &t->groups[2]));
  study_table_free(t);
}

HARNESS_TEST(lines) {
  start();
  const char *const keys[] = {"a=dc c=16K", "a=dc c=auto", "a=dc c=64", "a=delta c=64", "a=dc c=1K", "a=dc c=4K"};
  for (size_t i = 0; i < 6; i++) add(keys[i], 1 + (double)i, 1);
  records[5].status = STUDY_FAILED;
  study_table *t = study_table_make(&results);
  if (!check(t && t->axis_count == 2)) return;
  const study_group **line;
  size_t n = study_line(t, &t->axes[1], t->best, &line);
  check_equal(n, 3);
  if (n == 3) {
    check_string(line[0]->key, "a=dc c=64");
    check_string(line[1]->key, "a=dc c=1K");
    check_string(line[2]->key, "a=dc c=16K");
  }
  free(line);
  study_table_free(t);
}

/* Nine controls that get slower by 30 %; one outlier is no spread. */
HARNESS_TEST(controls) {
  start();
  const double seconds[] = {1, 1.01, 0.99, 1.1, 5, 1.12, 1.3, 1.31, 1.29};
  add("a=x", 100, 0)->control = true; /* the warm-up */
  for (uint64_t i = 0; i < 9; i++) add("a=x", seconds[i], i + 1)->control = true;
  add("a=x", 1, 1);
  study_table *t = study_table_make(&results);
  if (!check(t != NULL)) return;
  check(t->controls == 9 && t->count == 1);
  check(near(t->drift.median, 1.3) && t->drift.low > 1.2 && t->drift.high < 1.4);
  check_text(near(t->control_spread, (1.3 - 1) / 1.12), "spread %g", t->control_spread);
  study_table_free(t);
  start();
  for (uint64_t i = 0; i < 3; i++) add("a=x", seconds[i + 6] - (i == 0), i + 1)->control = true;
  t = study_table_make(&results); /* 0.3, 1.31 and 1.29 */
  check(t && near(t->control_spread, (1.31 - 0.3) / 1.29));
  study_table_free(t);
  start();
  add("a=x", 1, 1);
  t = study_table_make(&results);
  check(t && t->controls == 0 && t->drift.n == 0 && near(t->control_spread, 0) && near(t->noise, 0));
  study_table_free(t);
}

/* 40 configurations, 5 runs each with 2 % of noise; number 17 gets slower by `factor`. Number 5 takes once or twice as
 * long by chance, with a median of once, or if there is a factor of twice. */
static void draw_runs(uint64_t seed, double factor) {
  start();
  for (uint64_t r = 1; r <= 5; r++)
    for (int c = 0; c < 40; c++) {
      char key[16];
      snprintf(key, sizeof key, "c=%d", c);
      double jump = c == 5 && r > (factor > 1 ? 2 : 3) ? 2 : 1;
      add(key, jump * (1 + 0.1 * c) * (1 + 0.02 * noise(&seed)) * (c == 17 ? factor : 1), r);
    }
}

static study_results kept;
static study_record kept_records[ROOM];

/* The planted change is found, and no other. */
HARNESS_TEST(changes) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    draw_runs(seed, 1);
    kept = results, kept.records = kept_records;
    memcpy(kept_records, records, sizeof records);
    study_table *before = study_table_make(&kept);
    if (!check(before != NULL)) return;
    char keys[40][16];
    for (size_t i = 0; i < 40; i++) /* their texts are about to be drawn again, the same ones */
      snprintf(keys[i], sizeof keys[i], "%s", before->groups[i].key);
    draw_runs(seed + 100, 1.2);
    add("c=new", 1, 1);
    study_table *after = study_table_make(&results);
    study_change *list = NULL;
    size_t n = after ? study_compare(before, after, &list) : 0, beyond = 0;
    check_equal(n, 40);
    for (size_t i = 0; i < n; i++) {
      beyond += list[i].beyond_noise;
      check(i == 0 || fabs(log(list[i].ratio.median)) <= fabs(log(list[i - 1].ratio.median)));
    }
    check_equal(beyond, 1);
    if (n > 1) check_string(list[0].after->key, keys[5]);
    if (n > 1) check_string(list[1].after->key, keys[17]);
    if (n > 1) check(!list[0].beyond_noise && list[1].beyond_noise && fabs(list[1].ratio.median - 1.2) < 0.06);
    free(list);
    study_table_free(before);
    study_table_free(after);
  }
}

/* Two of three runs are right, one is wrong: the fastest of all is nothing that others are compared with. */
HARNESS_TEST(wrong_answers) {
  start();
  const char *const keys[] = {"a=x c=1", "a=x c=2", "a=y c=1", "a=y c=2"};
  for (size_t i = 0; i < 4; i++)
    for (uint64_t r = 1; r <= 3; r++) add(keys[i], i == 0 ? 1e-3 : i < 2 ? 1 : 2, r);
  study_record *hung = add(keys[0], 0, 4), *wrong = add(keys[0], 0, 5);
  hung->status = STUDY_TIMEOUT, hung->message = "hung";
  wrong->status = STUDY_INVALID, wrong->message = "wrong";
  study_table *t = study_table_make(&results);
  if (!check(t && t->count == 4 && t->axis_count == 2)) return;
  const study_group *g = &t->groups[0], **line;
  check(g->ok == 3 && g->bad == 2 && g->worst == STUDY_INVALID);
  check_string(g->message, "wrong");
  check(!study_usable(g) && study_usable(&t->groups[1]));
  check(t->best == &t->groups[1]);
  check(study_line(t, &t->axes[1], g, &line) == 1 && line[0] == &t->groups[1]);
  free(line);
  check(near(study_share(t, &t->axes[0]), 1));
  study_change *list;
  check_equal(study_compare(t, t, &list), 3);
  for (size_t i = 0; i < 3; i++) check(list[i].before != g);
  free(list);
  study_table_free(t);
}

/* Of two runs nobody can tell; of three they can. */
HARNESS_TEST(few_runs) {
  static study_record twice[6];
  for (size_t runs = 2; runs <= 3; runs++) {
    start();
    for (uint64_t r = 1; r <= runs; r++) add("a=x", 1, r);
    memcpy(twice, records, sizeof twice);
    study_results after = {.records = twice, .count = runs};
    for (size_t i = 0; i < runs; i++) twice[i].seconds = 2;
    study_table *a = study_table_make(&results), *b = study_table_make(&after);
    study_change *list = NULL;
    if (a && b && check(study_compare(a, b, &list) == 1)) check(list[0].beyond_noise == (runs == 3));
    free(list);
    study_table_free(a);
    study_table_free(b);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(medians),       cmocka_unit_test(interval_of_many), cmocka_unit_test(interval_covers),
    cmocka_unit_test(ratios),        cmocka_unit_test(groups),           cmocka_unit_test(axes),
    cmocka_unit_test(best),          cmocka_unit_test(shares),           cmocka_unit_test(conditional_shares),
    cmocka_unit_test(lines),         cmocka_unit_test(controls),         cmocka_unit_test(changes),
    cmocka_unit_test(wrong_answers), cmocka_unit_test(few_runs),         cmocka_unit_test(problems),
};
HARNESS_MAIN(tests)
