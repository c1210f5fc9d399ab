/* in_degree_registry.c - a registry with one kernel more than algorithms/kernel/registry.c, in whose place it is
 * linked. */
#include "kernel/kernel.h"

extern const scree__kernel scree__kernel_sssp, scree__kernel_bfs, scree__kernel_cc, scree__kernel_pagerank;
extern const scree__kernel scree__kernel_bc, scree__kernel_kcore, scree__kernel_mis, scree__kernel_colour,
    scree__kernel_tc;
extern const scree__kernel scree__kernel_in_degree;

const scree__kernel *const scree__kernels[] = {
    &scree__kernel_sssp,
    &scree__kernel_bfs,
    &scree__kernel_cc,
    &scree__kernel_pagerank,
    &scree__kernel_bc,
    &scree__kernel_kcore,
    &scree__kernel_mis,
    &scree__kernel_colour,
    &scree__kernel_tc,
    &scree__kernel_in_degree,
    NULL,
};
