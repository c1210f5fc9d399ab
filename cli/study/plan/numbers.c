/* numbers.c - numbers of plans: with units, or computed from constants of this machine. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan/make.h"

static const struct {
  const char *suffix;
  double factor;
  study_unit unit;
} units[] = {{"", 1, STUDY_PLAIN},   {"G", 1 << 30, STUDY_SIZE}, {"M", 1 << 20, STUDY_SIZE}, {"K", 1 << 10, STUDY_SIZE},
             {"s", 1e9, STUDY_TIME}, {"ms", 1e6, STUDY_TIME},    {"us", 1e3, STUDY_TIME},    {"ns", 1, STUDY_TIME}};
enum { UNITS = sizeof units / sizeof units[0], DIGITS = 64 };

/* True if all of text[n] is a number, optionally with a unit. */
static bool number(const char *text, size_t n, study_operand *operand) {
  char copy[DIGITS] = "", *end;
  if (n == 0 || n >= sizeof copy || !(isdigit((unsigned char)text[0]) || text[0] == '.')) return false;
  memcpy(copy, text, n);
  if (copy[1] == 'x' || copy[1] == 'X') return false; /* strtod accepts 0x10 */
  double value = strtod(copy, &end);
  for (size_t u = 0; u < UNITS && end != copy; u++)
    if (strcmp(end, units[u].suffix) == 0) {
      *operand = (study_operand){.value = value * units[u].factor, .unit = units[u].unit};
      return isfinite(operand->value);
    }
  return false;
}

bool study_number(const char *text, double *value) {
  study_operand operand;
  return number(text, strlen(text), &operand) ? *value = operand.value, true : false;
}

static const study_constant *find_constant(const study_source *source, const char *name, size_t n) {
  for (size_t i = 0; i < source->constant_count; i++)
    if (strlen(source->constants[i].name) == n && strncmp(source->constants[i].name, name, n) == 0)
      return &source->constants[i];
  return NULL;
}

static double compute(double a, char op, double b) {
  return op == '*' ? a * b : op == '/' ? a / b : op == '+' ? a + b : a - b;
}

bool study_plan_operand(study_maker *m, const char *text, size_t n, study_operand *operand) {
  if (number(text, n, operand)) return true;
  size_t name = 0;
  while (name < n && (isalnum((unsigned char)text[name]) || text[name] == '_')) name++;
  const study_constant *constant = find_constant(m->source, text, name);
  if (!constant) return false;
  double value = (double)constant->value;
  if (name < n) {
    study_operand by;
    if (!strchr("*/+-", text[name]) || !number(text + name + 1, n - name - 1, &by)) return false;
    value = compute(value, text[name], by.value);
  }
  m->constants_used |= (uint64_t)1 << (constant - m->source->constants);
  *operand = (study_operand){.value = value > 0 ? round(value) : 0, .computed = true};
  return isfinite(value);
}

void study_plan_print(char *text, size_t size, double value, study_unit unit) {
  size_t u = 1;
  if (unit == STUDY_PLAIN || value == 0)
    u = 0;
  else
    while (u < UNITS && (units[u].unit != unit || fmod(value, units[u].factor) != 0)) u++;
  if (u == UNITS) u = unit == STUDY_TIME ? UNITS - 1 : 0; /* not a multiple of any unit */
  value /= units[u].factor;
  bool whole = value == round(value) && value < 1e15;
  snprintf(text, size, whole ? "%.0f%s" : "%.10g%s", value, units[u].suffix);
}
