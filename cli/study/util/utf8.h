/* utf8.h - what is text.
 *
 * Room: characters of UTF-8, which JSON is made of. */
#ifndef STUDY_UTF8_H
#define STUDY_UTF8_H
#include <stddef.h>

/* Bytes of the character at `text`, which ends with 0; 0: there is none. */
size_t study_utf8(const char *text);

#endif
