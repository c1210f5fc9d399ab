/* scan.c - many lines of ids at once, where each line is as plain as can be.
 *
 * Room: see scan.h. Numbers of up to 7 digits are read without a branch on their length, which a processor would guess
 * wrong: eight bytes are loaded, what is behind the first byte that is no digit is shifted out, and the digits are
 * added up in pairs, fours and eights by multiplications (the technique is called SIMD within a register). A line that
 * is complete ends with LF, so that no loop needs to look at the end of the text. */
#include "scan.h"

#include <string.h>

enum { DIGITS = 15 }; /* any number of so many digits is exact as a double */

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The number of 8 digits, the first in the lowest byte. */
static inline uint64_t eight(uint64_t digits) {
  const uint64_t ends = UINT64_C(0x000000ff000000ff);
  digits = digits * 10 + (digits >> 8); /* pairs, in every second byte */
  return ((digits & ends) * (100 + (UINT64_C(1000000) << 32)) +
          (digits >> 16 & ends) * (1 + (UINT64_C(10000) << 32))) >>
         32;
}

/* Digits at p: their value, if there are 1 .. 7 of them; else 0 and *count is 0 or 8. */
static inline uint64_t few(const char *p, unsigned *count) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  word ^= UINT64_C(0x3030303030303030); /* digits are 0 .. 9 now; the lowest of the other bytes gets its top bit */
  uint64_t other = ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
  unsigned digits = other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
  *count = digits;
  return digits - 1 < 7 ? eight(word << (64 - 8 * digits)) : 0;
}
#else
static inline uint64_t few(const char *p, unsigned *count) {
  uint64_t value = 0;
  unsigned digits = 0;
  for (; digits < 8 && (unsigned)(p[digits] - '0') <= 9; digits++) value = value * 10 + (unsigned)(p[digits] - '0');
  *count = digits;
  return value;
}
#endif

static const char *many(const char *p, uint64_t *value, unsigned *digits) {
  uint64_t v = 0;
  unsigned n = 0;
  for (; (unsigned)(p[n] - '0') <= 9; n++) {
    if (n == DIGITS) return NULL;
    v = v * 10 + (unsigned)(p[n] - '0');
  }
  *value = v;
  *digits = n;
  return p + n;
}

/* How many digits the number in a column had last. To step by the guess, not by the count, lets the processor begin the
 * next number before it has counted this one's digits; a wrong guess costs it a mispredicted branch. */
typedef struct {
  unsigned u, v, w;
} guesses;

/* Digits at p; where they end, or NULL if there are none or too many. */
static inline const char *number(const char *p, uint64_t *value, unsigned *digits, unsigned *guess) {
  *value = few(p, digits);
  unsigned step = *guess;
  if (__builtin_expect(*digits != step, 0)) {
    if (*digits - 1 >= 7) return *digits ? many(p, value, digits) : NULL;
    step = *digits;
    __asm__ volatile("" : "+r"(step)); /* keeps the compiler from adding the count in both cases */
    *guess = step;
  }
  return p + step;
}

/* The weight at p. Its digits and the power of ten are exact as doubles, so the one division rounds right. */
static inline const char *weight(const char *p, double *w, scree__seen *seen, unsigned *guess) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  uint64_t whole, part;
  unsigned digits, more, none = 0;
  p = number(p, &whole, &digits, guess);
  if (!p) return NULL;
  if (*p != '.') {
    *w = (double)whole;
    return whole <= UINT32_MAX ? p : NULL;
  }
  p = number(p + 1, &part, &more, &none);
  if (!p || digits + more > DIGITS) return NULL;
  *w = (double)(whole * (uint64_t)tens[more] + part) / tens[more];
  seen->decimals = true;
  return p;
}

/* Where the line ends whose first columns end at p, or NULL. */
static inline const char *line_end(const char *p, bool wide, bool *more) {
  *more = false;
  if (__builtin_expect(*p == '\n', 1)) return p + 1;
  if (wide && (*p == ' ' || *p == '\t')) {
    const char *at = p;
    while (*p == ' ' || *p == '\t') p++;
    *more = p > at && *p != '\n' && *p != '\r';
    while ((*p >= ' ' && *p < 127) || *p == '\t') p++;
  }
  if (*p == '\r') p++;
  return *p == '\n' ? p + 1 : NULL;
}

/* One line; where the next begins, or NULL. */
static inline const char *take(const char *p, const scree__plain *plain, scree_edge *edge, scree__seen *seen,
                               guesses *guess, bool *more) {
  unsigned digits;
  if (plain->prefix) {
    if (p[0] != plain->prefix || p[1] != ' ') return NULL;
    p += 2;
  }
  p = number(p, &edge->u, &digits, &guess->u);
  if (!p || (*p != ' ' && *p != '\t')) return NULL;
  p = number(p + 1, &edge->v, &digits, &guess->v);
  if (!p || edge->u - plain->least > plain->most - plain->least || edge->v - plain->least > plain->most - plain->least)
    return NULL;
  edge->weight = 1;
  if (plain->weighted) {
    if (*p != ' ' && *p != '\t') return NULL;
    p = weight(p + 1, &edge->weight, seen, &guess->w);
    if (!p) return NULL;
  }
  return line_end(p, plain->wide, more);
}

static inline size_t run(scree__lines *l, const scree__plain *plain, scree_edge *edges, size_t room,
                         scree__seen *seen) {
  const char *end, *from = scree__lines_window(l, &end), *p = from;
  size_t n = 0;
  guesses guess = {1, 1, 1};
  for (; p && p < end && n < room; n++) {
    bool more;
    const char *next = take(p, plain, &edges[n], seen, &guess, &more);
    if (!next) break;
    p = next;
    if (more && !seen->wide) seen->wide = l->count + n + 1;
  }
  if (n) scree__lines_took(l, (size_t)(p - from), n);
  return n;
}

/* The compiler makes a loop of its own for each of the usual shapes. */
size_t scree__scan(scree__lines *lines, const scree__plain *plain, scree_edge *edges, size_t room, scree__seen *seen) {
  scree__plain p = *plain;
  if (!p.prefix && !p.weighted) {
    p.prefix = 0;
    p.weighted = false;
    return run(lines, &p, edges, room, seen);
  }
  if (p.prefix == 'a' && p.weighted && !p.wide) {
    p.prefix = 'a';
    p.weighted = true;
    p.wide = false;
    return run(lines, &p, edges, room, seen);
  }
  return run(lines, &p, edges, room, seen);
}
