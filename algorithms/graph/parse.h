/* parse.h - the words of a line: ids and weights.
 *
 * Room: text to number, with what was expected when it is none. No files, no graphs. */
#ifndef SCREE__PARSE_H
#define SCREE__PARSE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps over blanks and tabs. */
static inline const char *scree__skip(const char *p) {
  while (*p == ' ' || *p == '\t') p++;
  return p;
}
/* End of the word at p. */
static inline const char *scree__word_end(const char *p) {
  while (*p && *p != ' ' && *p != '\t') p++;
  return p;
}

/* Each takes the word at **p, which is no blank, and moves *p behind it. NULL on success; else what was expected, and
 * *p stays. */
const char *scree__parse_number(const char **p, uint64_t min, uint64_t max, uint64_t *value); /* digits */
const char *scree__parse_id(const char **p, uint64_t *id);                                    /* 0 .. 2^63 - 1 */
/* 0 or more; *decimal becomes true if it has a point or an exponent; else it is at most 2^32 - 1. In the C locale. */
const char *scree__parse_weight(const char **p, double *weight, bool *decimal);

/* Copies the word at p, fit to be printed, in quotes; "the end of the line" if there is none. */
const char *scree__found(const char *p, char *text, size_t size);

#endif
