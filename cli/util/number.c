/* number.c - numbers with units, as in options. */
#include "util/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/real.h"

static const struct {
  const char *suffix;
  double factor;
} units[] = {{"", 1}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

bool cli_number(const char *text, double *number) {
  char *end;
  if (!(isdigit((unsigned char)text[0]) || text[0] == '.')) return false;
  if (text[1] == 'x' || text[1] == 'X') return false; /* strtod accepts 0x10 */
  const double value = scree__real_parse(text, &end);
  for (size_t u = 0; u < sizeof units / sizeof units[0] && end != text; u++)
    if (strcmp(end, units[u].suffix) == 0) return *number = value * units[u].factor, isfinite(*number);
  return false;
}
