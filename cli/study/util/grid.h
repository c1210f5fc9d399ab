/* grid.h - rows of cells for a terminal. */
#ifndef STUDY_GRID_H
#define STUDY_GRID_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Rows of cells, printed with columns as wide as what is in them; numbers to the right. Cells come row by row, the
 * first row is the heading. */
typedef struct {
  size_t columns, count, room;
  char **cells;
  bool lost; /* no memory: said when it is printed */
} study_grid;
void study_grid_add(study_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints and empties it. */
void study_grid_print(study_grid *grid, FILE *to);

#endif
