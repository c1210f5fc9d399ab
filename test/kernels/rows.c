/* rows.c - all rows, a line for each. */
#include "kernels.h"

extern const kernel_row row_sssp, row_bfs, row_cc, row_pagerank, row_bc, row_kcore, row_mis, row_colour, row_tc,
    row_in_degree;

/* clang-format off */
const kernel_row *const kernel_rows[] = {
    &row_sssp,
    &row_bfs,
    &row_cc,
    &row_pagerank,
    &row_bc,
    &row_kcore,
    &row_mis,
    &row_colour,
    &row_tc,
    &row_in_degree,
    NULL,
};
/* clang-format on */
_Static_assert(sizeof kernel_rows / sizeof *kernel_rows <= KERNELS_MAX,
               "solvers and answers have a place for each row");
