/* launched.c - the variables of launchers, in one list. */
#include "base/launched.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI; Hydra (MPICH, Intel MPI) and all that speak PMI; PMIx; MVAPICH; srun; flux run. SLURM_NTASKS is not among
 * them: an allocation has it before any rank is started. */
static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",     "PMIX_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE"};

long scree__launched_ranks(const char **variable) {
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *text = getenv(variables[i]);
    const long n = text ? strtol(text, NULL, 10) : 0;
    *variable = variables[i];
    if (n > 1) return n;
  }
  *variable = NULL;
  return 1;
}

/* The variables of launchers that announce a rank alone: PMI and PMIx, PALS and ALPS of Cray, jsrun. */
static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "PALS_RANKID", "ALPS_APP_PE", "JSM_NAMESPACE_RANK"};

static const char *first_set(const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (getenv(names[i])) return names[i];
  return NULL;
}

const char *scree__launched(void) {
  const char *name = first_set(variables, sizeof variables / sizeof *variables);
  return name ? name : first_set(ranks, sizeof ranks / sizeof *ranks);
}

const char *scree__mpich_thread(const char *(*value)(const void *context, const char *name), const void *context) {
  static const char *const names[] = {"MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS"};
  static const char *const yes[] = {"1", "yes", "true", "on", "YES", "TRUE", "ON"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *is = value(context, names[i]);
    for (size_t k = 0; is && k < sizeof yes / sizeof *yes; k++)
      if (strcmp(is, yes[k]) == 0) return names[i];
  }
  return NULL;
}
