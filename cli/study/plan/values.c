/* values.c - lists of values: words, numbers, ranges, quoted text; each value once. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/plan/make.h"

const char study_plan_default[] = "default";

const char *study_plan_skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

bool study_plan_keyword(const char *at, const char *word) {
  size_t n = strlen(word);
  return strncmp(at, word, n) == 0 && (!at[n] || isspace((unsigned char)at[n]));
}

bool study_plan_same(const char *a, const char *b) {
  double x, y;
  if (a == study_plan_default || b == study_plan_default) return a == b;
  return strcmp(a, b) == 0 || (study_number(a, &x) && study_number(b, &y) && x == y);
}

bool study_plan_add(study_maker *m, study_list *list, const char *value) {
  if (!value) return false;
  for (size_t i = list->count; i-- > 0;)
    if (study_plan_same(list->values[i], value)) return true;
  if (list->count == STUDY_VALUES_MAX)
    return study_plan_fail(m, "an axis has more than %d values, the maximum; give larger steps", STUDY_VALUES_MAX);
  if (!study_plan_grow(m, &list->values, list->count, sizeof *list->values)) return false;
  return list->values[list->count++] = value, true;
}

/* ---- ranges ---- */

enum { RANGE_STEPS_MAX = 100000 };

typedef struct {
  study_operand low, high, step;
  char by;          /* '*' or '+' */
  study_unit unit;  /* of the printed values */
  bool whole;       /* round to whole numbers */
  const char *text; /* for messages */
  int n;
} range;

static bool add_number(study_maker *m, study_list *list, double value, study_unit unit) {
  char text[64];
  study_plan_print(text, sizeof text, value, unit);
  return study_plan_add(m, list, study_plan_copy(m, text, strlen(text)));
}

/* The i-th value; before: the previous one. */
static double value_at(const range *r, size_t i, double before) {
  return i == 0 ? r->low.value : r->by == '*' ? before * r->step.value : r->low.value + (double)i * r->step.value;
}

static bool expand_range(study_maker *m, const range *r, study_list *list) {
  double value = 0;
  for (size_t i = 0;; i++) {
    value = value_at(r, i, value);
    double rounded = r->whole ? round(value) : value;
    if (rounded > r->high.value * (1 + 1e-9)) return true;
    if (fabs(rounded - r->high.value) <= 1e-9 * r->high.value) rounded = r->high.value;
    if (i == RANGE_STEPS_MAX)
      return study_plan_fail(m, "range '%.*s' has more than %d steps; give larger steps", r->n, r->text,
                             RANGE_STEPS_MAX);
    if (!add_number(m, list, rounded, r->unit)) return false;
  }
}

/* Checks both ends and the step together. */
static bool check_range(study_maker *m, range *r) {
  study_unit a = r->low.unit, b = r->high.unit, c = r->by == '+' ? r->step.unit : STUDY_PLAIN;
  r->unit = a ? a : b ? b : c;
  if ((a && a != r->unit) || (b && b != r->unit) || (c && c != r->unit))
    return study_plan_fail(m, "range '%.*s' mixes sizes and times; give both ends K M G, or both ns us ms s", r->n,
                           r->text);
  if (r->low.value > r->high.value)
    return study_plan_fail(m, "range '%.*s' is empty: its first end exceeds its last; give the lower one first", r->n,
                           r->text);
  if (r->by == '*' && (r->step.value <= 1 || r->step.unit))
    return study_plan_fail(m, "range '%.*s': the factor must be a number above 1, as in 64..64K*4 or 1K..2K*1.02", r->n,
                           r->text);
  if (r->by == '*' && r->low.value <= 0)
    return study_plan_fail(m, "range '%.*s': a factor cannot start at 0; begin above 0, or use LO..HI+STEP", r->n,
                           r->text);
  if (r->by == '+' && r->step.value <= 0)
    return study_plan_fail(m, "range '%.*s': the step must be above 0, as in 10..20+5", r->n, r->text);
  r->whole = r->low.value == round(r->low.value) && r->high.value == round(r->high.value) &&
             (r->by == '*' || r->step.value == round(r->step.value));
  return true;
}

