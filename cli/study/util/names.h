/* names.h - names that compare equal as text: lists without duplicates. */
#ifndef STUDY_NAMES_H
#define STUDY_NAMES_H
#include <stdbool.h>
#include <stddef.h>

/* Equal as text, or both NULL. */
bool study_same(const char *a, const char *b);

/* Appends a name to a list unless it is in it; the list keeps the pointer. The caller frees *names. False: no memory. */
bool study_names_add(const char ***names, size_t *count, const char *name);

#endif
