/* printable.h - text of files and of users, before a terminal, a script or a page gets it: without what these obey
 * instead of showing. */
#ifndef CLI_PRINTABLE_H
#define CLI_PRINTABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The length in bytes of the character at `text`, which ends with 0. 0: the bytes are not a character of UTF-8, or one
 * that is not shown: a control character other than the tab (C0, DEL, C1), or one that reverses the text after it. */
size_t cli_printable(const char *text);
bool cli_is_printable(const char *text);

/* Overwrites the bytes that are not printable by '?', with `lines` except newlines. */
void cli_make_printable(char *text, bool lines);
/* Prints the text with '?' for the bytes that are not printable, except newlines. */
void cli_put_printable(const char *text, FILE *to);
/* Prints "scree: WHY" to standard error, printable. */
void cli_complain(const char *why);

#endif
