/* scan.h - many lines of ids at once, where each line is as plain as can be.
 *
 * Room: the fast way through a text. What it does not take is left to the careful way (lines.h, parse.h), line by line,
 * which also says what is wrong with a line: so nothing here knows errors. */
#ifndef SCREE__SCAN_H
#define SCREE__SCAN_H
#include <scree/graph.h>

#include "graph/lines.h"

/* A plain line: the prefix, then ids, and a weight if there is one, each of at most 15 digits, parted by one blank or
 * tab, up to LF or CRLF. A weight may have a decimal point in it; without one it is below 2^32. */
typedef struct scree__plain {
  char prefix;       /* and a blank, in front of each line; 0: none */
  bool weighted;     /* a weight follows the ids; else weights are 1 */
  bool wide;         /* more columns may follow, of printable characters */
  uint64_t min, max; /* of an id */
} scree__plain;

/* What was seen on the way; set, never cleared. */
typedef struct scree__seen {
  uint64_t wide; /* a line has more columns; the number, within this part, of the first */
  bool decimals; /* a weight has a decimal point */
} scree__seen;

/* Takes plain lines off the window of `lines`, at most `room`, up to the first that is not plain. Returns how many;
 * ids are those of the file. */
size_t scree__scan(scree__lines *lines, const scree__plain *plain, scree_edge *edges, size_t room, scree__seen *seen);

#endif
