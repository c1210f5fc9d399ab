/* replace.c - decides which files may be overwritten.
 *
 * This protects result files that are named as an output by mistake. */
#include "study/util/replace.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool study_replaceable(const char *name, const char *first) {
  char begin[64];
  size_t length = strlen(first);
  struct stat known;
  if (stat(name, &known) || !S_ISREG(known.st_mode) || known.st_size == 0) return true;
  FILE *file = fopen(name, "r");
  if (!file) return true; /* writing will fail with the reason */
  bool own =
      length <= sizeof begin && fread(begin, 1, length, file) == length && strncasecmp(begin, first, length) == 0;
  fclose(file);
  return own;
}
