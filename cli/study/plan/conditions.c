/* conditions.c - reads and evaluates conditions. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "study/plan/make.h"

/* Longer operators first, since they share prefixes. */
static const struct {
  const char *text;
  study_comparator is;
} comparators[] = {{"!=", STUDY_UNEQUAL}, {"<=", STUDY_AT_MOST}, {">=", STUDY_AT_LEAST},
                   {"=", STUDY_EQUAL},    {"<", STUDY_LESS},     {">", STUDY_MORE}};
enum { COMPARATORS = sizeof comparators / sizeof comparators[0] };

/* ---- reading ---- */

static bool find_axis(study_maker *m, const char *text, size_t n, const study_list *names, size_t axes, size_t *axis) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)n, text);
  for (*axis = 0; *axis < names->count; ++*axis)
    if (strlen(names->values[*axis]) == n && strncmp(names->values[*axis], text, n) == 0) break;
  if (*axis < axes) return true;
  if (*axis == axes && axes < names->count)
    return study_plan_fail(m, "condition: '%s' cannot depend on itself; use skip if", name);
  if (*axis < names->count)
    return study_plan_fail(m, "condition: '%s' is defined too late; put all lines of '%s' after the first line of '%s'",
                           name, names->values[axes], name);
  if (!axes)
    return study_plan_fail(
        m, "condition: no earlier line defines the axis '%s', and there are no others; put its line first", name);
  const char *nearest = scree__nearest(name, names->values, axes);
  return study_plan_fail(m, "condition: no earlier line defines the axis '%s'%s%s%s", name,
                         nearest ? "; the nearest is '" : "; put its line first", nearest ? nearest : "",
                         nearest ? "'" : "");
}

static bool read_comparator(study_maker *m, const char **at, study_comparator *is) {
  *at = study_plan_skip_blanks(*at);
  for (size_t i = 0; i < COMPARATORS; i++)
    if (strncmp(*at, comparators[i].text, strlen(comparators[i].text)) == 0) {
      *at += strlen(comparators[i].text);
      return *is = comparators[i].is, true;
    }
  return study_plan_fail(m, "condition: '%s' found where one of = != < <= > >= is expected, as in algorithm = dc", *at);
}

/* One value of a comparison. */
static bool read_value(study_maker *m, const char **at, study_list *values) {
  *at = study_plan_skip_blanks(*at);
  if (**at == '"') {
    const char *value = study_plan_quoted(m, at);
    return value && study_plan_add(m, values, value);
  }
  size_t n = strcspn(*at, "|\" \t\n\v\f\r");
  const char *text = *at;
  study_operand operand;
  *at += n;
  if (n == strlen(study_plan_default) && strncmp(text, study_plan_default, n) == 0)
    return study_plan_add(m, values, study_plan_default);
  if (n == 0 || strchr("=<>!", *text) || study_plan_keyword(text, "and"))
    return study_plan_fail(m, "condition: a value is missing before '%s'; write for example: algorithm = dc", text);
  char number[64];
  if (!study_plan_operand(m, text, n, &operand) || !operand.computed)
    return study_plan_add(m, values, study_plan_copy(m, text, n));
  study_plan_print(number, sizeof number, operand.value, STUDY_PLAIN);
  return study_plan_add(m, values, study_plan_copy(m, number, strlen(number)));
}

static bool read_values(study_maker *m, const char **at, study_comparison *c) {
  double number;
  for (;;) {
    if (!read_value(m, at, &c->values)) return false;
    *at = study_plan_skip_blanks(*at);
    if (**at != '|') break;
    ++*at;
  }
  if (c->is == STUDY_EQUAL || c->is == STUDY_UNEQUAL) return true;
  if (c->values.count > 1) return study_plan_fail(m, "condition: '|' is legal with = and != only; give one number");
  if (!study_number(c->values.values[0], &number))
    return study_plan_fail(
        m, "condition: '%s' is not a number, and < <= > >= compare numbers; use = or !=", c->values.values[0]);
  return true;
}

static bool read_comparison(study_maker *m, const char **at, const study_list *names, size_t axes,
                            study_condition *condition) {
  study_comparison c = {0};
  size_t n = strcspn(*at, "=!<>|\" \t\n\v\f\r");
  const char *name = *at;
  if (n == 0)
    return study_plan_fail(m, "condition: an axis is missing before '%s'; write for example: algorithm = dc", *at);
  *at += n;
  if (!find_axis(m, name, n, names, axes, &c.axis) || !read_comparator(m, at, &c.is) || !read_values(m, at, &c) ||
      !study_plan_grow(m, &condition->comparisons, condition->count, sizeof c))
    return false;
  condition->comparisons[condition->count++] = c;
  return true;
}

bool study_plan_condition(study_maker *m, const char *at, const study_list *names, size_t axes, bool loose,
                          study_condition *condition) {
  for (;;) {
    at = study_plan_skip_blanks(at);
    if (!*at) return study_plan_fail(m, "a condition is missing at the end; write for example: algorithm = dc");
    if (!read_comparison(m, &at, names, axes, condition)) return false;
    at = study_plan_skip_blanks(at);
    if (!*at) return true;
    if (study_plan_keyword(at, "and"))
      at += 3;
    else if (!loose)
      return study_plan_fail(m, "condition: '%s' found where 'and', '|' or the end is expected", at);
  }
}

/* ---- evaluation ---- */

/* NULL (absent) equals `default`. */
static bool is_one_of(const char *value, const study_list *values) {
  for (size_t i = 0; i < values->count; i++)
    if (study_plan_same(value ? value : study_plan_default, values->values[i])) return true;
  return false;
}

static bool compare(const study_comparison *c, const char *value) {
  double a, b;
  if (c->is == STUDY_EQUAL || c->is == STUDY_UNEQUAL) return is_one_of(value, &c->values) == (c->is == STUDY_EQUAL);
  if (!value || !study_number(value, &a) || !study_number(c->values.values[0], &b)) return false;
  switch (c->is) {
  case STUDY_LESS:
    return a < b;
  case STUDY_AT_MOST:
    return a <= b;
  case STUDY_MORE:
    return a > b;
  default:
    return a >= b;
  }
}

bool study_plan_holds(const study_condition *condition, const char *const *values) {
  for (size_t i = 0; i < condition->count; i++)
    if (!compare(&condition->comparisons[i], values[condition->comparisons[i].axis])) return false;
  return true;
}
