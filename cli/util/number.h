/* number.h - numbers with units, as in options. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H
#include <stdbool.h>

/* Reads 16K, 1.5, 50us, 1e3. False: the text is not a number. K M G are powers of 1024; times are in nanoseconds. */
bool cli_number(const char *text, double *number);

#endif
