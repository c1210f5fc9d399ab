/* package.h - sweep, report and tune: a Python package, which this process becomes, and what that asks this program: of
 * configurations, of this machine. */
#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H
#include <limits.h>

#include "args/args.h"

/* Executes the package; returns an exit code only if it cannot. */
int cli_package(const cli_args *args);

/* A part of the package: beside the program, as in a build directory; or where it was installed, moved along with it or
 * not. False: there is none. */
bool package_find(const char *part, char path[PATH_MAX]);

/* What the help of sweep says besides the tables of options: presets; the short help has their names alone. */
void package_print_help(const cli_subcommand *command, bool all);

/* scree check: what this program says of configurations, before any of them runs. Returns the exit code.
 *
 * Reads JSON Lines from standard input and answers each by a line, after a first line on this program, which has what
 * tuning tries of each kernel, as lines of a sweep file, and whether each run has a "source".
 * A line has "axes", an object of texts; "ranks": the job starts so many itself; "elsewhere": a launcher may start it
 * on other machines. The answer has "words" of the job's command line, "defaults", the names of axes whose values are
 * the default, "threads" that are busy in each rank, and "why" the configuration is not legal, or why its job "cannot"
 * run. */
int cli_check_study(const cli_args *args);

/* ---- this machine ---- */

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
