/* machine.c - numbers of this machine, and what batch systems and launchers put into the environment. */
#include "package/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host.h"
#include "base/option_value.h"
#include "thread/bind.h"

uint64_t package_cores(void) {
  const uint32_t cores = scree__bind_cores();
  return cores ? cores : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN); /* of more CPUs than a cpu_set_t holds */
}

uint64_t package_fit(void) {
  const uint64_t bytes_per_vertex = 1500;
  uint64_t fit = 17, left = scree__memory_left("") / 2;
  for (uint64_t cores = package_cores(); cores > 1; cores /= 2) fit++;
  while (fit > 1 && bytes_per_vertex << fit > left) fit--;
  return fit;
}

/* ---- nodes ---- */

static uint64_t number(const char *text) {
  uint64_t n;
  return text && scree__digits(&text, UINT64_MAX, &n) ? n : 0;
}

/* The sum of Slurm's list "4(x2),3": 11. */
static uint64_t sum_of(const char *list) {
  uint64_t sum = 0;
  for (unsigned each, times; list && sscanf(list, "%u", &each) == 1; list = strchr(list, ','), list += list != NULL)
    sum += (uint64_t)each * (sscanf(list, "%*u(x%u", &times) == 1 ? times : 1);
  return sum;
}

static bool find_slurm(package_allocation *a) {
  a->nodes = number(getenv("SLURM_JOB_NUM_NODES"));
  if (!a->nodes) return false;
  a->from = "SLURM_JOB_NUM_NODES";
  a->slots = number(getenv("SLURM_NTASKS"));
  if (!a->slots) a->slots = sum_of(getenv("SLURM_TASKS_PER_NODE"));
  if (!a->slots) a->slots = sum_of(getenv("SLURM_JOB_CPUS_PER_NODE"));
  if (!a->slots) a->slots = a->nodes * package_cores();
  return true;
}

/* "node4 slots=2", "node4:2" or "node4": 2, 2, 1. */
static uint64_t slots_of(const char *line) {
  const char *slots = strstr(line, "slots="), *colon = strchr(line, ':');
  const uint64_t n = slots ? number(slots + 6) : colon ? number(colon + 1) : 1;
  return n ? n : 1;
}

/* A line for each host, or for each slot as in $PBS_NODEFILE: lines of one host that follow each other are one node. */
static bool find_file(const char *variable, package_allocation *a) {
  const char *name = getenv(variable);
  FILE *file = name ? fopen(name, "re") : NULL;
  char line[512], host[512], before[512] = "";
  if (!file) return false;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "#\n")] = 0;
    if (sscanf(line, " %511[^ \t:]", host) != 1) continue;
    a->nodes += strcmp(host, before) != 0;
    a->slots += slots_of(line);
    memcpy(before, host, sizeof before);
  }
  fclose(file);
  a->from = variable;
  return a->nodes > 0;
}

package_allocation package_allocation_find(void) {
  static const char *const files[] = {"PBS_NODEFILE", "OMPI_MCA_orte_default_hostfile",
                                      "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE"};
  package_allocation a = {0};
  if (find_slurm(&a)) return a;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    a = (package_allocation){0};
    if (find_file(files[i], &a)) return a;
  }
  return (package_allocation){NULL, 1, package_cores()};
}
