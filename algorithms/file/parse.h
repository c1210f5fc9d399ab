/* parse.h - the words of a line: from text to numbers, or what was expected if it is not a number. */
#ifndef SCREE__PARSE_H
#define SCREE__PARSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The position after blanks and tabs. */
static inline const char *scree__skip_blanks(const char *p) {
  while (*p == ' ' || *p == '\t') p++;
  return p;
}
/* End of the word at p. */
static inline const char *scree__word_end(const char *p) {
  while (*p && *p != ' ' && *p != '\t') p++;
  return p;
}

/* Each parses the word at *p, which does not begin with a blank, and moves *p past it. NULL on success; else what was
 * expected, and *p stays. */
const char *scree__parse_number(const char **p, uint64_t min, uint64_t max, uint64_t *value); /* digits */
/* 0 or more; *decimal becomes true if it has a point or an exponent; else it is at most 2^32 - 1. In the C locale. */
const char *scree__parse_weight(const char **p, double *weight, bool *decimal);

/* The same for the text p .. end-1, which no byte follows that a number may contain. */
const char *scree__parse_digits(const char *p, const char *end, uint64_t min, uint64_t max, uint64_t *value);
const char *scree__parse_real(const char *p, const char *end, double *weight, bool *decimal);

/* Moves *p past the word there, whatever it is. Returns NULL, or `expected` at the end of the line. */
static inline const char *scree__pass_word(const char **p, const char *expected) {
  if (!**p) return expected;
  *p = scree__word_end(*p);
  return NULL;
}

/* Copies the text p .. end-1, printable and in quotes. */
const char *scree__quote_text(const char *p, const char *end, char *text, size_t size);
/* The same of the word at p, printable and in quotes; "the end of the line" if no word is there. */
const char *scree__quote_word(const char *p, char *text, size_t size);

#endif
