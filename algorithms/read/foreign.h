/* foreign.h - files that are not read: what they are, and the remedy. */
#ifndef SCREE__FOREIGN_H
#define SCREE__FOREIGN_H
#include <stdbool.h>
#include <stddef.h>

/* What a file is, and what to do, by its first bytes (`head`, at least 8), or NULL: nothing shows that it cannot be
 * read. Local. */
const char *scree__foreign_content(const char *head);
/* The same by its name, without .gz or .zst, and its first line but for comments; `--format` refutes that. Local. */
const char *scree__foreign_format(const char *name, const char *line);

#endif
