/* option_value.c - values of options as text: units, words, numbers. */
#include "base/option_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/real.h"

/* ---- words ---- */

const char *scree__option_words(const scree_option *row) {
  return row->kind == SCREE_KIND_FLAG ? "off|on" : row->choices;
}

static bool has_words_only(const scree_option *row) {
  return row->kind == SCREE_KIND_CHOICE || row->kind == SCREE_KIND_FLAG;
}

static bool parse_word(const char *words, const char *text, uint64_t *index) {
  const char *word = words;
  for (uint64_t k = 0;; k++) {
    size_t n = strcspn(word, "|");
    if (strlen(text) == n && strncmp(text, word, n) == 0) return *index = k, true;
    if (!word[n]) return false;
    word += n + 1;
  }
}

static void format_word(const char *words, uint64_t index, char *text, size_t size) {
  const char *word = words;
  for (uint64_t k = 0; k < index && word; k++) word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL;
  snprintf(text, size, "%.*s", word ? (int)strcspn(word, "|") : 0, word ? word : "");
}

/* ---- whole numbers with units ---- */

typedef struct {
  const char *suffix;
  uint64_t factor;
} unit;

/* Largest first, the bare number last: the order in which a value is printed. */
static const unit size_units[] = {
    {"G", UINT64_C(1) << 30}, {"M", UINT64_C(1) << 20}, {"K", UINT64_C(1) << 10}, {"", 1}};
static const unit time_units[] = {
    {"s", UINT64_C(1000000000)}, {"ms", UINT64_C(1000000)}, {"us", UINT64_C(1000)}, {"ns", 1}, {"", 1}};
static const unit no_units[] = {{"", 1}};

typedef struct {
  const unit *unit;
  size_t count;
} notation;

static const notation notations[] = {
    [SCREE_KIND_COUNT] = {no_units, 1},
    [SCREE_KIND_SIZE] = {size_units, 4},
    [SCREE_KIND_TIME] = {time_units, 5},
};

bool scree__digits(const char **at, uint64_t max, uint64_t *value) {
  const char *from = *at;
  bool fits = true;
  for (*value = 0; **at >= '0' && **at <= '9'; ++*at) {
    const uint64_t digit = (uint64_t)(**at - '0');
    fits = fits && digit <= max && *value <= (max - digit) / 10;
    if (fits) *value = 10 * *value + digit;
  }
  return fits && *at > from;
}

/* A number too large for 64 bits becomes SCREE_UNSET, which no range holds. */
static bool parse_whole(const notation *form, const char *text, uint64_t *value) {
  const char *end = text;
  const bool fits = scree__digits(&end, UINT64_MAX, value);
  for (size_t u = 0; u < form->count && end > text; u++)
    if (strcmp(end, form->unit[u].suffix) == 0) {
      *value = fits && *value <= UINT64_MAX / form->unit[u].factor ? *value * form->unit[u].factor : SCREE_UNSET;
      return true;
    }
  return false;
}

static void format_whole(const notation *form, uint64_t value, char *text, size_t size) {
  size_t u = 0;
  while (u + 1 < form->count && (value == 0 || value % form->unit[u].factor != 0)) u++;
  snprintf(text, size, "%llu%s", (unsigned long long)(value / form->unit[u].factor), form->unit[u].suffix);
}

/* ---- real numbers ---- */

/* Decimal notation without a sign; strtod alone would take "0x1p3", "inf" and " 1". */
static bool parse_real(const char *text, double *value) {
  char *end;
  if (strspn(text, "0123456789.eE+-") != strlen(text) || text[0] == '+' || text[0] == '-') return false;
  *value = scree__real_parse(text, &end);
  return end != text && !*end;
}

/* The fewest digits that read back as the same number. */
static void format_real(double value, char *text, size_t size) {
  char digits[32];
  int precision = 1;
  do scree__real_print(digits, sizeof digits, precision, value);
  while (scree__real_parse(digits, NULL) != value && ++precision <= 17);
  snprintf(text, size, "%s", digits);
}

static bool is_legal_real(const scree_option *row, double value) {
  if (!isfinite(value)) return false;
  return row->exclusive ? value > row->real_min && value < row->real_max
                        : value >= row->real_min && value <= row->real_max;
}

/* ---- any kind ---- */

bool scree__option_value_parse(const scree_option *row, const char *text, scree__option_value *value) {
  if (row->kind == SCREE_KIND_NAME) return value->text = text, *text;
  if (has_words_only(row)) {
    if (!parse_word(scree__option_words(row), text, &value->whole)) return false;
    return value->whole += row->min, true;
  }
  bool is_word = row->choices[0] && strcmp(text, row->choices) == 0;
  if (row->kind == SCREE_KIND_REAL)
    return is_word ? value->real = SCREE_UNSET_REAL, true : parse_real(text, &value->real);
  return is_word ? value->whole = 0, true : parse_whole(&notations[row->kind], text, &value->whole);
}

bool scree__option_value_is_unset(const scree_option *row, scree__option_value value) {
  if (row->kind == SCREE_KIND_FORM || row->kind == SCREE_KIND_NAME) return !value.text;
  return row->kind == SCREE_KIND_REAL ? value.real == SCREE_UNSET_REAL : value.whole == SCREE_UNSET;
}

bool scree__option_value_is_legal(const scree_option *row, scree__option_value value) {
  if (row->kind == SCREE_KIND_NAME) return true;
  if (row->kind == SCREE_KIND_FLAG) return value.whole <= 1;
  if (row->kind == SCREE_KIND_REAL)
    return (row->choices[0] && value.real == SCREE_UNSET_REAL) || is_legal_real(row, value.real);
  bool has_word = row->kind != SCREE_KIND_CHOICE && row->choices[0];
  return (has_word && value.whole == 0) || (value.whole >= row->min && value.whole <= row->max);
}

void scree__option_value_format(const scree_option *row, scree__option_value value, char *text, size_t size) {
  bool unset = scree__option_value_is_unset(row, value);
  if (unset)
    snprintf(text, size, "%s", row->kind == SCREE_KIND_REAL ? row->choices : "");
  else if (row->kind == SCREE_KIND_NAME)
    snprintf(text, size, "%s", value.text);
  else if (has_words_only(row))
    format_word(scree__option_words(row), value.whole - row->min, text, size);
  else if (row->kind == SCREE_KIND_REAL)
    format_real(value.real, text, size);
  else if (value.whole == 0 && row->choices[0])
    snprintf(text, size, "%s", row->choices);
  else
    format_whole(&notations[row->kind], value.whole, text, size);
}
