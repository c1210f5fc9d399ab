/* allocation.h - the nodes that a batch system or a hostfile gives to the jobs started here. */
#ifndef PACKAGE_ALLOCATION_H
#define PACKAGE_ALLOCATION_H
#include <stdint.h>

typedef struct {
  const char *from;      /* the variable that says so; NULL: none does, and jobs run on this machine alone */
  uint64_t nodes, slots; /* slots: ranks that it provides for, over all nodes; without one: 1, and the cores here */
} package_allocation;

/* Reads the environment: SLURM_JOB_NUM_NODES with SLURM_NTASKS, SLURM_TASKS_PER_NODE or SLURM_JOB_CPUS_PER_NODE;
 * PBS_NODEFILE; the hostfiles of launchers: OMPI_MCA_orte_default_hostfile (Open MPI 4),
 * PRTE_MCA_prte_default_hostfile (Open MPI 5), HYDRA_HOST_FILE. */
package_allocation package_allocation_find(void);

#endif
