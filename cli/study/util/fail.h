/* fail.h - the reason of a failure, as text. */
#ifndef STUDY_FAIL_H
#define STUDY_FAIL_H
#include <stdbool.h>
#include <stddef.h>

/* Where the reason of a failure goes. */
typedef struct {
  char *text;
  size_t size;
} study_why;
/* Writes it; returns false. */
bool study_fail(study_why why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
