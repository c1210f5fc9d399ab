/* in_degree_registry.c - a registry with one kernel more than algorithms/kernel/registry.c, in whose place it is
 * linked. */
#include "kernel/kernel.h"
#include "kernel/list.h"

#define DECLARE(name) extern const scree__kernel scree__kernel_##name;
SCREE__KERNELS(DECLARE)
DECLARE(in_degree)

#define ADDRESS(name) &scree__kernel_##name,
const scree__kernel *const scree__kernels[] = {SCREE__KERNELS(ADDRESS) ADDRESS(in_degree) NULL};
