/* rows.c - all rows, a line for each. */
#include "kernels.h"

extern const kernel_row row_sssp, row_bfs, row_cc, row_pagerank, row_bc, row_kcore, row_mis, row_colour, row_tc,
    row_in_degree;

const kernel_row *const kernel_rows[] = {&row_sssp, &row_bfs,    &row_cc, &row_pagerank,  &row_bc, &row_kcore,
                                         &row_mis,  &row_colour, &row_tc, &row_in_degree, NULL};
