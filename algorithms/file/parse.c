/* parse.c - the words of a line: ids and weights. */
#include "file/parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

/* Digits up to the end of the word, at most `max`; false otherwise. */
static bool digits(const char *p, const char *end, uint64_t max, uint64_t *value) {
  uint64_t v = 0;
  if (p == end) return false;
  for (; p < end; p++) {
    unsigned digit = (unsigned)*p - '0';
    if (digit > 9 || digit > max || v > (max - digit) / 10) return false;
    v = v * 10 + digit;
  }
  *value = v;
  return true;
}

const char *scree__parse_number(const char **p, uint64_t min, uint64_t max, uint64_t *value) {
  const char *end = scree__word_end(*p);
  if (!digits(*p, end, max, value) || *value < min) return "a number in range";
  *p = end;
  return NULL;
}

/* Minus zero, which is zero. */
static const char *parse_minus(const char **p, double *weight, bool *decimal) {
  const char *digits = *p + 1;
  double w = 1;
  bool point = false;
  if (*digits == '-' || scree__parse_weight(&digits, &w, &point) || w > 0) return "a weight of 0 or more";
  *weight = 0;
  *decimal |= point;
  *p = digits;
  return NULL;
}

const char *scree__parse_weight(const char **p, double *weight, bool *decimal) {
  const char *end = scree__word_end(*p);
  uint64_t integer;
  if (digits(*p, end, UINT32_MAX, &integer)) {
    *weight = (double)integer;
    *p = end;
    return NULL;
  }
  if (**p == '-') return parse_minus(p, weight, decimal);
  if (strspn(*p, "0123456789") == (size_t)(end - *p) && *p < end)
    return "a weight of at most 4294967295, or with a decimal point";
  char *after;
  double w = scree__real_parse(*p, &after);
  if (strspn(*p, "0123456789.eE+-") != (size_t)(end - *p) || after != end || *p == end) return "a weight";
  if (!isfinite(w)) return "a weight that a double holds";
  *weight = w;
  *decimal = true;
  *p = end;
  return NULL;
}

const char *scree__quote_word(const char *p, char *text, size_t size) {
  if (!*p) {
    snprintf(text, size, "the end of the line");
    return text;
  }
  size_t length = (size_t)(scree__word_end(p) - p), max = size - 6;
  int shown = (int)(length < max ? length : max);
  snprintf(text, size, "'%.*s%s'", shown, p, length > max ? "..." : "");
  for (char *c = text; *c; c++)
    if (*c < 32 || *c > 126) *c = '?';
  return text;
}
