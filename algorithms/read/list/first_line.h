/* first_line.h - whether the first line of an edge list counts what follows: "vertices edges", or "rows columns
 * entries" of a Matrix Market file without its banner. */
#ifndef SCREE__FIRST_LINE_H
#define SCREE__FIRST_LINE_H
#include "read/list/edge_staging.h"
#include "read/list/line.h"

typedef struct scree__first_line {
  uint64_t number[3];
  unsigned words; /* of the line, if they are whole numbers, and 2 or 3; else 0 */
  uint64_t line;  /* its number, within the part of its rank until it is doubtful */
  uint64_t rest;  /* the largest id after it on its rank */
  bool doubtful;  /* as many lines follow as it has edges, but they have larger ids. The same on all ranks */
  uint64_t n, m;  /* vertices and edges that it counts, if so. The same on all ranks */
} scree__first_line;

/* Notes the first line of this rank that has an edge, by its fields. Local. */
void scree__first_line_note(scree__first_line *first, const scree__lines *lines, scree__list_fields fields);

/* Refuses a first line that is not an edge by its numbers. `from`: the rank that has it; `edges`: of all ranks,
 * including this one. Collective. */
scree_status scree__first_line_check(scree__first_line *first, const scree__edge_staging *staging,
                                     const scree__lines *lines, uint64_t from, uint64_t edges);
/* The same of a doubtful one, once the ids are counted: all of them are `ids`. Collective. */
scree_status scree__first_line_check_ids(const scree__first_line *first, const scree__edge_staging *staging,
                                         uint64_t from, uint64_t ids);

#endif
