/* common_machine.h - between the files of the benchmarks' shared part: the machine under them. */
#ifndef BENCH_COMMON_MACHINE_H
#define BENCH_COMMON_MACHINE_H
#include <stddef.h>

void bench_cpu(char *name, size_t size);

/* At the start of a benchmark; `busy` of all cores, `used` by this machine's ranks (on the first of them), in
 * seconds. */
typedef struct {
  double busy, used, at;
} bench_machine;

/* Both collective over all ranks. Share of the cores' time that other programs took since, on the worst machine. */
void bench_machine_start(bench_machine *m);
double bench_machine_foreign(const bench_machine *m);
/* On standard error: the CPU, and a warning if that share was large. */
void bench_machine_print(const char *name, double foreign);
#endif
