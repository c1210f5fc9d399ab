/* grid.h - rows of cells for a terminal. */
#ifndef STUDY_GRID_H
#define STUDY_GRID_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Cells in row-major order, the first row being the heading. Columns are as wide as their widest cell; numbers are
 * right-aligned. */
typedef struct {
  size_t columns, count, capacity;
  char **cells;
  bool lost; /* a cell is missing for lack of memory; study_grid_print says so */
} study_grid;
void study_grid_add(study_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the grid and empties it. */
void study_grid_print(study_grid *grid, FILE *to);

#endif
