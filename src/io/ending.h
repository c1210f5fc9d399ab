/* ending.h - endings of file names. They count in upper and lower case, in any locale: G.GRAPH is a name of METIS. */
#ifndef SCREE__ENDING_H
#define SCREE__ENDING_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns true if the first `length` bytes of `name` end with `ending`, which is in lower case. */
static inline bool scree__ends_with(const char *name, size_t length, const char *ending) {
  const size_t n = strlen(ending);
  if (length < n) return false;
  for (const char *at = name + length - n; *ending; at++, ending++)
    if ((*at >= 'A' && *at <= 'Z' ? *at + ('a' - 'A') : *at) != *ending) return false;
  return true;
}
static inline bool scree__has_ending(const char *name, const char *ending) {
  return scree__ends_with(name, strlen(name), ending);
}

#endif
