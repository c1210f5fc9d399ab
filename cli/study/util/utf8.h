/* utf8.h - UTF-8 characters. */
#ifndef STUDY_UTF8_H
#define STUDY_UTF8_H
#include <stddef.h>

/* The length in bytes of the character at `text`, which ends with 0. 0: the bytes are not a character. */
size_t study_utf8(const char *text);

#endif
