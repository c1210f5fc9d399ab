/* utf8.h - UTF-8 characters. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H
#include <stddef.h>

/* The length in bytes of the character at `text`, which ends with 0. 0: the bytes are not a character. */
size_t cli_utf8(const char *text);

#endif
