/* names.c - names that compare equal as text: lists without duplicates. */
#include "study/util/names.h"

#include <stdlib.h>
#include <string.h>

bool study_same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

bool study_names_add(const char ***names, size_t *count, const char *name) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp((*names)[i], name) == 0) return true;
  const char **more = realloc(*names, (*count + 1) * sizeof *more);
  if (!more) return false;
  *names = more;
  more[(*count)++] = name;
  return true;
}
