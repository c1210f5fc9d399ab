/* say.c - lines on standard error, each by one write. */
#include "io/say.h"

#include <stdarg.h>
#include <stdio.h>

void scree__say(const char *format, ...) {
  char line[1024];
  va_list list;
  va_start(list, format);
  const int bytes = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  va_start(list, format);
  if (bytes < (int)sizeof line)
    fputs(line, stderr);
  else
    vfprintf(stderr, format, list);
  va_end(list);
}
