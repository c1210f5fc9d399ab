/* date.c - the current time as text. */
#include "util/date.h"

#include <time.h>

void cli_date(char text[21]) {
  time_t t = time(NULL);
  struct tm utc;
  if (!gmtime_r(&t, &utc) || !strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &utc)) *text = 0;
}
