/* fail.c - the reason of a failure, as text. */
#include "study/util/fail.h"

#include <stdarg.h>
#include <stdio.h>

bool study_fail(study_why why, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why.text, why.size, format, list);
  va_end(list);
  return false;
}
