/* resembling.h - files that resemble edge lists: adjacency lists, LGL, and lists whose columns are elsewhere. */
#ifndef SCREE__LIST_RESEMBLING_H
#define SCREE__LIST_RESEMBLING_H
#include "read/reader.h"

/* Refuses a line of headings that names source and target in columns other than the first two, or has no heading for
 * the first one, unless the options name the columns. Local; graphs->why is set. */
scree_status scree__list_check_headings(scree__reader *reader, const scree__lines *lines, const char *line);

/* Refuses the file if its start shows that its first two columns are not source and target, unless the options name the
 * columns or the format. Local, on rank 0. */
scree_status scree__list_check_resembling(scree__reader *reader);

#endif
