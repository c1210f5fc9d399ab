/* scan.h - many lines of numbers at once, where each line has the plainest form.
 *
 * The fast path through a text. Lines that it does not take are left to the slow path (lines.h, parse.h), which also
 * reports errors; so nothing here does. */
#ifndef SCREE__SCAN_H
#define SCREE__SCAN_H
#include <scree/graph.h>

#include "file/lines.h"

/* A plain line: the prefix, then ids, and a weight if there is one, each of at most 15 digits, separated by the same
 * one byte, up to LF or CRLF. Ids have no leading zeros. A weight may have a decimal point in it; without one it is
 * below 2^32. */
typedef struct scree__plain_line {
  char prefix;       /* and a blank, in front of each line; 0: none */
  bool weighted;     /* a weight follows the ids; else weights are 1 */
  bool wide;         /* more columns may follow, of printable characters without quotes */
  char by;           /* what separates columns; a blank: a blank or a tab; 0: a blank, a tab or a comma */
  uint64_t min, max; /* of an id */
} scree__plain_line;

/* Found in lines beyond that; set, never cleared. */
typedef struct scree__scan_notes {
  uint64_t wide; /* a line has more columns; the number, within this part, of the first */
  bool decimals; /* a weight has a decimal point */
} scree__scan_notes;

/* Consumes buffered lines, at most `max`, up to the first that is not plain. Returns how many; ids are those of the
 * file. */
size_t scree__scan(scree__lines *lines, const scree__plain_line *plain, scree_edge *edges, size_t max,
                   scree__scan_notes *notes);

#endif
