/* hunt.c - looks for a seed at which a program of programs.h goes wrong.
 *   hunt FIRST COUNT     seeds FIRST .. FIRST+COUNT-1, each without and with faults
 * Prints "caught N WHY", N the number of programs run, and returns 0; or "survived N" and returns 1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "programs.h"

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  program_totals totals = {0};
  char why[400];
  for (uint64_t i = 0; i < 2 * count; i++) {
    if (program_run(first + i / 2, i & 1 ? PROGRAM_WITH_FAULTS : PROGRAM_PLAIN, &totals, why, sizeof why)) continue;
    printf("caught %" PRIu64 " %s, faults %s\n", i + 1, why, i & 1 ? "on" : "off");
    return 0;
  }
  printf("survived %" PRIu64 " (%" PRIu64 " messages, %" PRIu64 " failures, %" PRIu64 " overflow blocks, %" PRIu64
         " waits, %" PRIu64 " large records, %" PRIu64 " hand-overs, %" PRIu64 " steps)\n",
         2 * count, totals.messages, totals.failures, totals.overflows, totals.waits, totals.parts, totals.holds,
         totals.steps);
  return 1;
}
