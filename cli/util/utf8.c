/* utf8.c - UTF-8 characters. */
#include "util/utf8.h"

size_t cli_utf8(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
  unsigned char min = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80; /* of the second byte: excludes overlong forms */
  unsigned char max = *p == 0xed   ? 0x9f
                      : *p == 0xf4 ? 0x8f
                                   : 0xbf; /* excludes surrogates and code points above U+10FFFF */
  if (n > 1 && (p[1] < min || p[1] > max)) return 0;
  for (size_t i = 2; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return n;
}
