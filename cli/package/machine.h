/* machine.h - numbers of this machine: cores, a graph size that fits, the nodes that jobs started here have. */
#ifndef PACKAGE_MACHINE_H
#define PACKAGE_MACHINE_H
#include <stdint.h>

/* The number of cores that this process may use. */
uint64_t package_cores(void);
/* A scale S such that a Kronecker graph of 2^S vertices suits this machine in time and memory. */
uint64_t package_fit(void);

typedef struct {
  const char *from;      /* the variable that says so; NULL: none does, and jobs run on this machine alone */
  uint64_t nodes, slots; /* slots: ranks that it provides for, over all nodes; without one: 1, and the cores here */
} package_allocation;

/* Reads the environment: SLURM_JOB_NUM_NODES with SLURM_NTASKS, SLURM_TASKS_PER_NODE or SLURM_JOB_CPUS_PER_NODE;
 * PBS_NODEFILE; the hostfiles of launchers: OMPI_MCA_orte_default_hostfile (Open MPI 4),
 * PRTE_MCA_prte_default_hostfile (Open MPI 5), HYDRA_HOST_FILE. */
package_allocation package_allocation_find(void);

#endif
