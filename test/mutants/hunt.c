/* hunt.c - searches for a seed at which a random program fails.
 *   hunt FIRST COUNT [WORD...]     COUNT programs without faults and COUNT that may have some, from seed FIRST on,
 *                                  under these words
 * Prints "caught N WHY", N the number of programs run, and returns 0; or "survived N" and returns 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traffic.h"

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                 count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  traffic_totals totals = {0};
  setenv("SCREE_TEST_FIRST_COUNTS", "1", 0);
  char why[3 * ROW], words[ROW / 2] = "", row[ROW];
  for (int i = 3; i < argc; i++) snprintf(words + strlen(words), sizeof words - strlen(words), " %s", argv[i]);
  for (uint64_t i = 0; i < 2 * count; i++) {
    snprintf(row, ROW, "seed=%" PRIu64 "%s%s", first + i, i & 1 ? "" : " faults=0", words);
    if (traffic_simulate(row, false, &totals, why, sizeof why)) continue;
    printf("caught %" PRIu64 " %s\n", i + 1, why);
    return 0;
  }
  printf("survived %" PRIu64 ": ", 2 * count);
  print_totals(&totals);
  return 1;
}
