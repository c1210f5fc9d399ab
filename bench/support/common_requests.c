/* common_requests.c - drawing index lists.
 *
 * Room: what common_requests.h declares. */
#include "common_requests.h"

#include <stdlib.h>

bench_place *bench_places(uint64_t count, uint32_t ranks, uint32_t words, uint64_t seed) {
  bench_place *places = malloc(count * sizeof *places);
  uint64_t x = seed;
  for (uint64_t i = 0; places && i < count; i++) {
    uint32_t rank = (uint32_t)(((bench_draw(&x) >> 32) * ranks) >> 32);
    places[i] = (bench_place){rank, (uint32_t)(((bench_draw(&x) >> 32) * words) >> 32)};
  }
  return places;
}

void bench_kernel_report(bench *b, const bench_kernel_row *row, const bench_way *way, double floor) {
  const char *pages = row->huge ? "huge" : "4k";
  if (b->rank == 0)
    printf("%8u %-5s %-12s %9.1f %8.2f %6.0f%%\n", row->words, pages, way->name, 1e-6 / way->seconds,
           floor / way->seconds, 100 * way->spread);
  cJSON *record = bench_record(b);
  cJSON_AddNumberToObject(record, "table_words", row->words);
  cJSON_AddStringToObject(record, "pages", pages);
  cJSON_AddStringToObject(record, "way", way->name);
  cJSON_AddNumberToObject(record, "ranks", b->ranks);
  cJSON_AddNumberToObject(record, "rate", 1 / way->seconds);
  cJSON_AddNumberToObject(record, "floor_ratio", floor / way->seconds);
  cJSON_AddNumberToObject(record, "spread", way->spread);
}
