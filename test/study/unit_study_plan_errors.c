/* unit_study_plan_errors.c - messages for plans that are not legal. */
#include "study_plan.h"

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
    {"a\x01 = 1", "s:1: byte 1 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \"\x0b\"", "s:1: byte 11 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xc2\x9b", "s:1: byte 194 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xe2\x80\xae", "s:1: byte 226 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xe4", "s:1: byte 228 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xe0\x80\x80", "s:1: byte 224 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xed\xa0\x80", "s:1: byte 237 is not text; a plan is text in UTF-8, without control characters"},
    {"a = \xf4\x90\x80\x80", "s:1: byte 244 is not text; a plan is text in UTF-8, without control characters"},
    {"title = \xf0\x9f\x98\n", "s:1: byte 240 is not text; a plan is text in UTF-8, without control characters"},
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
    {"a = 1\nskip if b = 2\nb = 2", "s:2: condition: no earlier line defines the axis 'b'; put its line first"},
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
    {"a = 1\ncontrol = c=2", "s:2: condition: no earlier line defines the axis 'c'; put its line first"},
    /* limits */
    {"a = 1..400+1\nb = 1..400+1", "s: more than 100000 configurations; give fewer values, or split the plan"},
    {"a = 1..2000+1\nb = 1..10+1\nrepeat = 501",
     "s:3: repeat: 20000 configurations, repeated 501 times, exceed 10000000 runs; reduce repeat"},
    {"a=1..2000+1\nb=1..2000+1\nc=1,2\nskip if c = 1|2",
     "s: the skip statements remove nearly all of too many configurations; give fewer values"},
};

HARNESS_TEST(errors_of_files) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    char why[512];
    study_plan *plan = make(errors[i].file, NULL, 0, NULL, 0, why);
    check_text(plan == NULL, "'%s' makes a plan", errors[i].file);
    check_string(why, errors[i].why);
    study_plan_free(plan);
  }
}

HARNESS_TEST(errors_of_options) {
  static const char *const cases[][2] = {
      {"b=\xff", "option '--axis': byte 255 is not text; a plan is text in UTF-8, without control characters"},
      {"b=\"1\n2\"", "option '--axis': byte 10 is not text; a plan is text in UTF-8, without control characters"},
      {"b=1,", "option '--b': a value is missing; give values after '=', separated by commas, as in 1, 2"},
      {"b=", "option '--b': a value is missing; give values after '=', separated by commas, as in 1, 2"},
      {"b", "option '--axis': 'b' is not a statement; statements are NAME = VALUES and skip if CONDITION"},
      {"b=1 if c = 1", "option '--b': condition: no earlier line defines the axis 'c'; put its line first"},
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

/* A long value and a short buffer for the message. */
HARNESS_TEST(long_errors) {
  char file[5000] = "a = b ", why[16];
  memset(file + 6, 'x', sizeof file - 7);
  study_source source = {.file = file, .file_name = "s"};
  check(study_plan_make(&source, why, sizeof why) == NULL);
  check_string(why, "s:1: 'xxxxxxxxx");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_of_files), cmocka_unit_test(errors_of_options),
                                     cmocka_unit_test(long_errors)};
  return harness__main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
