/* real.h - real numbers as machines read and write them: with a point, whatever setlocale has set in the program. Any
 * thread. */
#ifndef SCREE__REAL_H
#define SCREE__REAL_H
#include <stdbool.h>
#include <stddef.h>

/* As strtod and as snprintf of "%.*g" in the locale C. */
double scree__real_parse(const char *text, char **end);
/* Reads a time, 90, 1.5m or 2h, in seconds if it has no unit. Returns false if the text is not one. */
bool scree__seconds_parse(const char *text, double *seconds);
int scree__real_print(char *text, size_t size, int digits, double value);
/* The shortest of these texts that scree__real_parse reads as the same number. Returns its length; at most 24. */
int scree__real_print_shortest(char *text, size_t size, double value);
#endif
