/* machine.h - numbers of this machine: cores, and a graph size that fits. */
#ifndef STUDY_MACHINE_H
#define STUDY_MACHINE_H
#include <stdint.h>

/* Cores that this process may use; 2^fit vertices of a Kronecker graph suit this machine in time and memory. */
uint64_t study_cores(void);
uint64_t study_fit(void);

#endif
