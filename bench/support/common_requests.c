/* common_requests.c - draws index lists; runs and reports the rows of bale's kernels. */
#include "common_requests.h"

#include <stdlib.h>
#include <string.h>

bench_location *bench_locations(uint64_t count, uint32_t ranks, uint32_t words, uint64_t seed) {
  bench_location *locations = malloc(count * sizeof *locations);
  uint64_t x = seed;
  for (uint64_t i = 0; locations && i < count; i++) {
    uint32_t rank = bench_below(bench_draw(&x), ranks);
    locations[i] = (bench_location){rank, bench_below(bench_draw(&x), words)};
  }
  return locations;
}

void bench_histogram_plain(void *histogram, uint64_t n) {
  const bench_histogram *h = histogram;
  uint64_t *table = h->table;
  for (uint64_t i = 0; i < n; i++) table[h->locations[i].index]++;
  __asm__ __volatile__("" ::: "memory");
}

/* The number of updates agrees, and so does the sum of the hashes of the locations, each weighted by its count. The plain
 * loop ignores the rank of a location, and so does its check. */
static bool check(bench_histogram *h, bool plain) {
  uint64_t sums[4] = {0, 0, h->count, 0}, all[4];
  for (uint32_t i = 0; i < h->words; i++) {
    sums[0] += h->table[i];
    sums[1] += h->table[i] * bench_hash(plain ? 0 : h->rank, i);
  }
  for (uint64_t i = 0; i < h->count; i++)
    sums[3] += bench_hash(plain ? 0 : h->locations[i].rank, h->locations[i].index);
  memset(h->table, 0, h->words * sizeof *h->table);
  MPI_Allreduce(sums, all, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all[0] == all[2] && all[1] == all[3];
}

bool bench_histogram_check(bench_histogram *h) {
  return check(h, false);
}

bool bench_histogram_check_plain(void *histogram, uint64_t n) {
  (void)n;
  return check(histogram, true);
}

bool bench_kernel_rows(bench *b, const bench_kernel_row *rows, size_t count,
                       bool (*run_row)(bench *b, const bench_kernel_row *row, void *arg), void *arg) {
  for (size_t i = 0; i < count; i++)
    if ((b->full || rows[i].usual) && !run_row(b, &rows[i], arg)) return false;
  return true;
}

static void report(bench *b, const bench_kernel_row *row, const bench_variant *variant, double floor) {
  bench_row(b, BENCH_CELL("table_words", "%8.0f", row->words, 1),
            BENCH_TEXT("pages", " %-5s", row->huge ? "huge" : "4k"), BENCH_TEXT("way", " %-12s", variant->name),
            BENCH_CELL("ranks", NULL, b->ranks, 1), BENCH_CELL("rate", " %9.1f", 1 / variant->seconds, 1e-6),
            BENCH_CELL("floor_ratio", " %8.2f", floor / variant->seconds, 1),
            BENCH_CELL("spread", " %6.0f%%", variant->spread, 100));
}

typedef struct {
  const bench_kernel *kernel;
  bench_kernel_context *by[2]; /* shared memory, MPI */
} transports;

static bool run_row(bench *b, const bench_kernel_row *row, void *arg) {
  const transports *t = arg;
  const bench_kernel *k = t->kernel;
  const uint64_t count = UINT64_C(1) << (b->scale ? b->scale : k->scale);
  void *job = NULL;
  bool good = k->open_job(b, row, count, &job);
  bench_variant variants[] = {
      {.name = k->floor, .run = k->run_floor, .check = k->check_floor, .arg = job, .n = count},
      {.name = "scree shm", .run = k->run, .check = k->check, .arg = t->by[0], .n = count},
      {.name = "scree mpi", .run = k->run, .check = k->check, .arg = t->by[1], .n = count},
  };
  enum { VARIANTS = sizeof variants / sizeof *variants };
  t->by[0]->job = t->by[1]->job = job;
  good = good && bench_rounds(b, variants, VARIANTS);
  for (int i = 0; good && i < VARIANTS; i++) report(b, row, &variants[i], variants[0].seconds);
  k->close_job(job);
  return good;
}

static bool open_context(const bench_kernel *k, bench_kernel_context *c, uint64_t transport) {
  if (!c || !(c->world = bench_world(transport))) return false;
  c->w = scree_worker_of(c->world, 0);
  return k->open(c);
}

bool bench_kernel_run(bench *b, const bench_kernel *k, const bench_kernel_row *rows, size_t count) {
  transports t = {k, {calloc(1, k->context_bytes), calloc(1, k->context_bytes)}};
  bool good = open_context(k, t.by[0], SCREE_TRANSPORT_SHM) && open_context(k, t.by[1], SCREE_TRANSPORT_MPI);
  if (good && b->rank == 0)
    printf("%8s %-5s %-12s %9s %8s %7s   (million %s per second per rank)\n", "words", "pages", "", "rate", "/floor",
           "spread", k->items);
  if (good) {
    good = bench_kernel_rows(b, rows, count, run_row, &t);
    good = bench_close(t.by[0]->world, t.by[1]->world) && good;
  }
  free(t.by[0]);
  free(t.by[1]);
  return good;
}
