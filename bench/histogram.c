/* histogram.c - bale's histogram: adding one at random locations of a table distributed over all ranks.
 *
 * Every rank walks a list of locations drawn in advance and sends each to its owner, whose handler counts it. The
 * baseline is the plain loop: the same list, a table of the same size, no messages. bale's own table has 1,000 words
 * per rank. Any number of ranks works. With --zipf the words are skewed, and the counts of a word combined or not (zipf.h). */
#include <stdlib.h>

#include "common_requests.h"
#include "zipf.h"

typedef struct {
  uint64_t index;
} update;
SCREE_MESSAGE(counts, update);

typedef struct {
  scree_world *world;
  scree_worker *w;
  counts_type t;
  bench_histogram *j; /* of the current row */
} context;

static void on_counts(scree_worker *w, const scree_batch *batch, const update *items, void *arg) {
  uint64_t *table = ((const context *)arg)->j->table;
  for (uint32_t i = 0; i < batch->count; i++) table[items[i].index]++;
  (void)w;
}
SCREE_HANDLER(counts, update, on_counts);

static bool open_context(context *s, uint64_t transport) {
  s->world = bench_world(transport);
  if (!s->world) return false;
  s->w = scree_worker_of(s->world, 0);
  return counts_register(s->world, s, &s->t) == SCREE_OK;
}

static void run_library(void *arg, uint64_t n) {
  const context *s = arg;
  const bench_location *locations = s->j->locations;
  scree_begin(s->w);
  for (uint64_t i = 0; i < n; i++) counts_send(s->w, s->t, locations[i].rank, (update){locations[i].index});
  scree_end(s->w, NULL);
}

static bool check_library(void *arg, uint64_t n) {
  const context *s = arg;
  (void)n;
  return bench_histogram_check(s->j) && scree_error(s->world) == SCREE_OK;
}

typedef struct {
  context shm, mpi;
} transports;

static bool run_row(bench *b, const bench_kernel_row *row, void *arg) {
  transports *t = arg;
  bench_histogram j = {
      .rank = (uint32_t)b->rank, .words = row->words, .count = UINT64_C(1) << (b->scale ? b->scale : 22)};
  j.locations = bench_locations(j.count, (uint32_t)b->ranks, row->words, 88172645463325252u + (uint64_t)b->rank);
  j.table = bench_alloc(row->words * sizeof *j.table, row->huge);
  t->shm.j = t->mpi.j = &j;
  bench_variant variants[] = {
      {.name = "plain loop",
       .run = bench_histogram_plain,
       .check = bench_histogram_check_plain,
       .arg = &j,
       .n = j.count},
      {.name = "scree shm", .run = run_library, .check = check_library, .arg = &t->shm, .n = j.count},
      {.name = "scree mpi", .run = run_library, .check = check_library, .arg = &t->mpi, .n = j.count},
  };
  enum { VARIANTS = sizeof variants / sizeof *variants };
  bool good = bench_all(j.locations && j.table) && bench_rounds(b, variants, VARIANTS);
  for (int i = 0; good && i < VARIANTS; i++) bench_kernel_report(b, row, &variants[i], variants[0].seconds);
  free(j.locations);
  scree_huge_free(j.table);
  return good;
}

static bool run_uniform(bench *b) {
  static const bench_kernel_row rows[] = {
      {1000, false, true}, {1 << 20, false, true}, {1 << 20, true, false}, {1 << 25, true, false}};
  transports t = {.shm = {.world = NULL}};
  if (!open_context(&t.shm, SCREE_TRANSPORT_SHM) || !open_context(&t.mpi, SCREE_TRANSPORT_MPI)) return false;
  bench_kernel_head(b, "updates");
  bool good = bench_kernel_rows(b, rows, sizeof rows / sizeof *rows, run_row, &t);
  return bench_close(t.shm.world, t.mpi.world) && good;
}

int main(int argc, char **argv) {
  bench b;
  double exponent = -1;
  const bench_own_option zipf = {"--zipf", "S", "words by Zipf's law of exponent S, combined or not", 0, 10, &exponent};
  if (!bench_start_with(&b, argc, argv, "histogram",
                        "bale's histogram against a plain loop; --scale: log2 of the updates per rank, default 22",
                        &zipf))
    return bench_finish(&b, 2);
  const bool good = exponent < 0 ? run_uniform(&b) : bench_zipf(&b, exponent);
  return bench_finish(&b, good ? 0 : 1);
}
