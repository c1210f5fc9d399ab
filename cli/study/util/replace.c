/* replace.c - which files may be written over.
 *
 * Room: results of a sweep that were named as an output by mistake are kept by this. */
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
  if (!file) return true; /* writing it will say why not */
  bool own =
      length <= sizeof begin && fread(begin, 1, length, file) == length && strncasecmp(begin, first, length) == 0;
  fclose(file);
  return own;
}
