/* fail.h - the reason of a failure, as text. */
#ifndef STUDY_FAIL_H
#define STUDY_FAIL_H
#include <stdbool.h>
#include <stddef.h>

/* The buffer for the reason of a failure. */
typedef struct {
  char *text;
  size_t size;
} study_why;
/* Writes the reason. Always false. */
bool study_fail(study_why why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
