/* format.c - durations as readable text. */
#include "study/util/format.h"

#include <stdio.h>

typedef struct {
  double factor;
  const char *name;
} unit;

static unit unit_of(double seconds) {
  static const unit units[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}, {1, "s"}};
  size_t i = 0;
  while (i < 3 && seconds * units[i].factor >= 999.5) i++;
  return units[i];
}

/* Enough decimals for three significant digits. */
static int decimals_of(double x) {
  return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
}

void study_print_seconds(char *text, size_t size, double seconds) {
  unit u = unit_of(seconds);
  snprintf(text, size, "%.*f %s", decimals_of(seconds * u.factor), seconds * u.factor, u.name);
}

void study_print_range(char *text, size_t size, double median, double low, double high) {
  unit u = unit_of(median);
  int d = decimals_of(median * u.factor);
  snprintf(text, size, "%.*f %s %.*f..%.*f", d, median * u.factor, u.name, d, low * u.factor, d, high * u.factor);
}

void study_print_duration(char *text, size_t size, double seconds) {
  unsigned long long s = (unsigned long long)(seconds + 0.5);
  if (s < 60)
    snprintf(text, size, "%llu s", s);
  else if (s < 3600)
    snprintf(text, size, "%llu min %llu s", s / 60, s % 60);
  else
    snprintf(text, size, "%llu h %llu min", s / 3600, s % 3600 / 60);
}
