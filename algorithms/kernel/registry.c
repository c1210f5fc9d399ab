/* registry.c - all kernels, a line for each. The command line lists them in this order. */
#include "kernel/kernel.h"

extern const scree__kernel scree__kernel_sssp, scree__kernel_bfs, scree__kernel_cc, scree__kernel_pagerank,
    scree__kernel_bc, scree__kernel_kcore, scree__kernel_mis, scree__kernel_colour, scree__kernel_tc;

const scree__kernel *const scree__kernels[] = {
    &scree__kernel_sssp,  &scree__kernel_bfs, &scree__kernel_cc,     &scree__kernel_pagerank, &scree__kernel_bc,
    &scree__kernel_kcore, &scree__kernel_mis, &scree__kernel_colour, &scree__kernel_tc,       NULL,
};
