/* nearest.c - the known name that a user may have meant. */
#include "base/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 48 };

/* Levenshtein's distance, one row at a time. Longer names are cut: near names are short. */
size_t scree__edit_distance(const char *a, const char *b) {
  size_t row[NAME_BYTES + 1], n = strlen(b);
  if (n > NAME_BYTES) n = NAME_BYTES;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; *a; a++, i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t best = diagonal + (*a != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

/* The only name that begins so; NULL if there are none or several. */
static const char *completed(const char *name, const char *const *names, size_t count) {
  const char *only = NULL;
  for (size_t i = 0; i < count && *name; i++) {
    if (strncmp(names[i], name, strlen(name)) != 0) continue;
    if (only && strcmp(only, names[i]) != 0) return NULL;
    only = names[i];
  }
  return only;
}

const char *scree__nearest(const char *name, const char *const *names, size_t count) {
  const char *nearest = completed(name, names, count);
  size_t min = nearest ? 0 : (strlen(name) + 1) / 3 + 1; /* farther names are other names, not this one misspelt */
  for (size_t i = 0; i < count; i++) {
    size_t distance = scree__edit_distance(name, names[i]);
    if (distance >= min) continue;
    min = distance;
    nearest = names[i];
  }
  return nearest;
}

/* ---- lists ---- */

static const char rest[] = ", ...";

void scree__names_add(char *text, size_t size, const char *name) {
  const size_t n = strlen(text), end = n > 3 ? n - 3 : 0;
  const char *separator = n ? ", " : "";
  if (strcmp(text + end, "...") == 0) return;
  const int bytes = snprintf(NULL, 0, "%s%s", separator, name);
  if (n + (size_t)bytes + sizeof rest <= size)
    snprintf(text + n, size - n, "%s%s", separator, name);
  else
    snprintf(text + n, size - n, "%s", n ? rest : rest + 2);
}
