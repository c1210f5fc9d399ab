/* scan.c - many lines of numbers at once.
 *
 * The ends of all numbers of a line are found at once, as a mask with a bit for each byte but digits. A number is
 * then read without a branch on its length, which would be mispredicted: eight bytes are loaded, what follows its
 * digits is shifted out, and these are added up in pairs, fours and eights by multiplications (SIMD within a register).
 * A complete line ends with LF, so no loop needs to check for the end of the text. */
#include "file/scan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { DIGITS = 15 }; /* any number of so many digits is exact as a double */
enum { HALF = 32 };   /* a plain line is shorter than two halves */

/* gcc otherwise makes one loop for all shapes of lines. */
#define INLINED static inline __attribute__((always_inline))

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The number of the n digits at p, 1 .. 8. */
static inline uint64_t eight(const char *p, unsigned n) {
  const uint64_t ends = UINT64_C(0x000000ff000000ff);
  uint64_t digits;
  memcpy(&digits, p, sizeof digits);
  digits = (digits ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n); /* the first in the lowest byte */
  digits = digits * 10 + (digits >> 8);                             /* pairs, in every second byte */
  return ((digits & ends) * (100 + (UINT64_C(1000000) << 32)) +
          (digits >> 16 & ends) * (1 + (UINT64_C(10000) << 32))) >>
         32;
}
#else
static inline uint64_t eight(const char *p, unsigned n) {
  uint64_t value = 0;
  for (unsigned i = 0; i < n; i++) value = value * 10 + (unsigned)(p[i] - '0');
  return value;
}
#endif

/* A bit for each of the HALF bytes at p that is not a digit. */
#ifdef __SSE2__
static inline uint64_t sixteen(const char *p) {
  __m128i bytes = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(10)), bytes));
}
static inline uint64_t breaks(const char *p) {
  return sixteen(p) | sixteen(p + 16) << 16;
}
#else
static inline uint64_t breaks(const char *p) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < HALF; i++) mask |= (uint64_t)((unsigned char)(p[i] - '0') > 9) << i;
  return mask;
}
#endif

/* The columns of a line. */
typedef struct {
  char by; /* separates them; the last line's until the first separator */
  const char *text;
  uint64_t breaks; /* bytes that are not digits, those passed cleared; bit 63 always, for an end */
  unsigned at;     /* of the next number, then of what ends it */
} columns;

/* Finds at least `many` breaks, or all within two halves. */
static inline columns find_breaks(const char *text, int many, char by) {
  columns c = {by, text, breaks(text), 0};
  uint64_t rest = c.breaks;
  for (int i = 1; i < many; i++) rest &= rest - 1;
  if (__builtin_expect(!rest, 0)) c.breaks |= breaks(text + HALF) << HALF;
  c.breaks |= UINT64_C(1) << 63;
  return c;
}

/* The digits at c->at: how many, 1 .. DIGITS, or 0: it is not such a number. */
static inline unsigned number(columns *c, uint64_t *value) {
  unsigned end = (unsigned)__builtin_ctzll(c->breaks), n = end - c->at;
  const char *p = c->text + c->at;
  if (n - 1 >= DIGITS) return 0;
  *value = __builtin_expect(n <= 8, 1) ? eight(p, n) : eight(p, n - 8) * 100000000 + eight(p + n - 8, 8);
  c->breaks &= c->breaks - 1;
  c->at = end;
  return n;
}

/* An id, whose leading zeros are left to the slow path. */
static inline bool id(columns *c, uint64_t *value) {
  if (__builtin_expect(c->text[c->at] == '0', 0) && !(c->breaks >> c->at & 2)) return false;
  return number(c, value);
}

static bool may_separate(char c, char by) {
  if (by) return c == by || (by == ' ' && c == '\t');
  return c == ' ' || c == '\t' || c == ',';
}

/* Skips the separator of the first two columns: most lines have the same. */
static inline bool first_separator(columns *c, char by) {
  const char found = c->text[c->at++];
  if (__builtin_expect(found == c->by, 1)) return true;
  c->by = found;
  return may_separate(found, by);
}

/* A weight. Its digits and the power of ten are exact as doubles, so the one division rounds right. */
static inline bool weight(columns *c, double *w, scree__scan_notes *notes) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  uint64_t whole, fraction;
  unsigned digits = number(c, &whole), more;
  if (!digits) return false;
  *w = (double)(int64_t)whole;
  if (__builtin_expect(c->text[c->at] != '.', 1)) return whole <= UINT32_MAX;
  c->at++;
  more = number(c, &fraction);
  if (!more || digits + more > DIGITS) return false;
  *w = (double)(int64_t)(whole * (uint64_t)tens[more] + fraction) / tens[more];
  notes->decimals = true;
  return true;
}