/* text[n] has a number or constant before the ".." at `dots`: it is a range if a step follows. */
static bool add_range(study_maker *m, const char *text, size_t n, size_t dots, study_operand low, study_list *list) {
  range r = {.low = low, .text = text, .n = (int)n};
  size_t high = dots + 2, step = n;
  while (step > high && !strchr("*+", text[step - 1])) step--;
  if (step == high) { /* no step: a single value, such as 1..100 of random-weights */
    if (low.computed || (study_plan_operand(m, text + high, n - high, &r.high) && r.high.computed))
      return study_plan_fail(m, "range '%.*s' has no step; give one, for example %.*s*2 or %.*s+1", r.n, text, r.n,
                             text, r.n, text);
    return study_plan_add(m, list, study_plan_copy(m, text, n));
  }
  r.by = text[step - 1];
  if (!study_plan_operand(m, text + high, step - 1 - high, &r.high) ||
      !study_plan_operand(m, text + step, n - step, &r.step))
    return study_plan_fail(m,
                           "range '%.*s' is malformed; ranges are LO..HI*FACTOR and LO..HI+STEP, such as 64..64K*4; "
                           "put a value that is not a range in quotes",
                           r.n, text);
  return check_range(m, &r) && expand_range(m, &r, list);
}

/* ---- lists ---- */

/* A value without quotes. */
static bool add_bare(study_maker *m, const char *text, size_t n, study_list *list) {
  study_operand operand;
  const char *dots = memmem(text, n, "..", 2);
  if (memchr(text, '"', n))
    return study_plan_fail(m, "'%.*s': a quote inside a value; put the whole value in quotes", (int)n, text);
  if (dots && study_plan_operand(m, text, (size_t)(dots - text), &operand))
    return add_range(m, text, n, (size_t)(dots - text), operand, list);
  if (n == strlen(study_plan_default) && strncmp(text, study_plan_default, n) == 0)
    return study_plan_add(m, list, study_plan_default);
  if (study_plan_operand(m, text, n, &operand) && operand.computed)
    return add_number(m, list, operand.value, STUDY_PLAIN);
  return study_plan_add(m, list, study_plan_copy(m, text, n));
}

const char *study_plan_quoted(study_maker *m, const char **at) {
  const char *begin = *at + 1, *end = strchr(begin, '"');
  if (!end) {
    study_plan_fail(m, "the quote before '%s' is not closed; add a quote after the value", begin);
    return NULL;
  }
  if (end == begin) {
    study_plan_fail(m, "a value is empty; leave the axis out where it does not apply");
    return NULL;
  }
  *at = end + 1;
  return study_plan_copy(m, begin, (size_t)(end - begin));
}

static bool add_item(study_maker *m, const char **at, study_list *list) {
  if (**at == '"') {
    const char *value = study_plan_quoted(m, at);
    return value && study_plan_add(m, list, value);
  }
  size_t n = strcspn(*at, ", \t\n\v\f\r");
  const char *text = *at;
  *at += n;
  return add_bare(m, text, n, list);
}

bool study_plan_values(study_maker *m, const char **at, study_list *list) {
  for (;;) {
    *at = study_plan_skip_blanks(*at);
    if (!**at || **at == ',' || study_plan_keyword(*at, "if"))
      return study_plan_fail(m, "a value is missing; give values after '=', separated by commas, as in 1, 2");
    if (!add_item(m, at, list)) return false;
    *at = study_plan_skip_blanks(*at);
    if (!**at || study_plan_keyword(*at, "if")) return true;
    if (**at != ',')
      return study_plan_fail(m,
                             "'%.*s' follows a value; separate values by commas, or put a value with blanks in quotes",
                             (int)strcspn(*at, ", \t"), *at);
    ++*at;
  }
}

const char *study_plan_quote(const char *value) {
  bool plain = value == study_plan_default || (!strpbrk(value, " \t\n\v\f\r,#|\"*+=!<>") && strcmp(value, "if") &&
                                               strcmp(value, "and") && strcmp(value, study_plan_default));
  return plain ? "" : "\"";
}
