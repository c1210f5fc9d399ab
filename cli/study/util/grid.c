/* grid.c - rows of cells for a terminal, in aligned columns. */
#include "study/util/grid.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void study_grid_add(study_grid *grid, const char *format, ...) {
  if (grid->count == grid->capacity) {
    size_t capacity = 2 * grid->capacity + 64;
    char **more = realloc(grid->cells, capacity * sizeof *more);
    if (!more) {
      grid->lost = true;
      return;
    }
    grid->cells = more, grid->capacity = capacity;
  }
  va_list args;
  va_start(args, format);
  if (vasprintf(&grid->cells[grid->count], format, args) < 0)
    grid->lost = true;
  else
    grid->count++;
  va_end(args);
}

static int width_of(const study_grid *grid, size_t column) {
  size_t width = 0;
  for (size_t i = column; i < grid->count; i += grid->columns) {
    size_t n = strlen(grid->cells[i]);
    if (n > width) width = n;
  }
  return (int)width;
}

/* True if most cells of the column are numbers. */
static bool numbers(const study_grid *grid, size_t column) {
  size_t numbers = 0, words = 0;
  for (size_t i = column + grid->columns; i < grid->count; i += grid->columns) {
    if (isdigit((unsigned char)grid->cells[i][0]))
      numbers++;
    else if (strcmp(grid->cells[i], "-") != 0)
      words++;
  }
  return numbers > words;
}

/* The last column is not padded, so that no line ends with blanks. */
static void print_cell(const study_grid *grid, size_t i, int width, bool right, FILE *to) {
  const char *end = (i + 1) % grid->columns ? "  " : "\n";
  bool last = *end == '\n';
  fprintf(to, "%*s%s", right ? width : last ? 0 : -width, grid->cells[i], end);
}

void study_grid_print(study_grid *grid, FILE *to) {
  int *widths = calloc(grid->columns + 1, sizeof *widths);
  bool *right = calloc(grid->columns + 1, sizeof *right);
  bool good = widths && right && !grid->lost;
  for (size_t c = 0; good && c < grid->columns; c++) widths[c] = width_of(grid, c), right[c] = numbers(grid, c);
  for (size_t i = 0; i < grid->count; i++) {
    if (good) print_cell(grid, i, widths[i % grid->columns], right[i % grid->columns], to);
    free(grid->cells[i]);
  }
  if (!good) fprintf(to, "no memory for a table of %zu rows\n", grid->count / grid->columns);
  free(grid->cells);
  free(widths);
  free(right);
  *grid = (study_grid){.columns = grid->columns};
}