/* Passes what may be in columns that are not read: printable characters but quotes, and tabs. */
#ifdef __SSE2__
static inline const char *pass_text(const char *p) {
  const __m128i below = _mm_set1_epi8(' ' - 1), tab = _mm_set1_epi8('\t'), quote = _mm_set1_epi8('"'),
                delete = _mm_set1_epi8(127);
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i wrong = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, delete));
    const __m128i printable = _mm_andnot_si128(wrong, _mm_cmpgt_epi8(bytes, below)); /* above 127 are negative */
    const int passed = _mm_movemask_epi8(_mm_or_si128(printable, _mm_cmpeq_epi8(bytes, tab)));
    if (passed != 0xffff) return p + __builtin_ctz(~(unsigned)passed);
  }
}
#else
static inline const char *pass_text(const char *p) {
  while ((*p >= ' ' && *p < 127 && *p != '"') || *p == '\t') p++;
  return p;
}
#endif

/* Where the line ends whose first columns end at p, or NULL. */
static inline const char *line_end(const char *p, bool wide, char by, bool *more) {
  *more = false;
  if (__builtin_expect(*p == '\n', 1)) return p + 1;
  if (wide && (*p == by || (by == ' ' && *p == '\t'))) {
    for (p++; *p == ' ' || *p == '\t';) p++;
    *more = *p != '\n' && *p != '\r';
    p = pass_text(p);
  }
  if (*p == '\r') p++;
  return *p == '\n' ? p + 1 : NULL;
}

/* One line: where the next begins, or NULL. */
INLINED const char *parse_plain(const char *p, const scree__plain_line *plain, char *by, scree_edge *edge,
                                scree__scan_notes *notes, bool *more) {
  if (plain->prefix) {
    if (p[0] != plain->prefix || p[1] != ' ') return NULL;
    p += 2;
  }
  columns c = find_breaks(p, plain->weighted ? 4 : 2, *by);
  const uint64_t range = plain->max - plain->min;
  if (!id(&c, &edge->u) || !first_separator(&c, plain->by) || !id(&c, &edge->v)) return NULL;
  *by = c.by;
  if (edge->u - plain->min > range || edge->v - plain->min > range) return NULL;
  edge->weight = 1;
  if (plain->weighted && (c.text[c.at++] != c.by || !weight(&c, &edge->weight, notes))) return NULL;
  return line_end(p + c.at, plain->wide, c.by, more);
}

INLINED size_t scan(scree__lines *l, const scree__plain_line *plain, scree_edge *edges, size_t max,
                    scree__scan_notes *notes) {
  const char *end, *from = scree__lines_buffered(l, &end), *p = from;
  size_t n = 0;
  char by = plain->by ? plain->by : ' ';
  for (; p && p < end && n < max; n++) {
    bool more;
    const char *next = parse_plain(p, plain, &by, &edges[n], notes, &more);
    if (!next) break;
    p = next;
    if (more && !notes->wide) notes->wide = l->count + n + 1;
  }
  if (n) scree__lines_consume(l, (size_t)(p - from), n);
  return n;
}

/* With constants in place of some fields, for which the compiler makes a separate loop. `unlimited`: any number of
 * DIGITS digits is an id. */
INLINED size_t scan_shape(scree__lines *lines, scree__plain_line plain, char prefix, bool weighted, bool wide,
                          bool unlimited, scree_edge *edges, size_t max, scree__scan_notes *notes) {
  plain.prefix = prefix;
  plain.weighted = weighted;
  plain.wide = wide;
  if (unlimited) plain.min = 0, plain.max = UINT64_MAX;
  return scan(lines, &plain, edges, max, notes);
}

size_t scree__scan(scree__lines *lines, const scree__plain_line *plain, scree_edge *edges, size_t max,
                   scree__scan_notes *notes) {
  const scree__plain_line p = *plain;
  const bool unlimited = !p.min && p.max >= UINT64_C(1000000000000000), list = !p.prefix && unlimited;
  if (list && !p.weighted) return scan_shape(lines, p, 0, false, p.wide, true, edges, max, notes);
  if (list && p.wide) return scan_shape(lines, p, 0, true, true, true, edges, max, notes);
  if (!p.prefix && !p.weighted) return scan_shape(lines, p, 0, false, p.wide, false, edges, max, notes);
  if (p.prefix == 'a' && p.weighted && !p.wide) return scan_shape(lines, p, 'a', true, false, false, edges, max, notes);
  return scan(lines, &p, edges, max, notes);
}
