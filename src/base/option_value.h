/* option_value.h - one value of an option, apart from where it is stored: text to value and back, legality. */
#ifndef SCREE__OPTION_VALUE_H
#define SCREE__OPTION_VALUE_H
#include <scree/options.h>

/* The member that counts follows from the row's kind: `real` for a REAL, `text` for a NAME, `whole` for all others; a
 * FLAG is 0 or 1. */
typedef struct {
  uint64_t whole;
  double real;
  const char *text;
} scree__option_value;

/* Reads decimal digits at *at, which moves past them. Returns false if there is no digit, or the number exceeds
 * `max`. */
bool scree__digits(const char **at, uint64_t max, uint64_t *value);

/* The words of a CHOICE or a FLAG. */
const char *scree__option_words(const scree_option *row);

/* Returns false if the text is not of the row's kind. A number too large to represent becomes one that is not legal. */
bool scree__option_value_parse(const scree_option *row, const char *text, scree__option_value *value);
bool scree__option_value_is_legal(const scree_option *row, scree__option_value value);
bool scree__option_value_is_unset(const scree_option *row, scree__option_value value);
void scree__option_value_format(const scree_option *row, scree__option_value value, char *text, size_t size);

#endif
