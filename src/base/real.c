/* real.c - real numbers in the locale C. */
#include "base/real.h"

#include <atomic_ops.h>
#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made once. NULL: no memory; then numbers are as the program's locale has them. */
static locale_t locale_c(void) {
  static AO_t known;
  const AO_t before = AO_load_acquire_read(&known);
  if (before) return (locale_t)before;
  const locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!made || AO_compare_and_swap_full(&known, 0, (AO_t)made)) return made;
  freelocale(made);
  return (locale_t)AO_load_acquire_read(&known);
}

double scree__real_parse(const char *text, char **end) {
  const locale_t c = locale_c();
  return c ? strtod_l(text, end, c) : strtod(text, end);
}

bool scree__seconds_parse(const char *text, double *seconds) {
  char *unit;
  if (text[0] < '0' || text[0] > '9') return false;
  *seconds = scree__real_parse(text, &unit);
  if (strcmp(unit, "m") == 0) *seconds *= 60;
  if (strcmp(unit, "h") == 0) *seconds *= 3600;
  return !unit[0] || (strchr("smh", unit[0]) && !unit[1]);
}

int scree__real_print(char *text, size_t size, int digits, double value) {
  const locale_t c = locale_c(), before = c ? uselocale(c) : (locale_t)0;
  const int length = snprintf(text, size, "%.*g", digits, value);
  if (before) uselocale(before);
  return length;
}

/* Fewer than DBL_DIG digits are the same number with trailing zeros, which "%g" omits, except for the smallest
 * numbers. */
int scree__real_print_shortest(char *text, size_t size, double value) {
  int digits = value < DBL_MIN && value > -DBL_MIN ? 1 : DBL_DIG, length;
  do length = scree__real_print(text, size, digits, value);
  while (digits++ < DBL_DECIMAL_DIG && scree__real_parse(text, NULL) != value);
  return length;
}
