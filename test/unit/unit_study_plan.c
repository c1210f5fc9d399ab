/* unit_study_plan.c - sweep files: values, conditions, what options replace, errors; the order of runs; presets.
 *
 * Room: cli/study/plan.h. Starts nothing. */
#include "study/plan/plan.h"

#include "harness.h"

static const study_constant constants[] = {{"cores", 2}, {"fit", 18}, {"eager", 4040}};

static study_plan *make(const char *file, const char *const *axes, size_t axis_count, const char *const *set,
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

/* One that is to be made. */
static study_plan *plan_of(const char *file) {
  char why[512];
  study_plan *plan = make(file, NULL, 0, NULL, 0, why);
  check_text(plan != NULL, "%s: %s", file, why);
  return plan;
}

/* The values of an axis with '|' between them. */
static void join(const study_axis *axis, char *text, size_t size) {
  text[0] = 0;
  for (size_t i = 0; i < axis->count; i++) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%s", i ? "|" : "", axis->values[i]);
  }
}

/* The keys of all configurations with "; " between them. */
static void has_keys(const study_plan *plan, const char *expected) {
  char text[2000] = "";
  if (!plan) return;
  for (size_t i = 0; i < plan->count; i++) {
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s", i ? "; " : "", plan->configurations[i].key);
  }
  check_string(text, expected);
}

static void makes(const char *file, const char *expected) {
  study_plan *plan = plan_of(file);
  has_keys(plan, expected);
  study_plan_free(plan);
}

/* ---- values ---- */

