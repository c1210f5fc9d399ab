/* format.h - durations as readable text. */
#ifndef STUDY_FORMAT_H
#define STUDY_FORMAT_H
#include <stddef.h>

/* "12.3 ms" */
void study_print_seconds(char *text, size_t size, double seconds);
/* "23.1 ms 22.8..24.0": a median and its interval, all in the unit of the median. */
void study_print_range(char *text, size_t size, double median, double low, double high);
/* "45 s", "3 min 20 s", "2 h 5 min". */
void study_print_duration(char *text, size_t size, double seconds);

#endif
