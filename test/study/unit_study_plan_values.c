/* unit_study_plan_values.c - values of plans: numbers, lists, ranges. */
#include "study_plan.h"

/* ---- values ---- */

HARNESS_TEST(numbers) {
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0", 0},       {"16K", 16384}, {"1.5", 1.5},   {"50us", 50000},    {"1e3", 1000},
              {"1e-6", 1e-6}, {".5", 0.5},    {"1.5K", 1536}, {"2G", 2147483648}, {"3M", 3145728},
              {"1s", 1e9},    {"2ms", 2e6},   {"7ns", 7}};
  static const char *const bad[] = {"",    "K",   "-1",   "+1",   "0x10", "inf", "nan",   "1k",
                                    "1 K", "1Kb", "auto", "1..2", ".",    ".K",  "1e400", "random:1"};
  double value;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    check_text(study_number(good[i].text, &value) && value == good[i].value, "%s", good[i].text);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) check_text(!study_number(bad[i], &value), "%s", bad[i]);
}

HARNESS_TEST(lists) {
  static const char *const cases[][2] = {
      {"1", "1"},
      {"1,2 ,  3", "1|2|3"},
      {"auto, 4K # comment, 5", "auto|4K"},
      {"\"a, b # c\", d", "a, b # c|d"},
      {"\"cores\", cores", "cores|2"},
      {"\"1..3+1\"", "1..3+1"},
      {"a, b, a, 64K, 65536, 1, 1.0", "a|b|64K|1"},
      {"random:1, ../x.gr, a=b", "random:1|../x.gr|a=b"},
      {"delta-sort, eager-mode, cores/x.gr, coresx", "delta-sort|eager-mode|cores/x.gr|coresx"},
      {"1..100", "1..100"},
      {"kron:10..14", "kron:10..14"},
      /* words */
      {"cores, cores*2, cores/2, cores+1, cores-1", "2|4|1|3"},
      {"cores-5, cores*1.3, cores*0.7", "0|3|1"},
      {"eager*0.94, eager-64, eager+1K, eager/3", "3798|3976|5064|1347"},
      /* ranges */
      {"64..64K*4", "64|256|1K|4K|16K|64K"},
      {"64..60K*4", "64|256|1K|4K|16K"},
      {"1024..4096*2", "1024|2048|4096"},
      {"10..20+5", "10|15|20"},
      {"10..19+5", "10|15"},
      {"5..5+1", "5"},
      {"0..3+1", "0|1|2|3"},
      {"0K..2K+512", "0|512|1K|1536|2K"},
      {"1K..2M*32", "1K|32K|1M"},
      {"50us..1ms*2", "50us|100us|200us|400us|800us"},
      {"500us..2ms+500us", "500us|1ms|1500us|2ms"},
      {"1us..2us*1.5", "1us|1500ns"},
      {"1s..2s+0.5s", "1s|1500ms|2s"},
      {"4096..4500*1.02", "4096|4178|4261|4347|4434"},
      {"1..4*1.2", "1|2|3|4"},
      {"100..1000*2.15443", "100|215|464|1000"},
      {"0.1..0.5+0.1", "0.1|0.2|0.3|0.4|0.5"},
      {"0.1..0.3+0.1", "0.1|0.2|0.3"},
      {"1..2+0.25", "1|1.25|1.5|1.75|2"},
      {"0.5..4*2", "0.5|1|2|4"},
      {"1e-9..1e-6*10", "1e-09|1e-08|1e-07|1e-06"},
      {"1..cores*2", "1|2"},
      {"2..cores*2*2", "2|4"},
      {"fit-4..fit+1+1", "14|15|16|17|18|19"},
      {"eager*0.98..eager*1.02*1.02", "3959|4038|4119"},
      {"cores..cores*3+cores", "2|4|6"},
      {"auto, 1..4*2, 8, 2", "auto|1|2|4|8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char file[200], text[400];
    snprintf(file, sizeof file, "\n  x = %s\r\n", cases[i][0]);
    study_plan *plan = plan_of(file);
    if (!plan) continue;
    join(&plan->axes[0], text, sizeof text);
    check_string(text, cases[i][1]);
    check_equal(plan->count, plan->axes[0].count);
    study_plan_free(plan);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(lists)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
