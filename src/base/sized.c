/* sized.c - structs of options and results of other releases. */
#include "base/sized.h"

#include <scree/options.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t size_of(const void *given) {
  size_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static bool is_unset(const char *field) {
  uint64_t whole;
  double real;
  memcpy(&whole, field, sizeof whole);
  memcpy(&real, field, sizeof real);
  return whole == SCREE_UNSET || real == SCREE_UNSET_REAL;
}

int scree__sized_check(const scree__sized *type, const void *given, char *why, size_t size) {
  size_t bytes = size_of(given);
  if (bytes < sizeof bytes || bytes % sizeof(uint64_t)) {
    snprintf(why, size, "%s.size is %zu, which no release has; initialise the struct with %s", type->name, bytes,
             type->init);
    return -1;
  }
  for (size_t at = type->size; at < bytes; at += sizeof(uint64_t))
    if (!is_unset((const char *)given + at)) {
      snprintf(why, size,
               "%s: the program sets an option that this release of the library does not have (byte %zu of %zu, known "
               "are %zu); initialise the struct with %s and leave it unset, or use the release that the program was "
               "compiled against",
               type->name, at, bytes, type->size, type->init);
      return -1;
    }
  return 0;
}

int scree__sized_copy(const scree__sized *type, void *own, const void *given, char *why, size_t size) {
  if (!given) return 0;
  if (scree__sized_check(type, given, why, size)) return -1;
  size_t bytes = size_of(given) < type->size ? size_of(given) : type->size;
  memcpy((char *)own + sizeof bytes, (const char *)given + sizeof bytes, bytes - sizeof bytes);
  return 0;
}

enum { RESULT_MAX = 4096 };

bool scree__sized_fill(void *given, const void *own, size_t known) {
  const size_t bytes = given ? size_of(given) : 0;
  if (bytes <= sizeof bytes || bytes % sizeof(uint64_t) || bytes > RESULT_MAX) return false;
  memset((char *)given + sizeof bytes, 0, bytes - sizeof bytes);
  memcpy((char *)given + sizeof bytes, (const char *)own + sizeof bytes,
         (bytes < known ? bytes : known) - sizeof bytes);
  return true;
}