static void numbers(void **unused) {
  (void)unused;
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

static void lists(void **unused) {
  (void)unused;
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

/* ---- conditions ---- */

static void conditions(void **unused) {
  (void)unused;
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
static void order(void **unused) {
  (void)unused;
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

/* ---- what the command line replaces ---- */

static void replacing(void **unused) {
  (void)unused;
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

/* ---- statements that are no axes ---- */

static void settings(void **unused) {
  (void)unused;
  study_plan *plan = plan_of("title = a \"b\" = c, d # no\nlauncher = \"srun -n {ranks}\"\na = 1, 2\nb = x, y\n"
                             "repeat = 7\ntimeout=5m\ncontrol = b=x a=2");
  if (!plan) return;
  check_string(plan->title, "a \"b\" = c, d");
  check_string(plan->launcher, "srun -n {ranks}");
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
  check(plan->launcher == NULL);
  check_equal(plan->repeat, 5);
  check(plan->timeout == 300);
  check_equal(plan->control, 0);
  study_plan_free(plan);
}

/* Only what values are made of: not a title, a name or a part of another word. */
static void words_that_are_used(void **unused) {
  (void)unused;
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

/* The last of the command line wins, over the file too, wherever that has it. */
static void setting_again(void **unused) {
  (void)unused;
  static const char *const set[] = {"repeat=2", "repeat = 3", "timeout=2h", "launcher=run me"}, *const axes[] = {
                                                                                                    "control=a=2"};
  char why[512];
  study_plan *plan = make("repeat = 9\na = 1, 2\nlauncher = x\ntimeout = 1\ntitle = t", axes, 1, set, 4, why);
  check_text(plan != NULL, "%s", why);
  if (!plan) return;
  check_equal(plan->repeat, 3);
  check(plan->timeout == 7200);
  check_string(plan->launcher, "run me");
  check_string(plan->title, "t");
  check_equal(plan->control, 1);
  study_plan_free(plan);
}

/* ---- errors ---- */

static const struct {
  const char *file, *why;
} errors[] = {
    {"", "s: there is nothing to run; give at least one axis, as in kernel = sssp, bfs"},
    {"# a = 1\n\n", "s: there is nothing to run; give at least one axis, as in kernel = sssp, bfs"},
    {"a = 1\nskip if a = 1", "s: every configuration is skipped; loosen a 'skip if'"},
    {"a = 1\n\nb c", "s:3: 'b c' is not a statement; statements are NAME = VALUES and skip if CONDITION"},
    {"2a = 1", "s:1: '2a ' is not a name; names begin with a letter and consist of letters, digits, '-', '_' and '.'"},
    {"= 1", "s:1: '' is not a name; names begin with a letter and consist of letters, digits, '-', '_' and '.'"},
    {"a\x01 = 1", "s:1: byte 1 is not text; a plan is text in UTF-8"},
    {"a = \xe4", "s:1: byte 228 is not text; a plan is text in UTF-8"},
    {"a = \xe0\x80\x80", "s:1: byte 224 is not text; a plan is text in UTF-8"},
    {"a = \xed\xa0\x80", "s:1: byte 237 is not text; a plan is text in UTF-8"},
    {"a = \xf4\x90\x80\x80", "s:1: byte 244 is not text; a plan is text in UTF-8"},
    {"title = \xf0\x9f\x98\n", "s:1: byte 240 is not text; a plan is text in UTF-8"},
    {"a = 1\ntimeout = 0x10s", "s:2: timeout: '0x10s' is not legal; legal: a time from 1s to 168h, such as 300s or 5m"},
    /* values */
    {"a =", "s:1: a value is missing; give values after '=', separated by commas, as in 1, 2"},
    {"a = 1,", "s:1: a value is missing; give values after '=', separated by commas, as in 1, 2"},
    {"a = 1,,2", "s:1: a value is missing; give values after '=', separated by commas, as in 1, 2"},
    {"a = 1\nb = if a = 1", "s:2: a value is missing; give values after '=', separated by commas, as in 1, 2"},
    {"a = \"\"", "s:1: a value is empty; leave the axis out where it does not apply"},
    {"a = \"b, c", "s:1: the quote before 'b, c' is not closed; add a quote after the value"},
    {"a = 1..\"5", "s:1: '1..\"5': a quote inside a value; put the whole value in quotes"},
    {"a = b\"c d\"", "s:1: 'b\"c': a quote inside a value; put the whole value in quotes"},
    {"a = b c, d", "s:1: 'c' follows a value; separate values by commas, or put a value with blanks in quotes"},
    {"a = \"b\"c, d", "s:1: 'c' follows a value; separate values by commas, or put a value with blanks in quotes"},
    /* ranges */
    {"a = 1..cores", "s:1: range '1..cores' has no step; give one, for example 1..cores*2 or 1..cores+1"},
    {"a = 1..x*2",
     "s:1: range '1..x*2' is malformed; ranges are LO..HI*FACTOR and LO..HI+STEP, such as 64..64K*4; put a "
     "value that is not a range in quotes"},
    {"a = 1..2*", "s:1: range '1..2*' is malformed; ranges are LO..HI*FACTOR and LO..HI+STEP, such as 64..64K*4; put a "
                  "value that is not a range in quotes"},
    {"a = 1K..2s*2", "s:1: range '1K..2s*2' mixes sizes and times; give both ends K M G, or both ns us ms s"},
    {"a = 1..2K+1us", "s:1: range '1..2K+1us' mixes sizes and times; give both ends K M G, or both ns us ms s"},
    {"a = 3..2+1", "s:1: range '3..2+1' is empty: its first end exceeds its last; give the lower one first"},
    {"a = 1..2*1", "s:1: range '1..2*1': the factor must be a number above 1, as in 64..64K*4 or 1K..2K*1.02"},
    {"a = 1..2*2K", "s:1: range '1..2*2K': the factor must be a number above 1, as in 64..64K*4 or 1K..2K*1.02"},
    {"a = 0..2*2", "s:1: range '0..2*2': a factor cannot start at 0; begin above 0, or use LO..HI+STEP"},
    {"a = 1..2+0", "s:1: range '1..2+0': the step must be above 0, as in 10..20+5"},
    {"a = 1..5000+1", "s:1: an axis has more than 2000 values, the maximum; give larger steps"},
    {"a = 1..9*1.000001", "s:1: range '1..9*1.000001' has more than 100000 steps; give larger steps"},
    /* conditions */
    {"skip a = 1",
     "s:1: 'skip a = 1': a condition is missing; write for example: skip if algorithm = chaotic and scale > 14"},
    {"skip", "s:1: 'skip ': a condition is missing; write for example: skip if algorithm = chaotic and scale > 14"},
    {"b = 1 if a = 1",
     "s:1: condition: no earlier line defines the axis 'a', and there are no others; put its line first"},
    {"alpha = 1\nbeta = 1\nc = 1 if bta = 1",
     "s:3: condition: no earlier line defines the axis 'bta'; the nearest is 'beta'"},
    {"a = 1\nskip if b = 2\nb = 2", "s:2: condition: no earlier line defines the axis 'b'; the nearest is 'a'"},
    {"a = 1\nb = 2\na = 3 if b = 2",
     "s:3: condition: 'b' is defined too late; put all lines of 'a' after the first line of 'b'"},
    {"a = 1\na = 3 if a = 1", "s:2: condition: 'a' cannot depend on itself; use skip if"},
    {"a = 1\nb = 1 if", "s:2: a condition is missing at the end; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if a = 1 and", "s:2: a condition is missing at the end; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if = 1", "s:2: condition: an axis is missing before '= 1'; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if a 1", "s:2: condition: '1' found where one of = != < <= > >= is expected, as in algorithm = dc"},
    {"a = 1\nb = 1 if a ! 1",
     "s:2: condition: '! 1' found where one of = != < <= > >= is expected, as in algorithm = dc"},
    {"a = 1\nb = 1 if a == 1", "s:2: condition: a value is missing before '= 1'; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if a = and", "s:2: condition: a value is missing before 'and'; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if a = 1|", "s:2: condition: a value is missing before ''; write for example: algorithm = dc"},
    {"a = 1\nb = 1 if a = 1 2", "s:2: condition: '2' found where 'and', '|' or the end is expected"},
    {"a = 1\nb = 1 if a < 1|2", "s:2: condition: '|' is legal with = and != only; give one number"},
    {"a = 1\nb = 1 if a > x", "s:2: condition: 'x' is not a number, and < <= > >= compare numbers; use = or !="},
    {"a = 1\nb = 1 if a = \"x", "s:2: the quote before 'x' is not closed; add a quote after the value"},
    /* statements that are no axes */
    {"a = 1\nrepeat = 0", "s:2: repeat: '0' is not legal; legal: a whole number from 1 to 10000"},
    {"a = 1\nrepeat = 10001", "s:2: repeat: '10001' is not legal; legal: a whole number from 1 to 10000"},
    {"a = 1\nrepeat = 5 if a = 1", "s:2: repeat: '5 if a = 1' is not legal; legal: a whole number from 1 to 10000"},
    {"a = 1\nrepeat = 1e2", "s:2: repeat: '1e2' is not legal; legal: a whole number from 1 to 10000"},
    {"repeat = 2\na = 1\nrepeat = 3", "s:3: 'repeat' is already given in line 1; remove one of them"},
    {"a = 1\ntitle =", "s:2: 'title' has no value; give one, or remove the line"},
    {"a = 1\ntitle = \"\"", "s:2: 'title' has no value; give one, or remove the line"},
    {"a = 1\ntimeout = x", "s:2: timeout: 'x' is not legal; legal: a time from 1s to 168h, such as 300s or 5m"},
    {"a = 1\ntimeout = 5d", "s:2: timeout: '5d' is not legal; legal: a time from 1s to 168h, such as 300s or 5m"},
    {"a = 1\ntimeout = 0.5s", "s:2: timeout: '0.5s' is not legal; legal: a time from 1s to 168h, such as 300s or 5m"},
    {"a = 1\ntimeout = 169h", "s:2: timeout: '169h' is not legal; legal: a time from 1s to 168h, such as 300s or 5m"},
    {"a = 1\ncontrol = a=2",
     "s:2: control: no configuration matches a=2; give values of an existing one, or leave it out"},
    {"a = 1\ncontrol = c=2", "s:2: condition: no earlier line defines the axis 'c'; the nearest is 'a'"},
    /* limits */
    {"a = 1..400+1\nb = 1..400+1", "s: more than 100000 configurations; give fewer values, or split the plan"},
    {"a = 1..2000+1\nb = 1..10+1\nrepeat = 501",
     "s:3: repeat: 20000 configurations, repeated 501 times, exceed 10000000 runs; reduce repeat"},
    {"a=1..2000+1\nb=1..2000+1\nc=1,2\nskip if c = 1|2",
     "s: the skip statements remove nearly all of too many configurations; give fewer values"},
};

static void errors_of_files(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    char why[512];
    study_plan *plan = make(errors[i].file, NULL, 0, NULL, 0, why);
    check_text(plan == NULL, "'%s' makes a plan", errors[i].file);
    check_string(why, errors[i].why);
    study_plan_free(plan);
  }
}

static void errors_of_options(void **unused) {
  (void)unused;
  static const char *const cases[][2] = {
      {"b=\xff", "option '--axis': byte 255 is not text; a plan is text in UTF-8"},
      {"b=1,", "option '--b': a value is missing; give values after '=', separated by commas, as in 1, 2"},
      {"b=", "option '--b': a value is missing; give values after '=', separated by commas, as in 1, 2"},
      {"b", "option '--axis': 'b' is not a statement; statements are NAME = VALUES and skip if CONDITION"},
      {"b=1 if c = 1", "option '--b': condition: no earlier line defines the axis 'c'; the nearest is 'a'"},
      {"skip=1", "option '--skip': skip is legal only in sweep files; write it into one"},
      {"repeat=x", "option '--repeat': 'x' is not legal; legal: a whole number from 1 to 10000"},
      {"timeout=", "option '--timeout': 'timeout' has no value; give one, or remove the line"},
      {"control=a=9",
       "option '--control': no configuration matches a=9; give values of an existing one, or leave it out"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char why[512];
    study_plan *plan = make("a = 1", &cases[i][0], 1, NULL, 0, why);
    check_text(plan == NULL, "'%s' makes a plan", cases[i][0]);
    check_string(why, cases[i][1]);
    study_plan_free(plan);
  }
}

/* A long value, and little room for the message. */
static void long_errors(void **unused) {
  (void)unused;
  char file[5000] = "a = b ", why[16];
  memset(file + 6, 'x', sizeof file - 7);
  study_source source = {.file = file, .file_name = "s"};
  check(study_plan_make(&source, why, sizeof why) == NULL);
  check_string(why, "s:1: 'xxxxxxxxx");
}

/* ---- keys and text ---- */

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As many configurations as may be; each key once. */
static void keys_are_unique(void **unused) {
  (void)unused;
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
static void text_is_canonical(void **unused) {
  (void)unused;
  study_plan *plan =
      plan_of("title = t\na=1..cores*2 , 64..1K*4 # x\nlauncher = srun -n {ranks}\nb = \"x y\", \"default\", "
              "default if a=1 | 64 and a<65\ntimeout = 1.5m\nskip if a = 2\n");
  if (!plan) return;
  check_string(plan->text, "a = 1, 2, 64, 256, 1K\nb = \"x y\", \"default\", default if a = 1|64 and a < 65\n"
                           "skip if a = 2\nrepeat = 5\ntimeout = 90s\nlauncher = srun -n {ranks}\n"
                           "control = a=1 b=\"x y\"\n");
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
static void text_tells_plans_apart(void **unused) {
  (void)unused;
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

/* ---- steps ---- */

/* In each round each configuration once; where controls stand. */
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

static void steps(void **unused) {
  (void)unused;
  static const size_t counts[] = {1, 2, 3, 7, 8, 9, 16, 40};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (uint64_t repeat = 1; repeat <= 5; repeat++) steps_of(counts[i], repeat, counts[i] / 2);
}

/* The same each time, another in each round, and of each round not the order of the file. */
static void steps_are_shuffled(void **unused) {
  (void)unused;
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

static void presets(void **unused) {
  (void)unused;
  size_t count = 0;
  for (; study_preset_at(count).name; count++) {
    study_preset p = study_preset_at(count);
    check_text(p.help && p.help[0] && strncmp(p.text, "# ", 2) == 0, "%s", p.name);
    check_text(strncmp(p.text + 2, p.name, strlen(p.name)) == 0, "%s has another one's text", p.name);
    preset(&p, 1);
    preset(&p, 2);
    preset(&p, 16);
  }
  check_equal(count, 7);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                     cmocka_unit_test(lists),
                                     cmocka_unit_test(conditions),
                                     cmocka_unit_test(order),
                                     cmocka_unit_test(replacing),
                                     cmocka_unit_test(settings),
                                     cmocka_unit_test(words_that_are_used),
                                     cmocka_unit_test(setting_again),
                                     cmocka_unit_test(errors_of_files),
                                     cmocka_unit_test(errors_of_options),
                                     cmocka_unit_test(long_errors),
                                     cmocka_unit_test(keys_are_unique),
                                     cmocka_unit_test(text_is_canonical),
                                     cmocka_unit_test(text_tells_plans_apart),
                                     cmocka_unit_test(steps),
                                     cmocka_unit_test(steps_are_shuffled),
                                     cmocka_unit_test(presets)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
