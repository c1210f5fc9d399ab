/* common_machine.c - the machine under a benchmark: its CPU, and whether other programs took time of its cores. */
#include "common_machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "ranks.h"

enum { FOREIGN_PERCENT = 5 }; /* from which on a warning is printed */

void bench_cpu(char *name, size_t size) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  char line[256];
  snprintf(name, size, "unknown");
  while (file && fgets(line, sizeof line, file)) {
    char *at = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
    if (!at) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(name, size, "%s", at + 2);
    break;
  }
  if (file) fclose(file);
}

/* Seconds in which the cores of this machine were busy, what a hypervisor took included. */
static double busy_seconds(void) {
  unsigned long long user = 0, nice = 0, system = 0, idle, waiting, irq = 0, softirq = 0, stolen = 0;
  FILE *file = fopen("/proc/stat", "re");
  if (file && fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &waiting, &irq,
                     &softirq, &stolen) < 8)
    stolen = 0;
  if (file) fclose(file);
  return (double)(user + nice + system + irq + softirq + stolen) / (double)sysconf(_SC_CLK_TCK);
}

static double own_seconds(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* What the ranks of this machine have used, on its first rank. */
static double used_by_ranks(bool *first) {
  MPI_Comm machine;
  int rank;
  double mine = own_seconds(), all = 0;
  if (ranks_are_local) {
    const uint64_t us = (uint64_t)(1e6 * mine);
    uint64_t sum;
    ranks_reduce(MPI_COMM_WORLD, &us, &sum, 1, RANKS_SUM);
    *first = ranks_first;
    return 1e-6 * (double)sum;
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &rank);
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, machine);
  MPI_Comm_free(&machine);
  *first = rank == 0;
  return all;
}

void bench_machine_start(bench_machine *m) {
  bool first;
  *m = (bench_machine){.used = used_by_ranks(&first), .busy = busy_seconds(), .at = scree__seconds()};
}

double bench_machine_foreign(const bench_machine *m) {
  bool first;
  const double used = used_by_ranks(&first) - m->used, busy = busy_seconds() - m->busy;
  const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN) * (scree__seconds() - m->at);
  return ranks_greatest(MPI_COMM_WORLD, first && cores > 0 && busy > used ? (busy - used) / cores : 0);
}

void bench_machine_print(const char *name, double foreign) {
  char cpu[128];
  bench_cpu(cpu, sizeof cpu);
  fprintf(stderr, "%s: %s, %ld cores\n", name, cpu, sysconf(_SC_NPROCESSORS_ONLN));
  if (100 * foreign >= FOREIGN_PERCENT)
    fprintf(stderr, "%s: warning: other programs took %.0f %% of the time of the cores: do not trust the figures\n",
            name, 100 * foreign);
}
