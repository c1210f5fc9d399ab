/* registry.c - all kernels, by the list of list.h. */
#include "kernel/kernel.h"
#include "kernel/list.h"

#define DECLARE(name) extern const scree__kernel scree__kernel_##name;
SCREE__KERNELS(DECLARE)

#define ADDRESS(name) &scree__kernel_##name,
const scree__kernel *const scree__kernels[] = {SCREE__KERNELS(ADDRESS) NULL};
