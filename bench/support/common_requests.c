/* common_requests.c - draws index lists; runs and reports the rows of bale's kernels. */
#include "common_requests.h"

#include <stdlib.h>

bench_location *bench_locations(uint64_t count, uint32_t ranks, uint32_t words, uint64_t seed) {
  bench_location *locations = malloc(count * sizeof *locations);
  uint64_t x = seed;
  for (uint64_t i = 0; locations && i < count; i++) {
    uint32_t rank = bench_below(bench_draw(&x), ranks);
    locations[i] = (bench_location){rank, bench_below(bench_draw(&x), words)};
  }
  return locations;
}

void bench_kernel_head(const bench *b, const char *items) {
  if (b->rank == 0)
    printf("%8s %-5s %-12s %9s %8s %7s   (million %s per second per rank)\n", "words", "pages", "", "rate", "/floor",
           "spread", items);
}

bool bench_kernel_rows(bench *b, const bench_kernel_row *rows, size_t count,
                       bool (*run_row)(bench *b, const bench_kernel_row *row, void *arg), void *arg) {
  for (size_t i = 0; i < count; i++)
    if ((b->full || rows[i].usual) && !run_row(b, &rows[i], arg)) return false;
  return true;
}

void bench_kernel_report(bench *b, const bench_kernel_row *row, const bench_variant *variant, double floor) {
  const char *pages = row->huge ? "huge" : "4k";
  if (b->rank == 0)
    printf("%8u %-5s %-12s %9.1f %8.2f %6.0f%%\n", row->words, pages, variant->name, 1e-6 / variant->seconds,
           floor / variant->seconds, 100 * variant->spread);
  cJSON *record = bench_record(b);
  cJSON_AddNumberToObject(record, "table_words", row->words);
  cJSON_AddStringToObject(record, "pages", pages);
  cJSON_AddStringToObject(record, "way", variant->name);
  cJSON_AddNumberToObject(record, "ranks", b->ranks);
  cJSON_AddNumberToObject(record, "rate", 1 / variant->seconds);
  cJSON_AddNumberToObject(record, "floor_ratio", floor / variant->seconds);
  cJSON_AddNumberToObject(record, "spread", variant->spread);
}
