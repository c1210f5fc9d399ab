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

const char *scree__parse_digits(const char *p, const char *end, uint64_t min, uint64_t max, uint64_t *value) {
  return digits(p, end, max, value) && *value >= min ? NULL : "a number in range";
}

const char *scree__parse_number(const char **p, uint64_t min, uint64_t max, uint64_t *value) {
  const char *end = scree__word_end(*p), *expected = scree__parse_digits(*p, end, min, max, value);
  if (!expected) *p = end;
  return expected;
}

/* Minus zero, which is zero. */
static const char *parse_minus(const char *p, const char *end, double *weight, bool *decimal) {
  double w = 1;
  bool point = false;
  if (*++p == '-' || scree__parse_real(p, end, &w, &point) || w > 0) return "a weight of 0 or more";
  *weight = 0;
  *decimal |= point;
  return NULL;
}

const char *scree__parse_real(const char *p, const char *end, double *weight, bool *decimal) {
  const size_t length = (size_t)(end - p);
  uint64_t integer;
  if (digits(p, end, UINT32_MAX, &integer)) {
    *weight = (double)integer;
    return NULL;
  }
  if (length && *p == '-') return parse_minus(p, end, weight, decimal);
  if (length && strspn(p, "0123456789") == length) return "a weight of at most 4294967295, or with a decimal point";
  char *after;
  double w = length ? scree__real_parse(p, &after) : 0;
  if (!length || strspn(p, "0123456789.eE+-") != length || after != end) return "a weight";
  if (!isfinite(w)) return "a weight that a double holds";
  *weight = w;
  *decimal = true;
  return NULL;
}

const char *scree__parse_weight(const char **p, double *weight, bool *decimal) {
  const char *end = scree__word_end(*p), *expected = scree__parse_real(*p, end, weight, decimal);
  if (!expected) *p = end;
  return expected;
}

const char *scree__quote_text(const char *p, const char *end, char *text, size_t size) {
  size_t length = (size_t)(end - p), max = size - 6;
  int shown = (int)(length < max ? length : max);
  snprintf(text, size, "'%.*s%s'", shown, p, length > max ? "..." : "");
  for (char *c = text; *c; c++)
    if (*c < 32 || *c > 126) *c = '?';
  return text;
}

const char *scree__quote_word(const char *p, char *text, size_t size) {
  if (*p) return scree__quote_text(p, scree__word_end(p), text, size);
  snprintf(text, size, "the end of the line");
  return text;
}
