/* line.h - a line of an edge list, or of its file of vertices, before it is parsed: comments, separators; and the
 * remedy where it is not an edge. Local. */
#ifndef SCREE__LIST_LINE_H
#define SCREE__LIST_LINE_H
#include "read/reader.h"

/* Whether it is skipped: empty, or a comment with # % ~, a lone c, or by the options. */
bool scree__list_skips(const scree_graph_options *options, const char *line);

/* Replaces by blanks the separators of the options, or commas if one follows the first number; blanks within a value
 * become underscores. Where a value is missing between two of them, or NULL. */
const char *scree__list_split(const scree_graph_options *options, char *line);

typedef enum {
  SCREE__LIST_WRONG, /* a column is not as it should be */
  SCREE__LIST_SHORT  /* there are too few */
} scree__list_fault;

/* Writes "; " and what may help, or nothing, about a line that is not an edge. `first`: no edge came before it in the
 * file. */
void scree__list_advise(const scree_graph_options *options, const scree__lines *lines, const char *line, bool first,
                        scree__list_fault fault, char *text, size_t size);

#endif
