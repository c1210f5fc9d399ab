/* machine.h - numbers of this machine: cores, and a graph size that fits. */
#ifndef PACKAGE_MACHINE_H
#define PACKAGE_MACHINE_H
#include <stdint.h>

/* The number of cores that this process may use. */
uint64_t package_cores(void);
/* A scale S such that a Kronecker graph of 2^S vertices suits this machine in time and memory. */
uint64_t package_fit(void);

#endif
