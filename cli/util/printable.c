/* printable.c - what is printable, and replacing the rest. */
#include "util/printable.h"

#include "util/utf8.h"

/* U+202A to U+202E and U+2066 to U+2069: text after them is shown in another order than it has. */
static bool reverses(const unsigned char *p) {
  return p[0] == 0xe2 &&
         ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

size_t cli_printable(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  const bool control = (*p < 0x20 && *p != '\t') || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
  return control || reverses(p) ? 0 : cli_utf8(text);
}

bool cli_is_printable(const char *text) {
  size_t n = 1;
  for (; *text && n; text += n) n = cli_printable(text);
  return n;
}

void cli_make_printable(char *text, bool lines) {
  for (size_t n; *text; text += n ? n : 1) {
    n = cli_printable(text);
    if (!n && !(lines && *text == '\n')) *text = '?';
  }
}

void cli_put_printable(const char *text, FILE *to) {
  for (size_t n; *text; text += n ? n : 1) {
    n = cli_printable(text);
    if (n)
      fwrite(text, 1, n, to);
    else
      fputc(*text == '\n' ? '\n' : '?', to);
  }
}

void cli_complain(const char *why) {
  fputs("scree: ", stderr);
  cli_put_printable(why, stderr);
  fputc('\n', stderr);
}
